// SPDX-License-Identifier: Apache-2.0
#include "harness/records/synopsis.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/finding.h"
#include "analysis/gravity.h"
#include "analysis/linearization.h"
#include "analysis/report/layout.h"
#include "analysis/rows.h"
#include "analysis/serial_run.h"
#include "analysis/symbols.h"
#include "analysis/thread_name.h"
#include "base/text/counted.h"
#include "harness/records/ending_stacks.h"
#include "summaries/garbled.h"
#include "targets/registry.h"
#include "targets/target.h"

namespace esox {
namespace {

constexpr size_t kValues = 6;  // rows or elements named in one line
constexpr size_t kValueWidth = 70;
constexpr size_t kEndLines = 4;  // of the detail of a crash, a deadlock, a hang
constexpr size_t kDigestDigits = 32;
constexpr size_t kUnequalReplyWidth = 80;

// One place that differs, with both sides in words.
struct Difference {
  std::string where;
  std::string expected;
  std::string seen;
  std::string line;  // all of it
};

bool is_digest(const std::string& text, size_t at) {
  if (at + kDigestDigits > text.size()) return false;
  return std::all_of(text.begin() + static_cast<ptrdiff_t>(at),
                     text.begin() + static_cast<ptrdiff_t>(at + kDigestDigits),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// An element's text without what only machines read: digests, and line ends spelt out.
std::string readable(std::string text) {
  for (size_t at = text.find(", "); at != std::string::npos; at = text.find(", ", at + 1)) {
    if (is_digest(text, at + 2)) text.erase(at, 2 + kDigestDigits);
  }
  for (size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at)) {
    text.replace(at, 2, " ");
  }
  return text;
}

std::string values_text(const std::vector<std::string>& values) {
  std::string text;
  for (size_t i = 0; i < values.size() && i < kValues; ++i) {
    text += (i > 0 ? " " : "") + ("(" + keep_start(readable(values[i]), kValueWidth) + ")");
  }
  if (values.size() > kValues) text += fmt::format(" and {} more", values.size() - kValues);
  return text;
}

// "A cached = x" and "A cached = y" are two values of one key.
std::string common_key(const std::string& a, const std::string& b) {
  const size_t end = a.find(" = ");
  if (end == std::string::npos || b.compare(0, end + 3, a, 0, end + 3) != 0) return "";
  return a.substr(0, end);
}

Difference of_values(const std::string& where, const std::string& expected,
                     const std::string& seen) {
  return {where, expected, seen, fmt::format("{}: {} instead of {}", where, seen, expected)};
}

// Missing elements were expected, extra ones seen.
Difference of_lists(std::string where, const std::vector<std::string>& missing,
                    const std::vector<std::string>& extra) {
  if (missing.size() == 1 && extra.size() == 1) {
    const std::string key = common_key(missing[0], extra[0]);
    const size_t skip = key.empty() ? 0 : key.size() + 3;
    if (!key.empty()) where += ", " + key;
    return of_values(where, readable(missing[0].substr(skip)), readable(extra[0].substr(skip)));
  }
  if (missing.empty() && extra.empty()) {
    return {where, "another order", "this one", where + ": in another order"};
  }
  const std::string lost = values_text(missing);
  const std::string more = values_text(extra);
  if (extra.empty()) return {where, lost, "none of these", where + ": " + lost + " missing"};
  if (missing.empty()) {
    return {where, "nothing more", "too much: " + more, where + ": " + more + " too much"};
  }
  return {where, lost, "instead: " + more, fmt::format("{}: {} instead of {}", where, more, lost)};
}

// The gravest first.
std::vector<Difference> differences(const Comparison& comparison,
                                    const std::vector<std::string>& names,
                                    const std::string& server) {
  std::vector<Difference> list;
  for (const GraveDifference& one : by_gravity(comparison)) {
    if (one.component != nullptr) {
      list.push_back(of_lists(component_in_words(one.component->name, server),
                              one.component->missing, one.component->extra));
      continue;
    }
    const OutputDifference& reply = *one.reply;
    const std::string where = fmt::format(
        "the reply to {} ({})", request_name(one.request->client, one.request->request, names),
        part_name(reply.part));
    list.push_back(reply.missing.empty() && reply.extra.empty()
                       ? of_values(where, reply.serial, reply.concurrent)
                       : of_lists(where, reply.missing, reply.extra));
  }
  return list;
}

// What of an ending tells most: the first lines of its detail that are no headings.
// The server's own function in which the client waits; empty: not known.
std::string waits_in(const ExecutionRecord& record, const std::string& client, uint64_t site) {
  std::vector<std::string> frames =
      stack_from(record.ending.detail, client, Symbols(record.modules).module_offset(site));
  std::erase_if(frames, [](const std::string& frame) {
    return frame.starts_with("pthread_") || frame.starts_with("__");
  });
  return nearest_name(frames, record.modules);
}

std::vector<std::string> deadlock_lines(const ExecutionRecord& record,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const WaitEdge& edge : record.ending.wait_cycle) {
    if (lines.size() == kEndLines) break;
    const std::string client = thread_name(names, edge.waiter);
    const std::string function = waits_in(record, client, edge.site);
    lines.push_back(fmt::format(
        "{} waits{}{}, {}", client, function.empty() ? "" : " in ", function,
        edge.holder == kNoThread ? "for what nobody is left to end"
                                 : "for what " + thread_name(names, edge.holder) + " has"));
  }
  return lines;
}

std::vector<std::string> ending_lines(const ExecutionRecord& record,
                                      const std::vector<std::string>& names) {
  const Ending& ending = record.ending;
  if (!ending.wait_cycle.empty()) return deadlock_lines(record, names);
  std::vector<std::string> lines;
  for (const std::string& detail : ending.detail) {
    if (lines.size() == kEndLines) break;
    if (detail.empty() || detail.back() == ':') continue;
    lines.push_back(keep_start(printable(detail.substr(0, detail.find('\n'))), kReportWidth));
  }
  return lines;
}

std::vector<std::string> anomaly_lines(const Anomaly& anomaly) {
  std::vector<std::string> lines;
  for (const std::string& line : anomaly.lines) {
    if (lines.size() < kEndLines) lines.push_back(keep_start(printable(line), kReportWidth));
  }
  return lines;
}

// Of an execution that came to its end, with replies that cannot be read.
std::vector<std::string> garbled_lines(const Outcome& outcome,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (size_t c = 0; c < outcome.outputs.size(); ++c) {
    for (size_t r = 0; r < outcome.outputs[c].size(); ++r) {
      const Output& output = outcome.outputs[c][r];
      if (!is_garbled(output) || lines.size() == kEndLines) continue;
      lines.push_back(keep_start(fmt::format("wrong:    the reply to {}: {}",
                                             request_name(c, r, names), printable(output.message)),
                                 kReportWidth));
    }
  }
  return lines;
}

// The sides of a difference between two serial runs.
std::pair<std::string, std::string> both_sides(const OutputDifference& one) {
  if (one.missing.empty() && one.extra.empty()) return {one.serial, one.concurrent};
  auto missing = one.missing;
  auto extra = one.extra;
  for (size_t i = 0; i < std::min(missing.size(), extra.size()); ++i) {
    show_difference(missing[i], extra[i], kValueWidth);
  }
  const auto side = [](const std::vector<std::string>& values) {
    return values.empty() ? std::string("none") : values_text(values);
  };
  return {side(missing), side(extra)};
}

std::string rows_text(const ResultSet& result) {
  std::vector<std::string> rows;
  for (const Row& row : result.rows) rows.push_back(row_text(row));
  const std::string count = counted(result.rows.size(), "row");
  return rows.empty() ? count : count + ": " + values_text(rows);
}

}  // namespace

std::vector<std::string> statement_lines(const Input& input, size_t limit) {
  std::vector<std::string> lines;
  size_t all = 0;
  const auto names = client_names(input);
  for (size_t c = 0; c < input.clients.size(); ++c) {
    for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
      if (++all > limit) continue;
      const std::string& text = input.clients[c].requests[r].text;
      lines.push_back(
          keep_start(fmt::format("{}: {}", request_name(c, r, names), printable_cut(text, 400)),
                     kReportWidth));
    }
  }
  if (all > limit) lines.back() = fmt::format("and {} more requests", all - limit + 1);
  return lines;
}

