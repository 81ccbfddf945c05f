// SPDX-License-Identifier: Apache-2.0
// The dependency graph against a search for an order: histories of lists that follow each promise,
// and the same with one read changed. An order is a sequence of all that takes effect as one, in
// which every read sees just the appends before it; the search knows nothing of edges and cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/dependency_graph.h"
#include "tests/unit/sanitized.h"

namespace esox {
namespace {

using Elements = std::vector<ListElement>;
using Lists = std::map<std::string, Elements>;

const std::string kLists[] = {"a", "b"};
constexpr uint64_t kSpan = 1000;  // between two moments

// What takes effect as one. Reads are of what others appended.
struct Step {
  size_t unit = 0;
  bool commits = false;
  Stamp effect;
  std::vector<std::pair<std::string, Elements>> reads;
};

struct Made {
  ListHistory history;
  std::vector<Step> steps;
};

class Maker {
 public:
  Maker(uint64_t seed, Promise promise) : random_(seed), promise_(promise) {}

  Made run() {
    for (const std::string& list : kLists) made_.history.last[list];
    plan();
    std::sort(moments_.begin(), moments_.end(),
              [](const Moment& a, const Moment& b) { return a.time < b.time; });
    for (const Moment& moment : moments_) happen(moment);
    if (below(2) == 0) change_a_read();
    for (size_t u = 0; u < made_.history.units.size(); ++u) add_steps(u);
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
    const std::string list = kLists[below(2)];
    const bool appends = below(4) != 0;
    const bool changed = at_view_[moment.unit][list] != made_.history.last[list];
    if (appends && promise_ == Promise::kSnapshot && changed) {
      unit.fate = UnitFate::kUndone;  // first committer wins
    } else if (appends) {
      const ListElement element = ++elements_;
      unit.appends.push_back({{unit.client, unit.unit.first + 2}, element});
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
    read.list = kLists[below(2)];
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
    const Elements& last = made_.history.last[read.list];
    const auto length = static_cast<ptrdiff_t>(below(last.size() + 1));
    read.elements.assign(last.begin(), last.begin() + length);
  }

  void add_steps(size_t u) {
    const ListUnit& unit = made_.history.units[u];
    Step view{u, false, *unit.snapshot, {}};
    Step commit{u, true, unit.end, {}};
    for (const ListRead& read : unit.reads) {
      Elements others;
      bool own = false;
      for (const ListElement element : read.elements) {
        const bool mine = made_.history.writer.at(element) == u;
        own |= mine;
        if (!mine) others.push_back(element);
      }
      (own || read.current || whole() ? commit : view).reads.emplace_back(read.list, others);
    }
    if (!view.reads.empty()) made_.steps.push_back(view);
    if (unit.fate != UnitFate::kUndone) made_.steps.push_back(commit);
  }

  std::mt19937_64 random_;
  Promise promise_;
  Made made_;
  std::vector<Moment> moments_;
  std::map<size_t, Lists> at_view_;  // by unit
  ListElement elements_ = 0;
};

// Whether all steps can be put in an order.
class OrderSearch {
 public:
  OrderSearch(const Made& made, Promise promise) : made_(made), promise_(promise) {
    placed_.assign(made.steps.size(), false);
    for (const std::string& list : kLists) lists_[list];
  }

  bool run() { return own_appends_are_seen() && place(0); }

 private:
  // After its append a unit sees it.
  bool own_appends_are_seen() const {
    for (const ListUnit& unit : made_.history.units) {
      for (const ListRead& read : unit.reads) {
        for (const ListAppend& append : unit.appends) {
          const Elements& last = made_.history.last.at(read.list);
          if (std::find(last.begin(), last.end(), append.element) == last.end()) continue;
          const bool seen = std::find(read.elements.begin(), read.elements.end(), append.element) !=
                            read.elements.end();
          if (!seen && read.request.request > append.request.request) return false;
        }
      }
    }
    return true;
  }

  bool place(size_t count) {
    if (count == placed_.size()) return lists_ == made_.history.last;
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

  bool takes_place(const Step& step) {
    for (const auto& [list, elements] : step.reads) {
      if (lists_.at(list) != elements) return false;
    }
    if (!step.commits) {
      views_[step.unit] = lists_;
      return true;
    }
    for (const ListAppend& append : made_.history.units[step.unit].appends) {
      for (const std::string& list : kLists) {
        const Elements& last = made_.history.last.at(list);
        if (std::find(last.begin(), last.end(), append.element) == last.end()) continue;
        const auto view = views_.find(step.unit);
        const bool changed = view != views_.end() && view->second.at(list) != lists_.at(list);
        if (promise_ == Promise::kSnapshot && changed) return false;
        lists_[list].push_back(append.element);
      }
    }
    return true;
  }

  const Made& made_;
  Promise promise_;
  std::vector<bool> placed_;
  Lists lists_;
  std::map<size_t, Lists> views_;
};

class ListOrders : public testing::TestWithParam<Promise> {};

TEST_P(ListOrders, AreNoneWhereAnAnomalyIsFound) {
  const std::vector<std::string> names = {"A", "B", "C"};
  uint64_t anomalies = 0;
  const uint64_t all = repeated(34'000);
  for (uint64_t seed = 0; seed < all; ++seed) {
    const Made made = Maker(seed, GetParam()).run();
    const Anomaly found = find_anomaly(made.history, GetParam(), names);
    const bool forbidden = !found.empty() && found.forbidden;
    ASSERT_EQ(forbidden, !OrderSearch(made, GetParam()).run())
        << "seed " << seed << ": " << found.name << testing::PrintToString(found.lines);
    anomalies += forbidden ? 1 : 0;
  }
  EXPECT_GT(anomalies, all / 20);
  EXPECT_LT(anomalies, all / 2);
}

INSTANTIATE_TEST_SUITE_P(Promises, ListOrders,
                         testing::Values(Promise::kTransactionView, Promise::kSnapshot,
                                         Promise::kSerial));

}  // namespace
}  // namespace esox
