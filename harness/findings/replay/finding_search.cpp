// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/finding_search.h"

#include <utility>

#include "analysis/report/comparison_text.h"
#include "harness/engine/debug_symbols.h"

namespace esox {
namespace {

void note_other(const Exploration& exploration, const Judged& judged, FindingSearch& search) {
  const std::string cause = cause_across_builds(judged.cause->text);
  SeenCause& seen = search.other[cause];
  if (seen.hits++ > 0) return;
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols = debug_symbols(record.modules);
  seen.text = cause;
  seen.seed = record.seed;
  seen.explanation =
      comparison_text(exploration.input(), record, judged.verdict, exploration.masks(), symbols);
  seen.finding =
      make_finding(exploration.input(), record, judged.verdict, exploration.serial_runs(),
                   exploration.masks(), *judged.cause, exploration.rules());
  seen.finding.operations = operations_of(record, symbols);
}

}  // namespace

FindingReplay replay_on(const AskedServer& server, const Finding& finding,
                        std::optional<size_t> variants, const std::atomic<bool>& stop) {
  Replayer replayer(server.executor, server.exploration, finding, variants, stop);
  ReplayAttempt attempt = replayer.once();
  FindingReplay replay{attempt.result, attempt.why, replayer.realigned()};
  if (replay.result != ReplayResult::kToTheLetter) return replay;
  server.exploration.prepare(server.executor);
  const Judged judged =
      server.exploration.judge_report(server.executor, std::move(attempt.judged.report));
  if (breaks_alike(judged, finding)) return replay;
  replay.result = ReplayResult::kNotReproduced;
  replay.why =
      "the recorded outcome came, but this server's serial orders do not make it the same "
      "violation";
  return replay;
}

void search_on(const AskedServer& server, const Finding& finding, uint64_t number,
               FindingSearch& search) {
  const bool predicted = predicted_schedule(server.exploration.predictions(), number) != nullptr;
  const Judged judged = server.exploration.explore(server.executor, number);
  ++search.executions;
  const bool degraded = judged.verdict.verdict == VerdictClass::kDegraded;
  if (degraded) {
    ++search.degraded;
    for (const std::string& reason : judged.verdict.degraded_reasons) {
      ++search.degraded_reasons[reason];
    }
  }
  if (predicted && !degraded) ++search.predicted;
  if (!judged.cause) return;
  const bool same = breaks_alike(judged, finding);
  if (!judged.confirmed) {
    search.unconfirmed += same ? 1 : 0;
  } else if (same) {
    ++search.hits;
    search.predicted_hits += predicted ? 1 : 0;
  } else {
    note_other(server.exploration, judged, search);
  }
}

}  // namespace esox