std::vector<std::string> explanation_lines(const Input& input, const ExecutionRecord& record,
                                           const Verdict& verdict) {
  if (has_anomaly(record)) return anomaly_lines(record.anomaly);
  const auto names = client_names(input);
  const int nearest = verdict.nearest();
  if (nearest < 0) return ending_lines(record, names);
  if (verdict.verdict == VerdictClass::kSerial) return garbled_lines(record.outcome, names);
  const OrderMatch& match = verdict.table[static_cast<size_t>(nearest)];
  const std::vector<Difference> all = differences(match.comparison, names, input.server());
  if (all.empty()) return {};
  std::vector<std::string> lines = {
      "wrong:    " + all[0].where,
      fmt::format("expected: {}  [as after {}, the nearest serial order]",
                  keep_start(all[0].expected, kReportWidth - 50),
                  order_name(match.order, match.without, names)),
      "seen:     " + all[0].seen};
  for (std::string& line : lines) line = keep_start(line, kReportWidth);
  if (all.size() > 1) lines.push_back("and " + counted(all.size() - 1, "more difference"));
  return lines;
}

std::string headline(const Input& input, const ExecutionRecord& record, const Verdict& verdict) {
  if (has_anomaly(record)) {
    return fmt::format("{}, which the isolation level {} forbids", record.anomaly.name,
                       input.isolation_level);
  }
  const auto names = client_names(input);
  const int nearest = verdict.nearest();
  if (verdict.verdict != VerdictClass::kSerial && nearest >= 0) {
    const Comparison& comparison = verdict.table[static_cast<size_t>(nearest)].comparison;
    const auto all = differences(comparison, names, input.server());
    if (!all.empty()) return keep_start(all[0].line, kReportWidth);
  }
  std::string text = class_in_words(verdict.verdict, verdict.latent);
  const std::vector<std::string> more = explanation_lines(input, record, verdict);
  if (!more.empty()) text += " " + more.front();
  return keep_start(text, kReportWidth);
}

