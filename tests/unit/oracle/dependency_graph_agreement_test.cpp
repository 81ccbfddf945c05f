// SPDX-License-Identifier: Apache-2.0
// The dependency graph against a search for an order: histories that follow each promise, and the
// same with one read changed. An order is a sequence of all that takes effect as one, in which
// every read sees just the writes before it; the search knows nothing of edges, cycles and orders
// of versions. Histories are made as ones of lists; of registers the search and the graph are told
// the last element alone, of rows which of them there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/dependency_graph.h"
#include "tests/unit/sanitized.h"

namespace esox {
namespace {

using Elements = std::vector<ListElement>;
using Lists = std::map<std::string, Elements>;

const std::string kHeads[] = {"a", "b"};
constexpr uint64_t kSpan = 1000;  // between two moments

enum class Kind { kLists, kRegisters, kRows };

// As far as a reader can tell, `all` of them in their order.
Elements visible(Kind kind, Elements all) {
  if (kind == Kind::kRows) std::sort(all.begin(), all.end());
  if (kind == Kind::kRegisters && !all.empty()) all.erase(all.begin(), all.end() - 1);
  return all;
}

// What takes effect as one. Reads are of what others wrote, as far as visible.
struct Step {
  size_t unit = 0;
  bool commits = false;
  Stamp effect;
  std::vector<std::pair<std::string, Elements>> reads;
};

struct Made {
  ListHistory history;
  Lists last;
  std::vector<Step> steps;
  bool own_seen = true;  // after its write a unit sees it
};

class Maker {
 public:
  Maker(uint64_t seed, Promise promise, Kind kind)
      : random_(seed), promise_(promise), kind_(kind) {}

  Made run() {
    for (const std::string& list : kHeads) made_.history.last[list];
    plan();
    std::sort(moments_.begin(), moments_.end(),
              [](const Moment& a, const Moment& b) { return a.time < b.time; });
    for (const Moment& moment : moments_) happen(moment);
    if (below(2) == 0) change_a_read();
    for (size_t u = 0; u < made_.history.units.size(); ++u) add_steps(u);
    made_.last = made_.history.last;
    if (kind_ == Kind::kRegisters) tell_registers();
    if (kind_ == Kind::kRows) tell_rows();
    return std::move(made_);
  }

 private:
  struct Moment {
    uint64_t time = 0;
    size_t unit = 0;
    bool commits = false;
  };

  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_);
  }

  // Units of two or three clients, one after the other, at moments of their own.
  void plan() {
    const size_t clients = 2 + below(2);
    for (size_t c = 0; c < clients; ++c) {
      uint64_t now = below(4) * kSpan;
      size_t request = 0;
      for (size_t i = 0; i < 1 + below(2); ++i) {
        ListUnit unit;
        unit.client = c;
        unit.unit = {request, request + 3};
        request += 4;
        const uint64_t view = now + (1 + below(4)) * kSpan + c;
        const uint64_t commit = view + (1 + below(4)) * kSpan;
        unit.snapshot = {view - below(kSpan / 2), view + below(kSpan / 2)};
        unit.end = {commit - below(kSpan / 2), commit + below(kSpan / 2)};
        now = commit + kSpan;
        const size_t u = made_.history.units.size();
        made_.history.units.push_back(unit);
        moments_.push_back({view, u, false});
        moments_.push_back({commit, u, true});
      }
    }
  }

  bool whole() const { return promise_ == Promise::kSerial; }

  void happen(const Moment& moment) {
    ListUnit& unit = made_.history.units[moment.unit];
    if (!moment.commits) {
      at_view_.emplace(moment.unit, made_.history.last);
      return;
    }
    const std::string list = kHeads[below(2)];
    const bool appends = below(4) != 0;
    const bool changed = at_view_[moment.unit][list] != made_.history.last[list];
    if (appends && promise_ == Promise::kSnapshot && changed) {
      unit.fate = UnitFate::kUndone;  // first committer wins
    } else if (appends) {
      const ListElement element = ++elements_;
      unit.appends.push_back(
          {{unit.client, unit.unit.first + 2}, element, ListUse::kAppends, list});
      made_.history.known.insert(element);
      made_.history.writer.emplace(element, moment.unit);
    }
    for (size_t reads = below(3); reads > 0; --reads) read(unit, moment.unit);
    if (!unit.appends.empty()) made_.history.last[list].push_back(unit.appends[0].element);
    for (ListRead& one : unit.reads) {
      // What it has appended to it sees at once, on top of what is there.
      if (one.request.request <= unit.unit.first + 2 || unit.appends.empty() || one.list != list)
        continue;
      one.elements = made_.history.last[list];
    }
  }

