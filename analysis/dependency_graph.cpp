// SPDX-License-Identifier: Apache-2.0
#include "analysis/dependency_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/finding.h"
#include "analysis/version_orders.h"
#include "inputs/isolation_level.h"

namespace esox {
namespace {

using Elements = std::vector<ListElement>;

enum class EdgeKind { kWw, kWr, kRw, kRealTime, kOwn };

struct Edge {
  size_t from = 0;
  size_t to = 0;
  EdgeKind kind = EdgeKind::kWw;
  std::string text;  // how it is known
  bool predicate = false;
};

// What takes effect as one, at some moment within `effect`.
struct Node {
  size_t unit = 0;
  bool view = false;  // of plain reads; else of the whole transaction, or of what it holds locks on
  Stamp effect;
};

// "A2 appended 7"
std::string deed_of(const ListAppend& append, const std::vector<std::string>& names) {
  const char* verb = append.use == ListUse::kAppends  ? "appended"
                     : append.use == ListUse::kWrites ? "wrote"
                                                      : "changed row";
  const RequestId& id = append.request;
  return fmt::format("{} {} {}", request_name(id.client, id.request, names), verb, append.element);
}

bool has(const Elements& elements, ListElement element) {
  return std::ranges::find(elements, element) != elements.end();
}

// -- Cycles.

// Which edges a cycle may have, and how many rw.
struct CycleForm {
  const char* name;
  bool reads;       // wr
  size_t least_rw;  // 0: none at all
  bool one_rw;      // not more than one
  bool apart;       // no two rw in a row
  bool real_time;
};

constexpr CycleForm kForms[] = {{"G0", false, 0, false, false, false},
                                {"G1c", true, 0, false, false, false},
                                {"G-single", true, 1, true, false, false},
                                {"G-nonadjacent", true, 2, false, true, false},
                                {"G2-item", true, 2, false, false, false},
                                {"G0-realtime", false, 0, false, false, true},
                                {"G1c-realtime", true, 0, false, false, true},
                                {"G-single-realtime", true, 1, true, false, true},
                                {"G-nonadjacent-realtime", true, 2, false, true, true},
                                {"G2-item-realtime", true, 2, false, false, true}};

using Cycle = std::vector<const Edge*>;

// Searches along edges, breadth first, remembering how many rw there were (up to two) and whether
// the last edge was one.
class CycleSearch {
 public:
  CycleSearch(const std::vector<Edge>& edges, size_t nodes, const CycleForm& form)
      : form_(form), out_(nodes) {
    for (const Edge& edge : edges) {
      const bool of_form = edge.kind == EdgeKind::kRw         ? form.least_rw > 0
                           : edge.kind == EdgeKind::kWr       ? form.reads
                           : edge.kind == EdgeKind::kRealTime ? form.real_time
                                                              : true;
      if (of_form) out_[edge.from].push_back(&edge);
    }
  }

  // The shortest.
  Cycle run() const {
    Cycle best;
    for (const auto& edges : out_) {
      for (const Edge* first : edges) {
        if ((form_.least_rw > 0) != (first->kind == EdgeKind::kRw)) continue;
        Cycle cycle = through(first);
        if (!cycle.empty() && (best.empty() || cycle.size() < best.size())) best = std::move(cycle);
      }
    }
    return best;
  }

 private:
  struct State {
    size_t node;
    size_t rw;  // 0, 1, 2 or more
    bool last_rw;
    auto key() const { return std::tuple(node, rw, last_rw); }
  };
  struct Visit {
    State state;
    const Edge* by;
    size_t before;  // place of the visit that it came from
  };

  Cycle through(const Edge* first) const {
    const bool rw = first->kind == EdgeKind::kRw;
    std::vector<Visit> visits = {{{first->to, rw ? 1u : 0u, rw}, first, 0}};
    std::set<std::tuple<size_t, size_t, bool>> seen = {visits[0].state.key()};
    for (size_t at = 0; at < visits.size(); ++at) {
      const State state = visits[at].state;
      if (state.node == first->from && closes(state)) return path(visits, at);
      for (const Edge* edge : out_[state.node]) {
        const bool one_more = edge->kind == EdgeKind::kRw;
        if (one_more && (form_.one_rw || (form_.apart && state.last_rw))) continue;
        const State next{edge->to, std::min<size_t>(state.rw + (one_more ? 1 : 0), 2), one_more};
        if (seen.insert(next.key()).second) visits.push_back({next, edge, at});
      }
    }
    return {};
  }

  bool closes(const State& state) const {
    return state.rw >= form_.least_rw && !(form_.apart && state.last_rw);
  }