std::vector<std::string> unequal_reply_lines(const Input& input, std::span<const SerialRun> runs,
                                             size_t limit) {
  const auto names = client_names(input);
  std::vector<std::string> lines;
  std::set<std::pair<size_t, size_t>> told;  // requests
  for (const SerialRun& run : runs) {
    if (!run.infeasible.empty()) continue;
    for (const RequestComparison& request : compare(run.second, run.first, {}).requests) {
      if (request.equal() || lines.size() == limit) continue;
      if (!told.emplace(request.client, request.request).second) continue;
      const OutputDifference& first = request.differences.front();
      auto [one, other] = both_sides(first);
      show_difference(one, other, kUnequalReplyWidth);
      lines.push_back(fmt::format("{} ({}) in {}: {} in one run, {} in another",
                                  request_name(request.client, request.request, names),
                                  part_name(first.part), order_name(run.order, run.without, names),
                                  keep_start(one, kUnequalReplyWidth),
                                  keep_start(other, kUnequalReplyWidth)));
    }
  }
  return lines;
}

std::string class_in_words(VerdictClass verdict, bool latent) {
  const char* end = latent ? ", and the state left behind is wrong." : ".";
  switch (verdict) {
    case VerdictClass::kSemantic:
      return fmt::format("A wrong answer was given{}", end);
    case VerdictClass::kError:
      return fmt::format("An error came that no serial order gives{}", end);
    case VerdictClass::kLatent:
      return "The answers are right, but the state left behind is wrong.";
    case VerdictClass::kCrash:
      return "The server crashed.";
    case VerdictClass::kDeadlock:
      return "The server's threads wait for each other for ever.";
    case VerdictClass::kHang:
      return "The requests do not end.";
    case VerdictClass::kSerial:
      return "One request after the other, and the server goes wrong all the same.";
    case VerdictClass::kDegraded:
      return "Not judged: control was lost.";
    case VerdictClass::kNone:
      break;
  }
  return "Nothing is wrong.";
}

std::string component_in_words(const std::string& name, const std::string& server) {
  const ComponentFacts* facts = facts_of(name, target_named(server).components());
  if (facts == nullptr || facts->words.empty()) return printable_cut(name, 60);
  const size_t wildcard = facts->name.find('*');
  std::string words(facts->words);
  if (wildcard == std::string_view::npos) return words;
  return words + keep_start(printable(name.substr(wildcard)), 50);
}

std::string reply_line(const Output& output) {
  return reply_text(output, rows_text);
}

}  // namespace esox
