// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/dependency_graph.h"
#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/operation_text.h"
#include "analysis/report/layout.h"
#include "analysis/report/object_names.h"
#include "analysis/report/taken_choices.h"
#include "analysis/report/timeline.h"
#include "analysis/rows.h"
#include "analysis/thread_name.h"
#include "base/text/counted.h"
#include "base/text/letters.h"

namespace esox {
namespace {

const char* headline(const Verdict& verdict) {
  switch (verdict.verdict) {
    case VerdictClass::kNone:
      return "Nothing is wrong: a serial order of the requests gives the same replies and the same "
             "state.";
    case VerdictClass::kSemantic:
      return verdict.latent
                 ? "The replies fit no serial order of the requests, and the state left behind "
                   "fits none either: a wrong answer was given and the damage stays."
                 : "The replies fit no serial order of the requests: the server gave an answer "
                   "that it could not have given running the same requests one after the other.";
    case VerdictClass::kError:
      return verdict.latent
                 ? "A request failed with an error that it gives in no serial order, and the state "
                   "left behind fits no serial order either: the damage stays."
                 : "A request failed with an error that it gives in no serial order of the "
                   "requests.";
    case VerdictClass::kLatent:
      return "The replies fit a serial order of the requests, but the state the server was left in "
             "fits none of those: no client has seen anything wrong yet, but later requests may.";
    case VerdictClass::kCrash:
      return "The server crashed.";
    case VerdictClass::kDeadlock:
      return "The server's threads wait for each other and none can go on.";
    case VerdictClass::kHang:
      return "The requests did not end within the limit of steps.";
    case VerdictClass::kSerial:
      return "The server goes wrong when it is given these requests one after the other: what was "
             "seen here needs no concurrency.";
    case VerdictClass::kDegraded:
      return "This execution was not judged: esox lost control of it, or had nothing sound to "
             "compare it with.";
  }
  return "";
}

std::string row_count(const ResultSet& result) {
  return counted(result.rows.size(), "row");
}

class ComparisonWriter {
 public:
  ComparisonWriter(const ConcreteInput& input, const ExecutionRecord& record,
                   const Verdict& verdict, const Masks& masks, Symbols& symbols,
                   const ComparisonTextOptions& options)
      : input_(input),
        record_(record),
        verdict_(verdict),
        masks_(masks),
        symbols_(symbols),
        options_(options),
        names_(client_names(input.input)) {}

  std::string run() {
    head();
    statements();
    ending();
    anomaly();
    replies();
    if (!verdict_.table.empty()) {
      table();
      differences();
    }
    forgiven();
    masked();
    return std::move(text_);
  }

 private:
  void title(const std::string& text) {
    text_ += "\n" + text + "\n" + std::string(text_width(text), '=') + "\n";
  }
  void paragraph(const std::string& text, size_t indent = 0) {
    text_ += wrapped(text, options_.width, indent);
  }
  void line(const std::string& text, size_t indent) {
    text_ += std::string(indent, ' ') + keep_start(text, options_.width - indent) + "\n";
  }

  void head() {
    std::string what = upper(class_name(verdict_.verdict));
    if (verdict_.latent && verdict_.verdict != VerdictClass::kLatent)
      what += ", with latent damage";
    text_ += what + ": " + input_.input.id;
    const std::string conditions = conditions_of(input_);
    if (!conditions.empty()) text_ += " on " + conditions;
    text_ += "\n\n";
    paragraph(has_anomaly(record_) ? "What the transactions read of each other fits no order in "
                                     "which they could have taken effect at their isolation level."
                                   : headline(verdict_));
    for (const std::string& reason : verdict_.degraded_reasons) {
      text_ += labelled("- ", printable(reason), options_.width, 2);
    }
    text_ += fmt::format("\nExecution {}, strategy {}, seed {}.\n", record_.number,
                         record_.strategy, record_.seed);
    const std::string choices = taken_choices(record_.values);
    if (choices.empty()) return;
    paragraph(fmt::format(
        "Calls were made to give what they seldom give (docs/data-choices.md): {}.", choices));
  }

  void statement_list(const char* label, const std::vector<std::string>& statements) {
    if (statements.empty()) return;
    text_ += std::string("\n") + label + "\n";
    for (const std::string& statement : statements) {
      text_ += wrapped(printable(statement) + ";", options_.width, 2);
    }
  }