  // Before its append, in its view, or behind it; of the current version only at its end.
  void read(ListUnit& unit, size_t u) {
    ListRead read;
    const bool behind = below(3) == 0;
    read.request = {unit.client, unit.unit.first + (behind ? 3u : 1u)};
    read.list = kHeads[below(2)];
    read.current = promise_ != Promise::kSnapshot && below(4) == 0;
    read.stamp = *unit.snapshot;
    const bool now = read.current || whole();
    read.elements = now ? made_.history.last[read.list] : at_view_[u][read.list];
    unit.reads.push_back(std::move(read));
  }

  void change_a_read() {
    std::vector<ListRead*> reads;
    for (ListUnit& unit : made_.history.units) {
      for (ListRead& read : unit.reads) reads.push_back(&read);
    }
    if (reads.empty()) return;
    ListRead& read = *reads[below(reads.size())];
    Elements elements = made_.history.last[read.list];
    if (kind_ == Kind::kRows) std::shuffle(elements.begin(), elements.end(), random_);
    elements.resize(below(elements.size() + 1));
    read.elements = elements;
  }

  bool is_of(size_t u, ListElement element) const { return made_.history.writer.at(element) == u; }

  void add_steps(size_t u) {
    const ListUnit& unit = made_.history.units[u];
    Step view{u, false, *unit.snapshot, {}};
    Step commit{u, true, unit.end, {}};
    for (const ListRead& read : unit.reads) {
      Elements seen = visible(kind_, read.elements);
      look_for_own(unit, read, seen);
      const size_t all = seen.size();
      std::erase_if(seen, [&](ListElement element) { return is_of(u, element); });
      const bool own = seen.size() != all;
      if (own && kind_ == Kind::kRegisters) continue;
      const bool locked = read.current || whole() || (own && kind_ == Kind::kLists);
      (locked ? commit : view).reads.emplace_back(read.list, seen);
    }
    if (!view.reads.empty()) made_.steps.push_back(view);
    if (unit.fate != UnitFate::kUndone) made_.steps.push_back(commit);
  }

  void look_for_own(const ListUnit& unit, const ListRead& read, const Elements& seen) {
    for (const ListAppend& append : unit.appends) {
      if (append.list != read.list || read.request.request < append.request.request) continue;
      const bool found = std::find(seen.begin(), seen.end(), append.element) != seen.end();
      made_.own_seen = made_.own_seen && found;
    }
  }

  void tell_registers() {
    ListHistory& history = made_.history;
    for (auto& [list, elements] : history.last) {
      elements = visible(kind_, elements);
      history.registers.insert(list);
    }
    for (ListUnit& unit : history.units) {
      for (ListAppend& append : unit.appends) append.use = ListUse::kWrites;
      for (ListRead& read : unit.reads) read.elements = visible(kind_, read.elements);
    }
  }

  // Each row is a list of its own.
  void tell_rows() {
    ListHistory& history = made_.history;
    const auto row = [](ListElement element) { return "row " + std::to_string(element); };
    for (ListUnit& unit : history.units) {
      const std::vector<ListRead> sets = std::move(unit.reads);
      unit.reads.clear();
      for (ListAppend& append : unit.appends) append.use = ListUse::kChangesRow;
      for (const ListRead& read : sets) {
        const Elements seen = read.elements;
        for (const ListElement element : made_.last[read.list]) {
          const bool there = std::find(seen.begin(), seen.end(), element) != seen.end();
          unit.reads.push_back(read);
          unit.reads.back().list = row(element);
          unit.reads.back().elements = there ? Elements{element} : Elements{};
          unit.reads.back().predicate = !there;
        }
      }
    }
    history.last.clear();
    for (const auto& [list, elements] : made_.last) {
      for (const ListElement element : elements) history.last[row(element)] = {element};
    }
  }

