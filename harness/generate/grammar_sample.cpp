// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/grammar_sample.h"

#include <algorithm>
#include <set>

#include "harness/generate/asked_holdings.h"
#include "harness/generate/generation_state.h"
#include "harness/generate/meeting_names.h"

namespace esox {
namespace {

constexpr size_t kSetups = 1000;       // of a large sample
constexpr int kMostFruitless = 50;     // setups, one after the other
constexpr size_t kMostReasons = 10;    // why they were
constexpr size_t kAttemptsOfEach = 4;  // to make an input

class Sampling {
 public:
  Sampling(Maker& maker, Executor& executor, uint64_t seed, size_t count)
      : maker_(maker), executor_(executor), random_(seed), count_(count) {}

  // False: nothing came of it.
  bool add_setup() {
    const Input setup = maker_.setup(random_);
    std::string why;
    const std::optional<Holdings> holdings = asked_holdings(executor_, setup, &why);
    const size_t before = sample_.inputs.size();
    if (holdings) {
      const size_t wanted = std::min(count_ - before, 1 + count_ / kSetups);
      for (size_t i = 0; i < wanted * kAttemptsOfEach && made_since(before) < wanted; ++i) {
        add_input(setup, *holdings);
      }
    }
    if (made_since(before) > 0) return true;
    note(why.empty() ? "the grammar makes nothing new over a setup" : why);
    return false;
  }
  bool complete() const { return sample_.inputs.size() == count_; }
  GrammarSample take() { return std::move(sample_); }

 private:
  size_t made_since(size_t before) const { return sample_.inputs.size() - before; }

  void add_input(const Input& setup, const Holdings& holdings) {
    std::optional<Input> made = maker_.fresh(setup, holdings, {}, random_);
    if (!made || maker_.ends_held(*made) || !may_meet(*made, holdings)) return;
    if (!texts_.insert(text_key(*made)).second) return;
    made->id = made_id(*made);
    made->title = made_title(*made);
    sample_.inputs.push_back(std::move(*made));
  }

  // Of which setup it is need not be said.
  void note(const std::string& text) {
    const size_t statement = text.find("setup statement");
    const std::string reason = statement == std::string::npos ? text : text.substr(statement);
    std::vector<std::string>& told = sample_.fruitless;
    if (told.size() < kMostReasons && std::ranges::find(told, reason) == told.end()) {
      told.push_back(reason);
    }
  }

  Maker& maker_;
  Executor& executor_;
  Rng random_;
  const size_t count_;
  GrammarSample sample_;
  std::set<std::string> texts_;
};

}  // namespace

GrammarSample sample_of(Maker& maker, Executor& executor, uint64_t seed, size_t count,
                        const std::atomic<bool>& stop) {
  Sampling sampling(maker, executor, seed, count);
  int fruitless = 0;
  while (!sampling.complete() && fruitless < kMostFruitless && !stop.load()) {
    fruitless = sampling.add_setup() ? 0 : fruitless + 1;
  }
  return sampling.take();
}

}  // namespace esox
