// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/rows.h"
#include "analysis/tolerance.h"
#include "analysis/transactions.h"
#include "base/text/enum_names.h"

namespace esox {
namespace {

constexpr const char* kClassNames[] = {"none",     "semantic", "error",    "latent", "crash",
                                       "deadlock", "hang",     "degraded", "serial"};

class Judge {
 public:
  Judge(const ExecutionRecord& record, std::span<const SerialRun> runs, const Masks& masks,
        Orders others, const Forgiveness& forgiveness)
      : record_(record), runs_(runs), masks_(masks), others_(others), forgiveness_(forgiveness) {
    undone_ = undone_requests(record.units);
  }

  Verdict run() {
    if (!ending_decides()) decide_by_orders();
    return std::move(verdict_);
  }

 private:
  void degrade(std::string reason) {
    verdict_.verdict = VerdictClass::kDegraded;
    verdict_.latent = false;
    verdict_.degraded_reasons.push_back(std::move(reason));
  }

  bool ending_decides() {
    verdict_.degraded_reasons = record_.degraded_reasons;
    const EndingKind kind = record_.ending.kind;
    if (kind == EndingKind::kCrash) {
      verdict_.verdict = VerdictClass::kCrash;
      return true;
    }
    if (kind == EndingKind::kDegraded || !record_.degraded_reasons.empty()) {
      verdict_.verdict = VerdictClass::kDegraded;
      if (record_.degraded_reasons.empty()) degrade("the execution ended without control");
      return true;
    }
    if (kind == EndingKind::kDeadlock) verdict_.verdict = VerdictClass::kDeadlock;
    if (kind == EndingKind::kHang) verdict_.verdict = VerdictClass::kHang;
    return kind != EndingKind::kFinished;
  }

  void decide_by_orders() {
    fill_table({});
    if (verdict_.matched.empty() && !forgiveness_.empty()) {
      fill_table(forgiveness_);
      name_forgiven();
    }
    if (has_anomaly(record_)) {
      verdict_.matched.clear();
      verdict_.forgiven.clear();
      verdict_.verdict = VerdictClass::kSemantic;
      return;
    }
    if (!verdict_.matched.empty()) return;  // accepted
    if (none_usable() && !let_others_stand_in()) return degrade(no_order_reason());
    if (others_ == Orders::kAsGiven && some_allowed_order_is_missing()) {
      return degrade("serial orders that real time allows were not executed, and none of the " +
                     std::to_string(runs_.size()) + " others matches");
    }
    if (const std::string why = undecided_tolerance(); !why.empty()) return degrade(why);
    if (some_outputs_match()) {
      classify_state();
    } else {
      verdict_.verdict = new_error() ? VerdictClass::kError : VerdictClass::kSemantic;
      verdict_.latent = state_matches_no_order();
    }
  }

  void fill_table(const Forgiveness& forgiveness) {
    verdict_.table.clear();
    if (!forgiveness.empty()) tolerated_ = tolerated_requests(record_, runs_, forgiveness);
    const RequestSet both = undone_or_tolerated();
    for (const SerialRun& run : runs_) {
      OrderMatch match = match_of(run, both, forgiveness);
      if (match.explains()) verdict_.matched.push_back(verdict_.table.size());
      verdict_.table.push_back(std::move(match));
    }
  }

  RequestSet undone_or_tolerated() const {
    RequestSet both = undone_;
    both.insert(tolerated_.begin(), tolerated_.end());
    return both;
  }

  // The replies to what was undone or is tolerated are not compared; the order was executed without
  // these requests. Nor are those that were cut off. `both`: undone and tolerated.
  OrderMatch match_of(const SerialRun& run, const RequestSet& both,
                      const Forgiveness& forgiveness) const {
    OrderMatch match;
    match.order = run.order;
    match.without = run.without;
    match.tolerates = run.without != undone_;
    match.allowed =
        (!match.tolerates || run.without == both) && is_possible(record_, run.order, run.without);
    match.infeasible = run.infeasible;
    if (!run.infeasible.empty()) return match;
    RequestSet not_compared = run.without;
    not_compared.insert(record_.cut_off.begin(), record_.cut_off.end());
    if (not_compared.empty()) {
      match.comparison = compare(record_.outcome, run.first, masks_, forgiveness);
      return match;
    }
    Outcome rest = record_.outcome;
    for (const RequestId& id : not_compared) {
      rest.outputs[id.client][id.request] = run.first.outputs[id.client][id.request];
    }
    match.comparison = compare(rest, run.first, masks_, forgiveness);
    return match;
  }