  std::mt19937_64 random_;
  Promise promise_;
  Kind kind_;
  Made made_;
  std::vector<Moment> moments_;
  std::map<size_t, Lists> at_view_;  // by unit
  ListElement elements_ = 0;
};

// Whether all steps can be put in an order.
class OrderSearch {
 public:
  OrderSearch(const Made& made, Promise promise, Kind kind)
      : made_(made), promise_(promise), kind_(kind) {
    placed_.assign(made.steps.size(), false);
    for (const std::string& list : kHeads) lists_[list];
  }

  bool run() { return made_.own_seen && place(0); }

 private:
  bool place(size_t count) {
    if (count == placed_.size()) return all_is_as_at_last();
    for (size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i] || !may_be_next(i)) continue;
      const Step& step = made_.steps[i];
      const Lists before = lists_;
      const std::map<size_t, Lists> views_before = views_;
      if (takes_place(step)) {
        placed_[i] = true;
        if (place(count + 1)) return true;
        placed_[i] = false;
      }
      lists_ = before;
      views_ = views_before;
    }
    return false;
  }

  bool may_be_next(size_t i) const {
    const Step& step = made_.steps[i];
    for (size_t j = 0; j < placed_.size(); ++j) {
      const Step& other = made_.steps[j];
      if (placed_[j] || i == j) continue;
      if (other.effect.response < step.effect.invocation) return false;
      if (other.unit == step.unit && step.commits) return false;  // its view comes first
    }
    return true;
  }

  bool all_is_as_at_last() const {
    return std::all_of(lists_.begin(), lists_.end(), [&](const auto& list) {
      return visible(kind_, list.second) == visible(kind_, made_.last.at(list.first));
    });
  }

  bool takes_place(const Step& step) {
    for (const auto& [list, elements] : step.reads) {
      if (visible(kind_, lists_.at(list)) != elements) return false;
    }
    if (!step.commits) {
      views_[step.unit] = lists_;
      return true;
    }
    for (const ListAppend& append : made_.history.units[step.unit].appends) {
      Elements& list = lists_[append.list];
      const auto view = views_.find(step.unit);
      const bool changed = view != views_.end() && view->second.at(append.list) != list;
      // Two rows of a set are not in each other's way.
      if (promise_ == Promise::kSnapshot && changed && kind_ != Kind::kRows) return false;
      list.push_back(append.element);
    }
    return true;
  }

  const Made& made_;
  Promise promise_;
  Kind kind_;
  std::vector<bool> placed_;
  Lists lists_;
  std::map<size_t, Lists> views_;
};

class ListOrders : public testing::TestWithParam<std::tuple<Promise, Kind>> {};

TEST_P(ListOrders, AreNoneWhereAnAnomalyIsFound) {
  const auto [promise, kind] = GetParam();
  const std::vector<std::string> names = {"A", "B", "C"};
  uint64_t anomalies = 0;
  const uint64_t all = repeated(12'000);
  for (uint64_t seed = 0; seed < all; ++seed) {
    const Made made = Maker(seed, promise, kind).run();
    const Anomaly found = find_anomaly(made.history, promise, names);
    const bool forbidden = !found.empty() && found.forbidden;
    ASSERT_EQ(forbidden, !OrderSearch(made, promise, kind).run())
        << "seed " << seed << ": " << found.name << testing::PrintToString(found.lines);
    anomalies += forbidden ? 1 : 0;
  }
  EXPECT_GT(anomalies, all / 40);
  EXPECT_LT(anomalies, all / 2);
}

INSTANTIATE_TEST_SUITE_P(Promises, ListOrders,
                         testing::Combine(testing::Values(Promise::kTransactionView,
                                                          Promise::kSnapshot, Promise::kSerial),
                                          testing::Values(Kind::kLists, Kind::kRegisters,
                                                          Kind::kRows)));

}  // namespace
}  // namespace esox