  static Cycle path(const std::vector<Visit>& visits, size_t at) {
    Cycle cycle;
    for (; at != 0; at = visits[at].before) cycle.push_back(visits[at].by);
    cycle.push_back(visits[0].by);
    std::ranges::reverse(cycle);
    return cycle;
  }

  const CycleForm& form_;
  std::vector<std::vector<const Edge*>> out_;  // by node
};

// -- The graph of one history.

class Graph {
 public:
  Graph(const ListHistory& history, bool views, bool view_each,
        const std::vector<std::string>& names)
      : history_(history), views_(views), view_each_(view_each), names_(names) {
    for (size_t u = 0; u < history.units.size(); ++u) add_nodes(u);
    add_writes();
    for (size_t u = 0; u < history.units.size(); ++u) add_reads(u);
    add_real_time();
  }

  // One line per edge.
  std::vector<std::string> lines(const Cycle& cycle) const {
    std::vector<std::string> lines;
    for (const Edge* edge : cycle) {
      if (edge->kind != EdgeKind::kOwn) lines.push_back(line(*edge));
    }
    return lines;
  }

  // All that are not between parts of one transaction, with those marked that `lines` names.
  std::vector<Dependency> told(const std::vector<std::string>& lines) const {
    std::vector<Dependency> all;
    for (const Edge& edge : edges_) {
      const size_t from = nodes_[edge.from].unit;
      const size_t to = nodes_[edge.to].unit;
      if (from == to) continue;
      const bool of_cycle = std::ranges::find(lines, line(edge)) != lines.end();
      if (!of_cycle && edge.kind == EdgeKind::kRealTime) continue;
      const size_t comma = edge.text.find(", ");
      all.push_back({from, to, edge.text.substr(0, comma), edge.text.substr(comma + 2), of_cycle});
    }
    return all;
  }

  Cycle find(const CycleForm& form) const { return CycleSearch(edges_, nodes_.size(), form).run(); }

 private:
  std::string request(const RequestId& id) const {
    return request_name(id.client, id.request, names_);
  }

  std::string line(const Edge& edge) const {
    return fmt::format("{} -> {}: {}", name(edge.from), name(edge.to), edge.text);
  }

  // "A1 to A4", "A1".
  std::string name(size_t node) const {
    const ListUnit& unit = history_.units[nodes_[node].unit];
    std::string first = request({unit.client, unit.unit.first});
    if (unit.unit.first == unit.unit.last) return first;
    return first + " to " + request({unit.client, unit.unit.last});
  }

  // Of the whole transaction, or of its writes; it has the unit's place. Those of views follow.
  void add_nodes(size_t u) {
    const ListUnit& unit = history_.units[u];
    const bool known = unit.fate == UnitFate::kCommitted;
    nodes_.push_back({u, false, known ? unit.end : Stamp{0, kNever}});
  }

  bool takes_effect(size_t u) const { return history_.units[u].fate != UnitFate::kUndone; }

  // The node that a read is part of; nullopt: it says nothing.
  std::optional<size_t> node_of(size_t u, const ListRead& read, const Elements& own) {
    const bool locked = read.current || !own.empty();
    if (locked || !views_) return takes_effect(u) ? std::optional(u) : std::nullopt;
    const size_t request = view_each_ ? read.request.request : 0;
    const auto [place, is_new] = view_nodes_.emplace(std::pair(u, request), nodes_.size());
    if (is_new) {
      nodes_.push_back({u, true, view_each_ ? read.stamp : *history_.units[u].snapshot});
      if (takes_effect(u)) edges_.push_back({place->second, u, EdgeKind::kOwn, ""});
    }
    return place->second;
  }

  std::string appends(ListElement element) const {
    const size_t u = history_.writer.at(element);
    for (const ListAppend& append : history_.units[u].appends) {
      if (append.element == element) return deed_of(append, names_);
    }
    return "";
  }

  void add_writes() {
    for (const auto& [list, elements] : history_.last) {
      for (size_t i = 1; i < elements.size(); ++i) {
        const auto before = history_.writer.find(elements[i - 1]);
        const auto after = history_.writer.find(elements[i]);
        if (before == history_.writer.end() || after == history_.writer.end()) continue;
        if (before->second == after->second) continue;
        edges_.push_back({before->second, after->second, EdgeKind::kWw,
                          fmt::format("ww, to {} {}, then {}", list, appends(elements[i - 1]),
                                      appends(elements[i]))});
      }
    }
  }