  // Of the order that took the fewest rules, the first of several.
  void name_forgiven() {
    const auto count = [&](size_t i) {
      const OrderMatch& match = verdict_.table[i];
      return match.comparison.forgiven() + match.without.size();
    };
    std::ranges::stable_sort(verdict_.matched,
                             [&](size_t a, size_t b) { return count(a) < count(b); });
    if (verdict_.matched.empty()) return;
    const OrderMatch& match = verdict_.table[verdict_.matched.front()];
    verdict_.forgiven = forgiven_in(match.comparison);
    for (const RequestId& id : match.without) {
      if (!undone_.contains(id)) name_tolerated(id);
    }
  }

  void name_tolerated(const RequestId& id) {
    const Output& output = record_.outcome.outputs[id.client][id.request];
    const auto rules = forgiveness_.tolerating(id.client, id.request, output);
    if (rules.empty()) return;  // undone with a later one, whose error is tolerated
    const Rule& rule = *rules.front();
    const std::string failure = output.error == 0 ? "a failure, told in a row"
                                                  : fmt::format("error {} ({})", output.error,
                                                                printable_cut(output.message, 100));
    verdict_.forgiven.push_back(
        {rule.name, id, "", failure + ", and all else is as without the request"});
  }

  // Whether an order without the tolerated requests might explain the execution, but was not
  // executed or cannot be compared: why. Empty: it is known.
  std::string undecided_tolerance() const {
    const RequestSet both = undone_or_tolerated();
    if (both == undone_) return "";
    std::set<Order> given;
    for (const OrderMatch& match : verdict_.table) {
      if (!match.tolerates || match.without != both) continue;
      given.insert(match.order);
      const bool unknown = match.allowed && match.infeasible.empty() &&
                           match.comparison.outputs_match() && !match.comparison.state_differs();
      if (unknown) return "the state could not be compared with " + order_name(match.order, both);
    }
    const Linearizations allowed = possible_orders(record_, both, runs_.size() + 1);
    const bool all = std::ranges::all_of(allowed.orders,
                                         [&](const Order& order) { return given.contains(order); });
    if (all && !allowed.too_many) return "";
    return "serial orders without a request whose error a filter tolerates were not executed";
  }

  bool none_usable() const { return std::ranges::none_of(verdict_.table, &OrderMatch::usable); }

  // Where requests wait for each other for ever in every order of all of them, those without the
  // tolerated ones say what the rest should have given. False: there are none.
  bool let_others_stand_in() {
    for (OrderMatch& match : verdict_.table) match.stands_in = match.tolerates;
    others_stand_in_ = !none_usable();
    return others_stand_in_;
  }

  std::string no_order_reason() const {
    for (const OrderMatch& match : verdict_.table) {
      if (match.allowed && !match.infeasible.empty()) {
        return "no serial order could be executed: " + match.infeasible;
      }
    }
    return fmt::format(
        "no serial order could be executed: none of the {} given keeps the observed "
        "real-time order",
        runs_.size());
  }

  // If all allowed orders were handed in there are at most as many as runs; asking for one more
  // than that bounds the enumeration.
  bool some_allowed_order_is_missing() const {
    std::set<Order> given;
    for (const SerialRun& run : runs_) {
      if (run.without == undone_) given.insert(run.order);
    }
    const Linearizations allowed = possible_orders(record_, undone_, runs_.size() + 1);
    return allowed.too_many || std::ranges::any_of(allowed.orders, [&](const Order& order) {
             return !given.contains(order);
           });
  }

  bool some_outputs_match() const {
    return std::ranges::any_of(verdict_.table, [](const OrderMatch& m) {
      return m.usable() && m.comparison.outputs_match();
    });
  }

  // One that real time allows.
  bool some_order_is_blocked() const {
    return others_ == Orders::kBlocked || std::ranges::any_of(verdict_.table, [](const auto& m) {
             return m.allowed && !m.tolerates && !m.infeasible.empty();
           });
  }

