// SPDX-License-Identifier: Apache-2.0
#include "analysis/cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>

#include "analysis/operation_text.h"
#include "analysis/rows.h"
#include "summaries/digest.h"
#include "summaries/garbled.h"

namespace esox {
namespace {

constexpr size_t kTopFrames = 4;

// Frames through which every abort goes; what called them is what broke.
bool is_abort_machinery(const std::string& function) {
  static const std::set<std::string_view> kNames = {"raise",
                                                    "gsignal",
                                                    "abort",
                                                    "__assert_fail",
                                                    "__assert_fail_base",
                                                    "__pthread_kill",
                                                    "pthread_kill",
                                                    "__pthread_kill_implementation",
                                                    "tgkill",
                                                    "handle_fatal_signal",
                                                    "my_print_stacktrace",
                                                    "__restore_rt"};
  return kNames.contains(function);
}

std::string rows_manner(const OutputDifference& difference) {
  std::vector<std::string> ways;
  if (!difference.missing.empty()) ways.emplace_back("missing");
  if (!difference.extra.empty()) ways.emplace_back("extra");
  return fmt::format("result {} {} {}", difference.result + 1, part_name(difference.part),
                     fmt::join(ways, " and "));
}

const Output* output_at(const Outcome& outcome, const RequestComparison& request) {
  if (request.client >= outcome.outputs.size()) return nullptr;
  const auto& outputs = outcome.outputs[request.client];
  return request.request < outputs.size() ? &outputs[request.request] : nullptr;
}

std::string manner(const OutputDifference& difference, const Output* output) {
  switch (difference.part) {
    case OutputPart::kAnswered:
    case OutputPart::kError:
      if (output == nullptr || !output->answered) return "no reply";
      if (output->error == 0) return "success instead of an error";
      return fmt::format("error {}", output->error);
    case OutputPart::kRows:
    case OutputPart::kWarnings:
      return rows_manner(difference);
    default:
      return part_name(difference.part);
  }
}

std::string component_manner(const ComponentComparison& component) {
  std::vector<std::string> ways;
  if (!component.missing.empty()) ways.emplace_back("missing");
  if (!component.extra.empty()) ways.emplace_back("extra");
  if (ways.empty()) ways.emplace_back("order");
  return fmt::format("{}", fmt::join(ways, " and "));
}

std::string outcome_text(const ExecutionRecord& record, const Verdict& verdict,
                         const std::vector<std::string>& client_names) {
  if (has_anomaly(record)) return fmt::format("anomaly {}\n", record.anomaly.name);
  const int nearest = verdict.nearest();
  if (nearest < 0) return "";
  std::string text;
  const Comparison& comparison = verdict.table[static_cast<size_t>(nearest)].comparison;
  for (const RequestComparison& request : comparison.requests) {
    for (const OutputDifference& difference : request.differences) {
      text +=
          fmt::format("reply {}: {}\n", request_name(request.client, request.request, client_names),
                      manner(difference, output_at(record.outcome, request)));
    }
  }
  for (const ComponentComparison& component : comparison.components) {
    if (component.match != ComponentMatch::kDifferent) continue;
    text +=
        fmt::format("component {}: {}\n", printable(component.name), component_manner(component));
  }
  return text;
}

std::string crash_text(const Ending& ending, Symbols& symbols) {
  std::string text = fmt::format("signal {}\n", ending.signal);
  size_t shown = 0;
  for (uint64_t address : ending.stack) {
    const std::string& function = symbols.function(address);
    if (is_abort_machinery(function)) continue;
    text += "frame " + function + "\n";
    if (++shown == kTopFrames) break;
  }
  return text;
}

std::string deadlock_text(const Ending& ending, Symbols& symbols) {
  std::multiset<std::string> waits;
  for (const WaitEdge& edge : ending.wait_cycle) {
    waits.insert(
        fmt::format("waits: {} at {}\n", operation_name(edge.kind), symbols.site(edge.site)));
  }
  return fmt::format("{}", fmt::join(waits, ""));
}

std::string unfinished_text(const ExecutionRecord& record,
                            const std::vector<std::string>& client_names) {
  std::string text;
  for (size_t client = 0; client < record.stamps.size(); ++client) {
    for (size_t request = 0; request < record.stamps[client].size(); ++request) {
      if (record.stamps[client][request].response != kNever) continue;
      text += "unfinished: " + request_name(client, request, client_names) + "\n";
      break;
    }
  }
  return text;
}

std::string garbled_text(const ExecutionRecord& record,
                         const std::vector<std::string>& client_names) {
  std::string text;
  const auto& outputs = record.outcome.outputs;
  for (size_t client = 0; client < outputs.size(); ++client) {
    for (size_t request = 0; request < outputs[client].size(); ++request) {
      if (!is_garbled(outputs[client][request])) continue;
      text += fmt::format("reply {}: none\n", request_name(client, request, client_names));
    }
  }
  return text;
}

}  // namespace

std::string ending_facts(const ExecutionRecord& record, Symbols& symbols,
                         const std::vector<std::string>& client_names) {
  switch (record.ending.kind) {
    case EndingKind::kCrash:
      return crash_text(record.ending, symbols);
    case EndingKind::kDeadlock:
      return deadlock_text(record.ending, symbols);
    case EndingKind::kHang:
      return unfinished_text(record, client_names);
    default:
      return garbled_text(record, client_names);
  }
}

Cause serial_cause(const std::string& facts) {
  const std::string text = fmt::format("class {}\n{}", class_name(VerdictClass::kSerial), facts);
  return {text, cause_id(text)};
}

Cause cause_of(const ExecutionRecord& record, const Verdict& verdict, Symbols& symbols,
               const std::vector<std::string>& client_names) {
  Cause cause;
  cause.text =
      fmt::format("class {}{}\n", class_name(verdict.verdict), verdict.latent ? ", latent" : "");
  const bool finished = record.ending.kind == EndingKind::kFinished;
  cause.text += finished ? outcome_text(record, verdict, client_names)
                         : ending_facts(record, symbols, client_names);
  cause.id = cause_id(cause.text);
  return cause;
}

std::string cause_id(const std::string& text) {
  return short_hex(text);
}

std::string finding_id(const std::string& input_id, const std::string& engine, const Cause& cause) {
  return short_hex(input_id + '\n' + engine + '\n' + cause.id);
}

}  // namespace esox
