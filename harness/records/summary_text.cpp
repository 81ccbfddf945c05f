// SPDX-License-Identifier: Apache-2.0
#include "harness/records/summary_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/report/layout.h"
#include "base/text/counted.h"
#include "harness/records/isolation_text.h"
#include "harness/records/progress.h"
#include "harness/records/rate_text.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

constexpr size_t kListedLesser = 5;  // lines of the lesser lists; hunt.json has all

std::string title_of(const HuntFinding& finding) {
  return finding.headline.empty() ? class_in_words(finding.verdict, finding.latent)
                                  : finding.headline;
}

std::string hits_text(const HuntFinding& finding) {
  return fmt::format("{}, {}", key_text(finding), rate_text(hits_of(finding)));
}

// What went wrong first, then who did what.
std::string block(size_t number, const HuntFinding& finding) {
  const std::string effect = class_in_words(finding.verdict, finding.latent);
  std::string text = fmt::format("{}. {}: {}\n   {}\n", number, class_name(finding.verdict),
                                 title_of(finding), hits_text(finding));
  if (!title_of(finding).starts_with(effect)) text += "   " + effect + "\n";
  for (const std::string& line : finding.synopsis) {
    const bool told = line.starts_with("wrong: ") && !finding.headline.empty();
    if (!told) text += "     " + line + "\n";
  }
  if (!finding.critical.empty()) text += labelled("critical: ", finding.critical, kReportWidth, 5);
  if (!finding.choices.empty()) text += labelled("needs:    ", finding.choices, kReportWidth, 5);
  if (!finding.smaller.empty()) text += labelled("smaller:  ", finding.smaller, kReportWidth, 5);
  if (!finding.reproducer.empty())
    text += labelled("script:   ", finding.reproducer, kReportWidth, 5);
  return text + (finding.folder.empty()
                     ? fmt::format("   its files could not be written; it was execution {}, seed "
                                   "{}\n",
                                   finding.first_execution, finding.seed)
                     : fmt::format("   esox replay {}\n", finding.folder.string()));
}

std::string witnesses_text(const HuntReport& report, const FamilyMembers& family) {
  std::string text;
  for (size_t i = 1; i < family.size(); ++i) {
    const HuntFinding& one = report.findings[family[i]];
    if (i == 1) text += "   and, of the same cause:\n";
    if (i > kListedLesser)
      return text + fmt::format("     {} more (see hunt.json)\n", family.size() - i);
    text += "     " +
            keep_start(fmt::format("{}  {} {}: {}", one.id, class_name(one.verdict), key_text(one),
                                   title_of(one)),
                       kReportWidth) +
            "\n";
  }
  return text;
}

std::string findings_text(const HuntReport& report, size_t whole) {
  if (report.findings.empty()) return "Nothing was found.\n\n";
  const std::vector<FamilyMembers> families = families_of(report.findings);
  std::string text = counted(report.findings.size(), "finding");
  if (families.size() < report.findings.size()) text += " of " + counted(families.size(), "cause");
  text += ":\n\n";
  for (size_t i = 0; i < families.size(); ++i) {
    const HuntFinding& first = report.findings[families[i].front()];
    if (i < whole) {
      text += block(i + 1, first) + witnesses_text(report, families[i]) + "\n";
    } else {
      text += fmt::format(
          "{}. {}  {} {}: {}{}\n", i + 1, first.id, class_name(first.verdict), key_text(first),
          title_of(first),
          families[i].size() == 1 ? "" : fmt::format(", and {} more", families[i].size() - 1));
    }
  }
  if (families.size() > whole) text += "\n";
  return text +
         "Each finding's folder, named by its replay command, holds comparison.txt (what was "
         "expected and\nseen), trace.txt (what each thread did) and finding.yaml (to replay "
         "it).\n\n";
}

std::string degraded_text(const HuntReport& report) {
  if (report.degraded == 0) return "";
  std::string text =
      fmt::format("{} not judged:\n", counted(report.degraded, "execution was", "executions were"));
  size_t listed = 0;
  for (const auto& [reason, executions] : report.degraded_reasons) {
    if (listed++ == kListedLesser) break;
    text += fmt::format("  {:>5}  {}\n", executions, reason);
  }
  return text;
}