  void statements() {
    title("What was run");
    if (!input_.input.title.empty()) paragraph(input_.input.title);
    statement_list("First, to set up:", input_.input.setup);
    for (const InputClient& client : input_.input.clients) {
      statement_list(("Then in the session of client " + client.name + ":").c_str(), client.setup);
    }
    text_ += "\nThen at the same time (one client each; a client's own requests in turn):\n";
    for (size_t c = 0; c < input_.input.clients.size(); ++c) {
      const auto& requests = input_.input.clients[c].requests;
      for (size_t r = 0; r < requests.size(); ++r) {
        text_ += labelled(request_name(c, r, names_) + "  ", printable(requests[r].text) + ";",
                          options_.width, 2);
      }
    }
    statement_list("Observed afterwards:", input_.input.observations);
  }

  void ending() {
    const Ending& end = record_.ending;
    if (end.kind == EndingKind::kFinished) return;
    title("How it ended");
    if (end.kind == EndingKind::kCrash) crash(end);
    if (end.kind == EndingKind::kDeadlock) deadlock(end);
    for (const std::string& detail : end.detail) line(printable(detail), 2);
  }

  void anomaly() {
    if (!has_anomaly(record_)) return;
    title("What is wrong between the transactions");
    paragraph(fmt::format("{}, which the isolation level {} forbids (docs/isolation-levels.md):",
                          record_.anomaly.name, input_.input.isolation_level));
    for (const std::string& one : record_.anomaly.lines) paragraph(one, 2);
    if (const auto dependencies = dependencies_of(input_.input, record_)) {
      title("Who did what when, and what each read saw");
      text_ += timeline_text(timeline(input_.input, record_, *dependencies), options_.width);
    }
  }

  void crash(const Ending& end) {
    text_ += end.signal != 0 ? fmt::format("Killed by signal {}.\n", end.signal)
                             : "The signal is not known.\n";
  }

  void deadlock(const Ending& end) {
    const ObjectNames objects(record_, symbols_);
    for (const WaitEdge& edge : end.wait_cycle) {
      std::string object = objects.name(edge.kind, edge.object);
      if (object.empty()) object = symbols_.module_offset(edge.object);
      const std::string holder = edge.holder == kNoThread
                                     ? "which nobody is left to end"
                                     : fmt::format("held by {}", thread_name(names_, edge.holder));
      text_ += labelled(
          "- ",
          fmt::format("{} waits to {} {}, {}; called by {}", thread_name(names_, edge.waiter),
                      operation_name(edge.kind), object, holder, symbols_.site(edge.site)),
          options_.width, 2);
    }
  }

  void replies() {
    title("What the clients were told");
    for (size_t client = 0; client < record_.outcome.outputs.size(); ++client) {
      const auto& outputs = record_.outcome.outputs[client];
      for (size_t request = 0; request < outputs.size(); ++request) {
        text_ += labelled(request_name(client, request, names_) + "  ",
                          reply_text(outputs[request], row_count), options_.width, 2);
        reply_rows(outputs[request]);
      }
    }
  }

  void reply_rows(const Output& output) {
    for (const ResultSet& result : output.results) {
      std::vector<std::string> rows;
      for (size_t i = 0; i < result.rows.size() && i <= options_.max_lines; ++i) {
        rows.push_back(row_text(result.rows[i]));
      }
      lines(rows, "", result.rows.size(), 6);
    }
  }

  // At most max_lines of a list whose whole size is `size`, each behind `mark`.
  void lines(const std::vector<std::string>& list, const std::string& mark, size_t size,
             size_t indent) {
    const size_t shown = std::min(options_.max_lines, list.size());
    for (size_t i = 0; i < shown; ++i) line(mark + list[i], indent);
    if (size > shown) line(fmt::format("{}... and {} more", mark, size - shown), indent);
  }

  // Elements at the same place of both lists are mostly the old and the new form of one.
  void difference_lines(std::vector<std::string> missing, std::vector<std::string> extra) {
    constexpr size_t kIndent = 6;
    for (size_t i = 0; i < std::min(missing.size(), extra.size()); ++i) {
      show_difference(missing[i], extra[i], options_.width - kIndent - 2);
    }
    lines(missing, "- ", missing.size(), kIndent);
    lines(extra, "+ ", extra.size(), kIndent);
  }