  void add_reads(size_t u) {
    for (const ListRead& read : history_.units[u].reads) {
      const auto last = history_.last.find(read.list);
      if (last == history_.last.end()) continue;
      Elements own;
      Elements others;
      for (const ListElement element : read.elements) {
        const auto writer = history_.writer.find(element);
        const bool is_own = writer != history_.writer.end() && writer->second == u;
        (is_own ? own : others).push_back(element);
      }
      const std::optional<size_t> node = node_of(u, read, own);
      if (node) add_read(*node, u, read, others, last->second);
    }
  }

  void add_read(size_t node, size_t u, const ListRead& read, const Elements& others,
                const Elements& last) {
    if (!others.empty()) {
      const auto writer = history_.writer.find(others.back());
      if (writer != history_.writer.end()) {
        edges_.push_back(
            {writer->second, node, EdgeKind::kWr,
             fmt::format("wr, {}, and {} read it", appends(others.back()), request(read.request))});
      }
    }
    // Where each statement has a view of its own, a locking read keeps nobody from the gaps.
    if (view_each_ && read.current && read.predicate) return;
    for (const ListElement element : last) {
      if (has(others, element)) continue;
      const auto writer = history_.writer.find(element);
      if (writer == history_.writer.end() || writer->second == u) continue;
      edges_.push_back({node, writer->second, EdgeKind::kRw,
                        fmt::format("rw, {} read {} without {}, and {}", request(read.request),
                                    read.list, element, appends(element)),
                        read.predicate});
      return;
    }
  }

  void add_real_time() {
    for (size_t a = 0; a < nodes_.size(); ++a) {
      for (size_t b = 0; b < nodes_.size(); ++b) {
        const bool before = nodes_[a].effect.response < nodes_[b].effect.invocation;
        if (a == b || !before || !counts(a) || !counts(b)) continue;
        edges_.push_back(
            {a, b, EdgeKind::kRealTime, "real time, the one was over when the other began"});
      }
    }
  }

  bool counts(size_t node) const { return nodes_[node].view || takes_effect(nodes_[node].unit); }

  const ListHistory& history_;
  bool views_;
  bool view_each_;
  const std::vector<std::string>& names_;
  std::vector<Node> nodes_;
  std::map<std::pair<size_t, size_t>, size_t> view_nodes_;  // by unit and request
  std::vector<Edge> edges_;
};

// -- What needs no cycle.

class Direct {
 public:
  Direct(const ListHistory& history, Promise promise, const std::vector<std::string>& names)
      : history_(history), promise_(promise), names_(names) {}

  // The first that there is.
  std::optional<Anomaly> run() {
    look_at_last();
    if (promise_ == Promise::kDirtyReads) return std::move(found_);
    for (size_t u = 0; u < history_.units.size(); ++u) {
      for (const ListRead& read : history_.units[u].reads) look_at(u, read);
    }
    return std::move(found_);
  }

 private:
  void find(const char* name, std::string line) {
    if (!found_) found_ = Anomaly{name, {std::move(line)}, true};
  }

  std::string request(const RequestId& id) const {
    return request_name(id.client, id.request, names_);
  }

  void look_at_last() {
    std::set<ListElement> left;
    for (const auto& [list, elements] : history_.last) {
      left.insert(elements.begin(), elements.end());
      look_for_doubles(list, elements, "at last");
      for (const ListElement element : elements) look_for_left(list, element);
    }
    for (const ListUnit& unit : history_.units) {
      if (unit.fate != UnitFate::kCommitted) continue;
      for (const ListAppend& append : unit.appends) {
        if (left.contains(append.element)) continue;
        find("lost", fmt::format("{} and was committed, and at last nothing has it",
                                 deed_of(append, names_)));
      }
    }
  }

  void look_for_doubles(const std::string& list, const Elements& elements,
                        const std::string& where) {
    const std::set<ListElement> once(elements.begin(), elements.end());
    if (once.size() != elements.size()) {
      find("duplicate", fmt::format("{} is {},{} {}", list, list, fmt::join(elements, ","), where));
    }
    for (const ListElement element : elements) {
      if (!history_.known.contains(element)) {
        find("garbage", fmt::format("{} has {} {}, which nobody appended", list, element, where));
      }
    }
  }

  // What a transaction did that was undone.
  void look_for_left(const std::string& list, ListElement element) {
    const auto writer = history_.writer.find(element);
    if (writer == history_.writer.end()) return;
    if (history_.units[writer->second].fate != UnitFate::kUndone) return;
    find("garbage",
         fmt::format("{} has {} at last, and the transaction that appended it was undone", list,
                     element));
  }