std::string isolation_text(const HuntReport& report) {
  std::string text;
  for (const std::string& line : isolation_lines(report)) text += line + "\n";
  return text;
}

// What was held against the states that a log of rows tells, and what not.
std::string reads_text(const HuntReport& report) {
  uint64_t unjudged = 0;
  std::vector<std::pair<uint64_t, std::string>> reasons;
  for (const auto& [reason, reads] : report.unjudged_reads) {
    unjudged += reads;
    reasons.emplace_back(reads, reason);
  }
  if (report.judged_reads + unjudged == 0) return "";
  std::string text = fmt::format("Reads judged by the row log: {} of {}.\n", report.judged_reads,
                                 report.judged_reads + unjudged);
  std::sort(reasons.rbegin(), reasons.rend());
  for (size_t i = 0; i < reasons.size() && i < kListedLesser; ++i) {
    text += fmt::format("  {:>5}  not, for {}\n", reasons[i].first, reasons[i].second);
  }
  return text;
}

std::string unconfirmed_text(const HuntReport& report) {
  if (report.unconfirmed.empty()) return "";
  std::string text = fmt::format(
      "{} broke the rules but could not be replayed (no findings, look at hunt.json):\n",
      counted(report.unconfirmed_hits(), "execution"));
  for (size_t i = 0; i < report.unconfirmed.size() && i < kListedLesser; ++i) {
    const UnconfirmedViolation& violation = report.unconfirmed[i];
    text += fmt::format("  {:>5}  {} {}: {}\n", violation.hits, class_name(violation.verdict),
                        key_text(violation), violation.doubt);
  }
  return text;
}

std::string nondeterminism_text(const HuntReport& report) {
  if (report.nondeterminism.empty()) return "";
  std::string text = fmt::format(
      "{} with places not compared, since equal serial runs differ there (see hunt.json).\n",
      counted(report.nondeterminism.size(), "input"));
  size_t listed = 0;
  for (const InputMasks& masks : report.nondeterminism) {
    for (const std::string& reply : masks.replies) {
      if (listed++ == kListedLesser) return text + "  and more\n";
      text += fmt::format("  {}: {}\n", key_text(masks), reply);
    }
  }
  return text;
}

std::string coverage_text(const CoverageFigures& seen) {
  if (seen.judged == 0) return "";
  return fmt::format(
      "Seen: {} schedules up to equivalence ({:.1f} % of the next would be new), {} outcomes "
      "({:.1f} %), {} of {} conflicting pairs of places in both orders.\n",
      seen.schedules, 100 * seen.unseen_schedules(), seen.outcomes, 100 * seen.unseen_outcomes(),
      seen.pairs_both_ways, seen.pairs);
}

std::string warnings_text(const HuntReport& report) {
  uint64_t inputs = 0;
  uint64_t tried = 0;
  uint64_t hits = 0;
  std::set<std::string> distinct;
  for (const InputFigures& one : report.figures) {
    inputs += one.warnings.empty() ? 0 : 1;
    for (const HuntWarning& warning : one.warnings) {
      distinct.insert(warning.id);
      tried += warning.tried;
      hits += warning.hits;
    }
  }
  if (distinct.empty()) return "";
  return fmt::format(
      "Warnings: {} of trouble predicted by executions in which nothing went wrong, of {}; {} of "
      "{} executions that tried {} violated (hunt.json, explored).\n",
      counted(distinct.size(), "kind"), counted(inputs, "input"), hits, tried,
      distinct.size() == 1 ? "it" : "them");
}

// Of each input, how far the search of its schedules came; those that were not ended first.
std::string searches_text(const HuntReport& report) {
  std::vector<std::string> lines;
  uint64_t exhausted = 0;
  for (const bool ended : {false, true}) {
    for (const InputFigures& one : report.figures) {
      if (one.search.said.empty() || one.search.exhausted != ended) continue;
      exhausted += ended ? 1 : 0;
      lines.push_back(fmt::format("  {}: {}\n", key_text(one), one.search.said));
    }
  }
  if (lines.empty()) return "";
  std::string text = fmt::format("Searched: {}, {} of them exhausted.\n",
                                 counted(lines.size(), "input"), exhausted);
  for (size_t i = 0; i < lines.size() && i < kListedLesser; ++i) text += lines[i];
  if (lines.size() > kListedLesser) {
    text += fmt::format("  {} more (see hunt.json)\n", lines.size() - kListedLesser);
  }
  return text;
}