  // Components that are not equal in some order get a column, named S1, S2, ...
  std::vector<std::string> differing_components() const {
    std::set<std::string> names;
    for (const OrderMatch& match : verdict_.table) {
      for (const ComponentComparison& component : match.comparison.components) {
        if (component.match != ComponentMatch::kEqual) names.insert(component.name);
      }
    }
    return {names.begin(), names.end()};
  }

  size_t component_count() const {
    size_t count = 0;
    for (const OrderMatch& match : verdict_.table) {
      count = std::max(count, match.comparison.components.size());
    }
    return count;
  }

  static const char* word(ComponentMatch match) {
    if (match == ComponentMatch::kEqual) return "yes";
    return match == ComponentMatch::kDifferent ? "NO" : "?";
  }

  void table() {
    title("Does a serial order explain it?");
    const bool every = has_every_order();
    paragraph(fmt::format(
        "The same requests were executed on the same server from the same state, one after the "
        "other, in {} that keep{} each client's own sequence. The concurrent execution is "
        "correct if one order below that was possible gives the same reply to every request and "
        "the same state: a line with yes everywhere.",
        every ? "every order" : "the orders told below, of more", every ? "s" : ""));
    if (has_anomaly(record_)) {
      paragraph(
          "Here such a line would excuse nothing: the server that is accused has executed the "
          "orders, too.");
    }
    text_ += "\n";
    const auto components = differing_components();
    table_title(components);
    for (size_t i = 0; i < verdict_.table.size(); ++i) table_row(i, components);
    text_ += "\n";
    for (size_t i = 0; i < components.size(); ++i) {
      line(fmt::format("S{} = state of {}", i + 1, printable(components[i])), 2);
    }
    const size_t equal = component_count() - std::min(component_count(), components.size());
    if (equal > 0) {
      line(fmt::format("{} of the state {} equal in every order.", counted(equal, "other part"),
                       equal == 1 ? "is" : "are"),
           2);
    }
  }

  // Of an input with many orders those are told that its search went through to the end.
  bool has_every_order() const {
    std::vector<size_t> counts;
    for (const auto& outputs : record_.outcome.outputs) counts.push_back(outputs.size());
    return !all_orders(counts, std::max<size_t>(verdict_.table.size(), 1)).too_many;
  }

  size_t order_width() const {
    size_t width = 5;
    for (const OrderMatch& match : verdict_.table) {
      width = std::max(width, text_width(order_name(match.order, match.without, names_)));
    }
    return std::min<size_t>(width, 40) + 3;
  }

  void table_title(const std::vector<std::string>& components) {
    std::string first = padded("", order_width() + 2) + "| same reply to";
    std::string second = "  " + padded("order", order_width()) + "| ";
    const std::vector<std::string> requests = all_requests();
    for (const std::string& request : requests) second += padded(request, 5);
    const size_t reply_end = std::max(text_width(second), text_width(first)) + 1;
    first = padded(first, reply_end) + "| same state ";
    second = padded(second, reply_end) + "| ";
    if (components.empty()) second += "all  ";
    for (size_t i = 0; i < components.size(); ++i) second += padded(fmt::format("S{}", i + 1), 5);
    const size_t state_end = std::max(text_width(first), text_width(second));
    reply_end_ = reply_end;
    state_end_ = state_end;
    text_ += padded(first, state_end) + "| was this order\n";
    text_ += padded(second, state_end) + "| possible?\n";
    text_ += "  " + std::string(state_end + 14, '-') + "\n";
  }

  std::vector<std::string> all_requests() const {
    std::vector<std::string> list;
    for (size_t client = 0; client < record_.outcome.outputs.size(); ++client) {
      for (size_t r = 0; r < record_.outcome.outputs[client].size(); ++r) {
        list.push_back(request_name(client, r, names_));
      }
    }
    return list;
  }

  void table_row(size_t i, const std::vector<std::string>& components) {
    const OrderMatch& match = verdict_.table[i];
    std::string row = "  " + padded(keep_start(order_name(match.order, match.without, names_), 40),
                                    order_width());
    if (!match.infeasible.empty()) {
      text_ += row + "| not executed: " + printable_cut(match.infeasible, 80) + "\n";
      return;
    }
    row += "| ";
    for (const RequestComparison& request : match.comparison.requests) {
      row += padded(request.equal() ? "yes" : "NO", 5);
    }
    row = padded(row, reply_end_) + "| ";
    if (components.empty()) row += "yes";
    for (const std::string& name : components) row += padded(state_word(match, name), 5);
    row = padded(row, state_end_) + "| ";
    row += match.allowed ? "yes" : "no: a request was answered before one placed earlier began";
    text_ += row + "\n";
  }