  void look_at(size_t u, const ListRead& read) {
    const std::string reader = request(read.request);
    look_for_doubles(read.list, read.elements, "for " + reader);
    const auto last = history_.last.find(read.list);
    if (last == history_.last.end()) return;
    Elements others;
    for (const ListElement element : read.elements) {
      if (!is_of(u, element)) others.push_back(element);
    }
    look_for_own(u, read, last->second);
    look_for_undone(u, read, others);
    look_for_unfinished(u, read, others, last->second);
    Elements rest;
    for (const ListElement element : last->second) {
      if (!is_of(u, element)) rest.push_back(element);
    }
    const bool begins =
        others.size() <= rest.size() && std::equal(others.begin(), others.end(), rest.begin());
    if (!begins) {
      find("incompatible-order",
           fmt::format("{} read {},{}, and at last it is {},{}", reader, read.list,
                       fmt::join(read.elements, ","), read.list, fmt::join(last->second, ",")));
    }
  }

  bool is_of(size_t u, ListElement element) const {
    const auto writer = history_.writer.find(element);
    return writer != history_.writer.end() && writer->second == u;
  }

  // An append of the reader's own, before the read, to a list that keeps it.
  void look_for_own(size_t u, const ListRead& read, const Elements& last) {
    if (history_.units[u].fate != UnitFate::kCommitted) return;
    for (const ListAppend& append : history_.units[u].appends) {
      const bool earlier = append.request.request < read.request.request;
      if (!earlier || !has(last, append.element) || has(read.elements, append.element)) continue;
      find("internal", fmt::format("{} to {}, and {} of the same transaction reads it without",
                                   deed_of(append, names_), read.list, request(read.request)));
    }
  }

  // What a transaction appended that was undone, or a request that failed.
  void look_for_undone(size_t u, const ListRead& read, const Elements& others) {
    for (const ListElement element : others) {
      const auto writer = history_.writer.find(element);
      if (writer == history_.writer.end()) continue;
      const ListUnit& unit = history_.units[writer->second];
      if (unit.fate != UnitFate::kUndone || writer->second == u) continue;
      find("G1a", fmt::format("{} read {} in {}, and the transaction that appended it was undone",
                              request(read.request), element, read.list));
    }
  }

  void look_for_unfinished(size_t u, const ListRead& read, const Elements& others,
                           const Elements& last) {
    if (others.empty()) return;
    const auto writer = history_.writer.find(others.back());
    if (writer == history_.writer.end() || writer->second == u) return;
    for (const ListAppend& append : history_.units[writer->second].appends) {
      if (!has(last, append.element) || has(read.elements, append.element)) continue;
      find("G1b", fmt::format("{} read {} with {} and without {}, which one transaction appended",
                              request(read.request), read.list, others.back(), append.element));
    }
  }