  // The replies fit at least one order and no order explains all. Where the state of such an order
  // differs in no available component, an unavailable one decides: then nobody can say.
  void classify_state() {
    const bool blocked = some_order_is_blocked();
    for (const OrderMatch& match : verdict_.table) {
      if (!match.usable() || !match.comparison.outputs_match()) continue;
      if (blocked && match.comparison.holds_no_more()) {
        return degrade(
            "an order that real time allows could not be executed, and nobody knows what sessions "
            "hold after it");
      }
      if (match.comparison.state_differs()) continue;
      for (const ComponentComparison& component : match.comparison.components) {
        if (component.match == ComponentMatch::kUnavailable) {
          return degrade("component " + component.name + " " + component.note);
        }
      }
    }
    verdict_.verdict = VerdictClass::kLatent;
    verdict_.latent = true;
  }

  bool state_matches_no_order() const {
    return std::ranges::all_of(verdict_.table, [](const OrderMatch& m) {
      return !m.usable() || m.comparison.state_differs();
    });
  }

  // True if some request returned an error number that it returns in no usable order.
  bool new_error() const {
    for (size_t client = 0; client < record_.outcome.outputs.size(); ++client) {
      const auto& outputs = record_.outcome.outputs[client];
      for (size_t request = 0; request < outputs.size(); ++request) {
        const OutputPlace place{client, request, OutputPart::kError};
        if (outputs[request].error == 0 || masks_.hides(place)) continue;
        if (others_stand_in_ && tolerated_.contains({client, request})) continue;
        if (!returned_in_some_order(client, request, outputs[request].error)) return true;
      }
    }
    return false;
  }

  bool returned_in_some_order(size_t client, size_t request, uint32_t error) const {
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (!verdict_.table[i].usable()) continue;
      const auto& outputs = runs_[i].first.outputs;
      if (client < outputs.size() && request < outputs[client].size() &&
          outputs[client][request].error == error) {
        return true;
      }
    }
    return false;
  }

  const ExecutionRecord& record_;
  std::span<const SerialRun> runs_;
  const Masks& masks_;
  Orders others_;
  const Forgiveness& forgiveness_;
  RequestSet undone_;  // with their transactions, where these are judged
  RequestSet tolerated_;
  bool others_stand_in_ = false;
  Verdict verdict_;
};

}  // namespace

const char* class_name(VerdictClass c) {
  return name_in(kClassNames, c);
}

std::optional<VerdictClass> class_from_name(const std::string& name) {
  return value_in<VerdictClass>(kClassNames, name);
}

Verdict judge(const ExecutionRecord& record, std::span<const SerialRun> serial_runs,
              const Masks& masks, Orders others, const Forgiveness& forgiveness) {
  return Judge(record, serial_runs, masks, others, forgiveness).run();
}

std::vector<ForgivenPlace> forgiven_in(const Comparison& comparison) {
  std::vector<ForgivenPlace> places;
  for (const RequestComparison& request : comparison.requests) {
    for (const Forgiven& one : request.forgiven) {
      places.push_back({one.rule, RequestId{request.client, request.request}, "", one.what});
    }
  }
  for (const ComponentComparison& component : comparison.components) {
    for (const Forgiven& one : component.forgiven) {
      places.push_back({one.rule, std::nullopt, component.name, one.what});
    }
  }
  return places;
}

std::string place_name(const ForgivenPlace& place, const std::vector<std::string>& client_names) {
  if (!place.request && place.component.empty()) return place.what;
  const std::string where =
      place.request ? "the reply to " +
                          request_name(place.request->client, place.request->request, client_names)
                    : "the state of " + printable(place.component);
  return where + ": " + place.what;
}

int Verdict::nearest() const {
  using Distance = std::tuple<bool, size_t, size_t>;
  int best = -1;
  Distance best_distance;
  for (size_t i = 0; i < table.size(); ++i) {
    if (!table[i].usable()) continue;
    const Comparison& comparison = table[i].comparison;
    const Distance distance{verdict == VerdictClass::kLatent && !comparison.outputs_match(),
                            comparison.differing_requests(), comparison.differing_components()};
    if (best < 0 || distance < best_distance) {
      best = static_cast<int>(i);
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace esox