  static const char* state_word(const OrderMatch& match, const std::string& name) {
    for (const ComponentComparison& component : match.comparison.components) {
      if (component.name == name) return word(component.match);
    }
    return "yes";  // not in either
  }

  void differences() {
    bool first = true;
    for (const OrderMatch& match : verdict_.table) {
      if (!match.infeasible.empty() || match.comparison.fully_matches()) continue;
      if (first) {
        title("What differs");
        paragraph(
            "Lines with - are what the serial order gives and the concurrent execution did not; "
            "lines with + are what the concurrent execution gave and the serial order does not.");
        first = false;
      }
      text_ += "\nCompared with the order " + order_name(match.order, match.without, names_);
      text_ += match.allowed ? ":\n" : " (which was not possible, shown for the picture):\n";
      for (const RequestComparison& request : match.comparison.requests) request_lines(request);
      for (const ComponentComparison& component : match.comparison.components) {
        component_lines(component);
      }
    }
  }

  void request_lines(const RequestComparison& request) {
    if (request.equal()) return;
    line("reply to " + request_name(request.client, request.request, names_), 2);
    if (!request.note.empty()) paragraph("(" + request.note + ")", 4);
    for (const OutputDifference& difference : request.differences) {
      std::string what = part_name(difference.part);
      if (request_has_results(request) && difference.result > 0) {
        what += fmt::format(" of result {}", difference.result + 1);
      }
      line(what + ":", 4);
      if (difference.missing.empty() && difference.extra.empty()) {
        difference_lines({difference.serial}, {difference.concurrent});
      } else {
        difference_lines(difference.missing, difference.extra);
      }
    }
  }

  bool request_has_results(const RequestComparison& request) const {
    return request.client < record_.outcome.outputs.size() &&
           request.request < record_.outcome.outputs[request.client].size() &&
           record_.outcome.outputs[request.client][request.request].results.size() > 1;
  }

  void component_lines(const ComponentComparison& component) {
    if (component.match == ComponentMatch::kEqual) return;
    line("state of " + printable(component.name), 2);
    if (!component.note.empty()) paragraph("(" + component.note + ")", 4);
    difference_lines(component.missing, component.extra);
  }

  // Of an accepted execution what it took; of another what the rules hid in each order.
  void forgiven() {
    std::set<std::string> seen;
    for (const ForgivenPlace& place : verdict_.forgiven) {
      seen.insert(fmt::format("{}: {}", place.rule, place_name(place, names_)));
    }
    for (const OrderMatch& match : verdict_.table) {
      if (!verdict_.matched.empty() || !match.infeasible.empty()) continue;
      for (const ForgivenPlace& place : forgiven_in(match.comparison)) {
        seen.insert(fmt::format("{}: {}  [{}]", place.rule, place_name(place, names_),
                                order_name(match.order, match.without, names_)));
      }
    }
    if (seen.empty()) return;
    title("What filters hid");
    paragraph(
        "These differences do not count, by a rule of the tester's (docs/filters.md). The rule's "
        "name comes first:");
    for (const std::string& text : seen) paragraph(printable(text), 2);
  }

  void masked() {
    if (masks_.empty()) return;
    title("What was not compared");
    paragraph(
        "Each serial order was executed twice. These places differed between two equal runs (a "
        "clock, a random value, an identifier), so they cannot be evidence:");
    for (const NamedMask& mask : mask_names(masks_, names_)) {
      line(fmt::format("{} (in {})", printable(mask.name), counted(mask.orders, "order")), 2);
    }
  }

  const ConcreteInput& input_;
  const ExecutionRecord& record_;
  const Verdict& verdict_;
  const Masks& masks_;
  Symbols& symbols_;
  const ComparisonTextOptions& options_;
  std::vector<std::string> names_;
  size_t reply_end_ = 0;  // where the table's columns of state begin
  size_t state_end_ = 0;
  std::string text_;
};

}  // namespace

std::string comparison_text(const ConcreteInput& input, const ExecutionRecord& record,
                            const Verdict& verdict, const Masks& masks, Symbols& symbols,
                            const ComparisonTextOptions& options) {
  return ComparisonWriter(input, record, verdict, masks, symbols, options).run();
}

}  // namespace esox