  const ListHistory& history_;
  Promise promise_;
  const std::vector<std::string>& names_;
  std::optional<Anomaly> found_;
};

std::string without_item(std::string name) {
  constexpr std::string_view kItem = "-item";
  const size_t at = name.find(kItem);
  return at == std::string::npos ? name : name.erase(at, kItem.size());
}

std::string name_of(const CycleForm& form, const Cycle& cycle) {
  const bool predicate =
      std::ranges::any_of(cycle, [](const Edge* edge) { return edge->predicate; });
  return predicate ? without_item(form.name) : form.name;
}

std::optional<Anomaly> first_cycle(const Graph& graph, bool (*wanted)(const CycleForm&)) {
  for (const CycleForm& form : kForms) {
    if (!wanted(form)) continue;
    const Cycle cycle = graph.find(form);
    if (!cycle.empty()) return Anomaly{name_of(form, cycle), graph.lines(cycle), true};
  }
  return std::nullopt;
}

std::optional<Anomaly> forbidden(const ListHistory& history, Promise promise,
                                 const std::vector<std::string>& names) {
  if (std::optional<Anomaly> found = Direct(history, promise, names).run()) return found;
  const bool views = promise != Promise::kSerial && promise != Promise::kDirtyReads;
  const Graph graph(history, views, promise == Promise::kStatementView, names);
  if (promise == Promise::kDirtyReads) {
    return first_cycle(graph, [](const CycleForm& form) { return !form.reads && !form.real_time; });
  }
  if (auto found = first_cycle(graph, [](const CycleForm&) { return true; })) return found;
  if (promise != Promise::kSnapshot) return std::nullopt;
  return first_cycle(Graph(history, false, false, names), [](const CycleForm& form) {
    return !form.real_time && (form.least_rw < 2 || form.apart);
  });
}

// How little it is: an anomaly that needs more comes later in the list of forms.
size_t order_of(const Anomaly& anomaly) {
  if (anomaly.empty()) return SIZE_MAX;
  size_t order = anomaly.forbidden ? 0 : std::size(kForms) + 1;
  for (size_t i = 0; i < std::size(kForms); ++i) {
    if (without_item(kForms[i].name) == without_item(anomaly.name)) order += i + 1;
  }
  return order;
}

// Where all versions are told.
Anomaly anomaly_in(const ListHistory& history, Promise promise,
                   const std::vector<std::string>& client_names) {
  if (std::optional<Anomaly> found = forbidden(history, promise, client_names)) return *found;
  if (promise == Promise::kSerial) return {};
  std::optional<Anomaly> allowed = Direct(history, Promise::kSerial, client_names).run();
  if (!allowed) {
    allowed = first_cycle(Graph(history, false, false, client_names),
                          [](const CycleForm& form) { return !form.real_time; });
  }
  if (allowed) allowed->forbidden = false;
  return allowed.value_or(Anomaly{});
}

struct Found {
  Anomaly anomaly;
  ListHistory history;  // with the order of versions in which it is the least
};

// nullopt: which orders there may be is not known.
std::optional<Found> least_of(const ListHistory& history, Promise promise,
                              const std::vector<std::string>& names) {
  std::optional<Found> least;
  for (ListHistory& one : orders_of_versions(history)) {
    Anomaly found = anomaly_in(one, promise, names);
    if (least && order_of(found) <= order_of(least->anomaly)) continue;
    least = Found{std::move(found), std::move(one)};
    if (least->anomaly.empty()) break;
  }
  return least;
}

std::optional<Found> least_of(const Input& input, const ExecutionRecord& record,
                              const std::vector<std::string>& names) {
  const IsolationLevel* level = isolation_level_of(input);
  if (level == nullptr || record.ending.kind != EndingKind::kFinished) return std::nullopt;
  const std::optional<ListHistory> history = list_history(input, record);
  return history ? least_of(*history, level->promise, names) : std::nullopt;
}

}  // namespace

Anomaly find_anomaly(const ListHistory& history, Promise promise,
                     const std::vector<std::string>& client_names) {
  std::optional<Found> least = least_of(history, promise, client_names);
  return least ? std::move(least->anomaly) : Anomaly{};
}

std::optional<Anomaly> anomaly_of(const Input& input, const ExecutionRecord& record) {
  std::optional<Found> least = least_of(input, record, client_names(input));
  if (!least) return std::nullopt;
  return std::move(least->anomaly);
}

const char* forbidden_anomalies(Promise promise) {
  switch (promise) {
    case Promise::kDirtyReads:
      return "G0, nor a lost or garbled version";
    case Promise::kStatementView:
      return "G0, G1a, G1b, G1c, nor G-single or long fork within a statement";
    case Promise::kTransactionView:
      return "G0, G1a, G1b, G1c, nor G-single or long fork within a view";
    case Promise::kSnapshot:
      return "G0, G1a, G1b, G1c, G-single, lost update, nor long fork";
    case Promise::kSerial:
      return "G0, G1a, G1b, G1c, G-single, G2-item, nor stale read";
  }
  return "";
}

bool Dependencies::is_concerned(size_t unit) const {
  bool some = false;
  for (const Dependency& edge : edges) {
    if (edge.of_cycle && (edge.from == unit || edge.to == unit)) return true;
    some = some || edge.of_cycle;
  }
  return !some;
}

std::optional<Dependencies> dependencies_of(const Input& input, const ExecutionRecord& record) {
  const std::vector<std::string> names = client_names(input);
  std::optional<Found> least = least_of(input, record, names);
  // What is wrong may be something else (statement_views.h) beside what the level allows.
  if (!least || !least->anomaly.forbidden) return std::nullopt;
  Dependencies found;
  found.anomaly = std::move(least->anomaly);
  found.history = std::move(least->history);
  const Promise promise = isolation_level_of(input)->promise;
  // By the transactions' views, as at most levels, or by whole transactions: where the cycle is.
  const bool views = promise != Promise::kSerial && promise != Promise::kDirtyReads;
  for (const bool of_views : {views, false}) {
    const Graph graph(found.history, of_views, promise == Promise::kStatementView, names);
    found.edges = graph.told(found.anomaly.lines);
    const bool has_cycle = std::ranges::any_of(found.edges, &Dependency::of_cycle);
    if (has_cycle) break;
  }
  return found;
}

}  // namespace esox
