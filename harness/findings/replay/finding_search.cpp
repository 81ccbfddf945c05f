// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/finding_search.h"

#include <utility>

#include "analysis/report/comparison_text.h"
#include "harness/engine/debug_symbols.h"
#include "harness/search/portfolio.h"

namespace esox {
namespace {

SeenCause seen_cause(const Exploration& exploration, const Judged& judged,
                     const std::string& cause) {
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols = debug_symbols(record.modules);
  SeenCause seen;
  seen.text = cause;
  seen.seed = record.seed;
  seen.explanation =
      comparison_text(exploration.input(), record, judged.verdict, exploration.masks(), symbols);
  seen.finding =
      make_finding(exploration.input(), record, judged.verdict, exploration.serial_runs(),
                   exploration.masks(), *judged.cause, exploration.rules());
  seen.finding.operations = operations_of(record, symbols);
  return seen;
}

void note_hit(const Exploration& exploration, const Judged& judged, bool drawn,
              FindingSearch& search) {
  if (search.hits++ == 0) search.first_hit = search.executions;
  search.predicted_hits += drawn ? 0 : 1;
  if (!search.first) {
    search.first = seen_cause(exploration, judged, cause_across_builds(judged.cause->text));
  }
  ++search.first->hits;
}

void note_other(const Exploration& exploration, const Judged& judged, FindingSearch& search) {
  const std::string cause = cause_across_builds(judged.cause->text);
  SeenCause& seen = search.other[cause];
  if (seen.hits == 0) seen = seen_cause(exploration, judged, cause);
  ++seen.hits;
}

void note_degraded(const Judged& judged, FindingSearch& search) {
  ++search.degraded;
  for (const std::string& reason : judged.verdict.degraded_reasons) {
    ++search.degraded_reasons[reason];
  }
}

}  // namespace

FindingReplay replay_on(const AskedServer& server, const Finding& finding, Family& family,
                        std::optional<size_t> variants, const std::atomic<bool>& stop) {
  const auto same = [&family](const Judged& judged) { return family.has(judged); };
  Replayer replayer(server.executor, server.exploration, finding, variants, stop, same);
  ReplayAttempt attempt = replayer.once();
  FindingReplay replay{attempt.result, attempt.why, replayer.realigned()};
  if (replay.result != ReplayResult::kToTheLetter) return replay;
  server.exploration.prepare(server.executor);
  const Judged judged =
      server.exploration.judge_report(server.executor, std::move(attempt.judged.report));
  if (family.has(judged)) return replay;
  replay.result = ReplayResult::kNotReproduced;
  replay.why =
      "the recorded outcome came, but this server's serial orders do not make it the same "
      "violation";
  return replay;
}

void count(const AskedServer& server, Family& family, const Judged& judged, bool drawn,
           FindingSearch& search) {
  ++search.executions;
  const bool degraded = judged.verdict.verdict == VerdictClass::kDegraded;
  if (degraded) note_degraded(judged, search);
  if (!drawn && !degraded) ++search.predicted;
  if (!judged.cause) return;
  const bool same = family.has(judged);
  if (!judged.confirmed) {
    search.unconfirmed += same ? 1 : 0;
  } else if (same) {
    note_hit(server.exploration, judged, drawn, search);
  } else {
    note_other(server.exploration, judged, search);
  }
}

void search_on(const AskedServer& server, Family& family, uint64_t number, FindingSearch& search) {
  const bool predicted = predicted_schedule(server.exploration.predictions(), number) != nullptr;
  const Judged judged = server.exploration.explore(server.executor, number);
  count(server, family, judged, !predicted, search);
}

ExplorationSettings systematically(ExplorationSettings settings) {
  settings.portfolio = false;
  settings.learn = false;
  settings.search = exhaustive::SearchSpec{false, exhaustive::Bound::kPreemptions, 1};
  settings.strategy_text = exhaustive::text_of(*settings.search);
  return settings;
}

ExplorationSettings by_portfolio(ExplorationSettings settings) {
  settings.portfolio = true;
  settings.strategy_text = kPortfolioName;
  settings.learn = true;
  return settings;
}

Experience experience_of(const FindingReplay& replay) {
  Experience experience;
  if (!replay.realigned || !replay.realigned->aligned) return experience;
  const Executed& executed = *replay.realigned->aligned;
  Exemplar exemplar;
  exemplar.met = 1;
  exemplar.violation = true;
  exemplar.schedule = schedule_of(executed.choices);
  exemplar.values = executed.values;
  for (size_t thread = 0; thread < executed.operations.of.size(); ++thread) {
    const auto points = static_cast<uint32_t>(executed.operations.of[thread].size());
    if (points > 0) exemplar.lengths.emplace_back(static_cast<ThreadId>(thread), points);
  }
  const bool plain = switch_count(exemplar.schedule) <= kMostExemplarSwitches;
  if (!exemplar.schedule.empty() && plain) experience.exemplars.push_back(std::move(exemplar));
  return experience;
}

}  // namespace esox