// How far the systematic passes came, of the inputs that had one.
std::string systematic_text(const HuntReport& report) {
  uint64_t inputs = 0;
  uint64_t done = 0;
  exhaustive::PassCounts all;
  for (const InputFigures& one : report.figures) {
    if (!one.systematic || one.executions == 0) continue;
    ++inputs;
    done += one.systematic->one.done ? 1 : 0;
    add_fields(all, one.systematic->one);
  }
  if (inputs == 0) return "";
  return fmt::format(
      "Schedules with one preemption: all of {} of {}; {} of about {} in all ({} executed, the "
      "others differ from one of these only in the order of operations that do not conflict).\n",
      done, counted(inputs, "input"), all.covered(), all.known, all.executed);
}

std::string contexts_text(const HuntReport& report) {
  const auto with = std::ranges::count_if(report.figures, &InputFigures::contexts);
  if (with == 0) return "";
  return fmt::format("Threads of the server's own were scheduled, too, in {} of {} inputs.\n", with,
                     report.touched);
}

std::string counts_text(const HuntReport& report) {
  std::string text = fmt::format(
      "{} of {} inputs (times engines) tried, {} executions in {} ({:.1f} per second), {} serial "
      "executions, {} replays.\n",
      report.touched, report.explorations, report.executions, duration_text(report.seconds),
      report.executions_per_second(), report.serial_executions, report.replays);
  text += coverage_text(report.coverage()) + contexts_text(report);
  text += warnings_text(report);
  text += searches_text(report);
  text += systematic_text(report);
  if (report.serial_steps > 0) {
    text += fmt::format("Where there are many serial orders: {} steps gave {} distinct states.\n",
                        report.serial_steps, report.serial_states);
  }
  if (report.lives.restarted > 0) {
    text += fmt::format("{} of them by restart, for some input's server cannot be forked: {}\n",
                        report.lives.restarted, report.lives.why_restarted);
  }
  if (report.memory_kib > 0) {
    text += fmt::format("Memory: at most {} MiB, esox and its servers together.\n",
                        (report.memory_kib + 1023) / 1024);
  }
  if (report.time.total_s() > 0) {
    text += fmt::format(
        "Of the workers' time {:.0f} % went into executions, {:.0f} % into servers and setups.\n",
        100 * report.time.executing_share(), 100 * report.time.preparing_s / report.time.total_s());
  }
  if (report.workers_replaced > 0) {
    text += fmt::format("{} got a new server, for an execution did not end.\n",
                        counted(report.workers_replaced, "worker"));
  }
  text += isolation_text(report) + reads_text(report) + account_text(report.filters) +
          degraded_text(report) + unconfirmed_text(report);
  text += nondeterminism_text(report);
  for (size_t i = 0; i < report.skipped.size() && i < kListedLesser; ++i) {
    const SkippedInput& skipped = report.skipped[i];
    text += fmt::format("left out: {}: {}\n", key_text(skipped), skipped.why);
  }
  if (report.skipped.size() > kListedLesser) {
    text +=
        fmt::format("left out: {} more (see hunt.json)\n", report.skipped.size() - kListedLesser);
  }
  if (report.server_failures > 0) {
    text += fmt::format("{} of the server failed and succeeded when tried again.\n",
                        counted(report.server_failures, "start"));
  }
  return text;
}

}  // namespace

std::string summary_text(const HuntReport& report, size_t whole) {
  std::string text;
  if (report.interrupted) text += "Stopped by a signal; everything found so far is kept.\n\n";
  if (!report.failure.empty()) text += "Ended early by an error; what was found is kept.\n\n";
  return text + findings_text(report, whole) + counts_text(report);
}

}  // namespace esox
