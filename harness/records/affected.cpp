// SPDX-License-Identifier: Apache-2.0
#include "harness/records/affected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/report/layout.h"
#include "analysis/rows.h"
#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "base/text/counted.h"
#include "base/text/enum_names.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "harness/search/portfolio.h"

namespace esox {
namespace {

constexpr size_t kColumns = 100;
constexpr const char* kNames[] = {"has it", "not seen", "refused", "cannot tell"};

// Never more than is known: 0.99996 is "0.9999", and so is what differs from 1 by less than a
// double can tell.
std::string probability_text(double probability) {
  const int digits = probability > 0.99 ? 4 : 2;
  const double unit = std::pow(10, digits);
  return fmt::format("{:.{}f}", std::min(std::floor(probability * unit), unit - 1) / unit, digits);
}

std::string named(const std::string& strategy) {
  return strategy == kPortfolioName ? "the " + strategy : strategy;
}

std::string hits_text(const AffectedRow& row) {
  for (size_t i = 0; i < row.searches.size(); ++i) {
    const AffectedSearch& search = row.searches[i];
    if (search.hits == 0) continue;
    return fmt::format("{} of {}{}", search.hits, search.judged(),
                       i == 0 ? "" : ", by " + named(search.strategy));
  }
  if (!row.replay.empty() && row.replay != kReplayFailed) return "its schedule, " + row.replay;
  if (row.executions() == 0) return "its reproducer";
  return fmt::format("its reproducer, and not in {}", counted(row.executions(), "execution"));
}

std::string not_seen_text(const AffectedRow& row) {
  const std::string text = fmt::format("not in {}", counted(row.executions(), "execution"));
  if (!row.would_have_been_seen) {
    return text + "; how probable it is that it would have been seen is not known";
  }
  return fmt::format("{}; would have been seen with probability {} if it were as frequent as on {}",
                     text, probability_text(*row.would_have_been_seen), row.as_frequent_as);
}

std::string one_line(std::string text, const char* between) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at)) {
    text.replace(at, 1, between);
  }
  return printable(text);
}

// Which server, for who reads the answers: its release, and what it was named by.
size_t widest(const AffectedTable& table, std::string AffectedRow::*column) {
  size_t width = 1;
  for (const AffectedRow& row : table.rows) width = std::max(width, (row.*column).size());
  return width;
}

}  // namespace

const char* affected_name(Affected affected) {
  return name_in(kNames, affected);
}

void write_value(ValueWriter& out, Affected affected) {
  out.put(std::string(affected_name(affected)));
}

void read_value(const ValueReader& in, Affected& affected) {
  const auto known = value_in<Affected>(kNames, in.text());
  if (!known) in.refuse("is '" + in.text() + "', which this esox does not know");
  affected = *known;
}

uint64_t AffectedRow::executions() const {
  return std::accumulate(searches.begin(), searches.end(), uint64_t{0},
                         [](uint64_t sum, const auto& one) { return sum + one.judged(); });
}

std::string answer_text(const AffectedRow& row) {
  switch (row.answer) {
    case Affected::kHasIt:
      return fmt::format("has it ({})", hits_text(row));
    case Affected::kNotSeen:
      return not_seen_text(row);
    case Affected::kRefused:
      return "refused there: " + one_line(row.reason, " ");
    case Affected::kCannotTell:
      break;
  }
  return "cannot tell: " + one_line(row.reason, " ");
}

std::vector<std::string> other_texts(const AffectedRow& row) {
  std::vector<std::string> lines;
  if (row.played) lines.push_back("its reproducer: " + one_line(rounds_text(*row.played), " "));
  for (const AffectedSearch& search : row.searches) {
    for (const OtherViolation& other : search.other) {
      lines.push_back(fmt::format("another violation, in {} of {} by {} (first by seed {}): {}",
                                  other.hits, search.judged(), search.strategy, other.seed,
                                  one_line(other.cause, "; ")));
    }
  }
  return lines;
}

std::string how_text(const AffectedTable& table) {
  std::string strategy = "the finding's strategy";
  bool probable = false;
  bool played = false;
  for (const AffectedRow& row : table.rows) {
    played = played || row.played;
    if (!row.searches.empty()) strategy = row.searches.front().strategy;
    probable = probable || row.would_have_been_seen;
  }
  std::string text = fmt::format(
      "Judged {} by esox {}, seed {}: {}the finding's schedule, re-aligned, with {} variants of "
      "its neighbourhood; where that does not show it, {} executions at most by {}, and, as long "
      "as none shows it, every schedule with one preemption and the portfolio, as many of each.",
      table.made, table.esox, table.seed,
      played ? "the finding's reproducer, without esox; where that does not show it, " : "",
      table.variants, table.executions_each, strategy);
  if (probable) {
    text += fmt::format(
        " Probabilities are 1 - (1-r)^n for the n executions by {} alone, r the least rate that "
        "what was counted on the server named allows with {:.0f} % confidence.",
        strategy, 100 * table.confidence);
  }
  if (table.stopped) text += " esox was stopped before all servers were asked.";
  return text;
}

std::string affected_text(const AffectedTable& table) {
  std::string text =
      fmt::format("finding {}: {}\n{}\n", table.finding, table.input, table.violation);
  const size_t versions = widest(table, &AffectedRow::version);
  const size_t servers = widest(table, &AffectedRow::server);
  for (const AffectedRow& row : table.rows) {
    text +=
        fmt::format("  {:<{}}  {:<{}}  {}{}\n", row.version.empty() ? "?" : row.version, versions,
                    row.server, servers, answer_text(row), row.home ? ", where it was found" : "");
    for (const std::string& line : other_texts(row)) text += fmt::format("      {}\n", line);
  }
  return text + wrapped(how_text(table), kColumns);
}

std::string affected_json(const AffectedTable& table) {
  return to_json(table, 2);
}

void write_affected(const std::filesystem::path& finding_file, const AffectedTable& table) {
  write_whole_file(beside_finding(finding_file, "affected.txt"), affected_text(table));
  write_whole_file(beside_finding(finding_file, "affected.json"), affected_json(table));
}

std::optional<AffectedTable> read_affected(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "affected.json";
  if (!is_file(file)) return std::nullopt;
  try {
    return from_json<AffectedTable>(text_of_file(file));
  } catch (const RecordError&) {
    return std::nullopt;
  }
}

}  // namespace esox
