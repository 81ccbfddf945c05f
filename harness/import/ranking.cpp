// SPDX-License-Identifier: Apache-2.0
#include "harness/import/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace esox {
namespace {

// What a new combination of kinds is worth, in contacts that nobody else has.
constexpr double kKindsWorth = 4;
// As if so many inputs of any kinds had been hunted besides, at the common rate of findings.
constexpr double kPriorInputs = 5;
constexpr double kMostFertile = 4;

// What an input adds to those taken before it. It only ever falls while others are taken, which is
// why looking again at the best one is enough (lazy greedy choice).
class Novelty {
 public:
  explicit Novelty(const std::vector<Rankable>& inputs) : inputs_(inputs) {
    for (const Rankable& one : inputs) {
      for (const Contact contact : one.contacts) ++contacts_[contact].inputs;
      hunted_ += static_cast<double>(one.hunted);
      fertile_ += static_cast<double>(one.fertile);
    }
  }

  double gain(size_t index) const {
    const Rankable& one = inputs_[index];
    double sum = 0;
    for (const Contact contact : one.contacts) {
      const Seen& seen = contacts_.at(contact);
      sum += seen.rarity(inputs_.size()) / (1 + seen.taken);
    }
    const auto kinds = kinds_.find(one.kinds);
    sum += kKindsWorth / (1 + (kinds == kinds_.end() ? 0.0 : kinds->second));
    return sum * fertility(one);
  }

  void take(size_t index) {
    for (const Contact contact : inputs_[index].contacts) contacts_.at(contact).taken += 1;
    kinds_[inputs_[index].kinds] += 1;
  }

 private:
  struct Seen {
    size_t inputs = 0;  // that have it
    double taken = 0;   // of those
    // 1 for a contact of a single input, 0 for one of all.
    double rarity(size_t of) const {
      return of < 2 ? 1
                    : 1 - std::log(static_cast<double>(inputs)) / std::log(static_cast<double>(of));
    }
  };

  // The rate of findings of its kinds in proportion to the common one; 1 without any history.
  double fertility(const Rankable& one) const {
    const double common = (fertile_ + 1) / (hunted_ + 2);
    const double own = (static_cast<double>(one.fertile) + kPriorInputs * common) /
                       (static_cast<double>(one.hunted) + kPriorInputs);
    return std::clamp(own / common, 1 / kMostFertile, kMostFertile);
  }

  const std::vector<Rankable>& inputs_;
  std::unordered_map<Contact, Seen> contacts_;
  std::unordered_map<std::string, double> kinds_;
  double hunted_ = 0;
  double fertile_ = 0;
};

int group_of(Sensitivity sensitivity) {
  static constexpr int kGroups[] = {2, 3, 1, 0};  // none, existence, failing, clean
  return kGroups[static_cast<size_t>(sensitivity)];
}

}  // namespace

std::vector<size_t> ranked(const std::vector<Rankable>& inputs) {
  std::vector<size_t> by_id(inputs.size());
  std::iota(by_id.begin(), by_id.end(), size_t{0});
  std::ranges::sort(by_id, [&](size_t a, size_t b) { return inputs[a].id < inputs[b].id; });
  Novelty novelty(inputs);
  struct Turn {
    int group;
    double gain;
    size_t place;                              // by id
    bool operator<(const Turn& other) const {  // the lesser is taken later
      return std::tuple(-group, gain, other.place) < std::tuple(-other.group, other.gain, place);
    }
  };
  std::priority_queue<Turn> turns;
  for (size_t place = 0; place < by_id.size(); ++place) {
    const size_t index = by_id[place];
    turns.push({group_of(inputs[index].sensitivity), novelty.gain(index), place});
  }
  std::vector<size_t> order;
  while (!turns.empty()) {
    Turn turn = turns.top();
    turns.pop();
    const size_t index = by_id[turn.place];
    turn.gain = novelty.gain(index);
    if (!turns.empty() && turn < turns.top()) {
      turns.push(turn);
      continue;
    }
    novelty.take(index);
    order.push_back(index);
  }
  return order;
}

}  // namespace esox
