// SPDX-License-Identifier: Apache-2.0
// What becomes of executions: counts, findings and their folders, batches that end. See hunt.h; the
// threads and the time are in hunt.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/dependency_graph.h"
#include "analysis/masks.h"
#include "analysis/report/taken_choices.h"
#include "harness/hunt/finding_folder.h"
#include "harness/hunt/found.h"
#include "harness/hunt/hunt.h"
#include "harness/records/lines.h"
#include "harness/records/rate_text.h"
#include "harness/records/synopsis.h"
#include "harness/records/triage/signature.h"
#include "inputs/isolation_level.h"

namespace esox {
namespace {

// An input of which so many executions or more, all by the end of a batch, were degraded is given
// up.
constexpr uint64_t kHopeless = 50;

// `finding`: a line of the report, or what its folder keeps.
void note_tally(auto& finding, const Tally& tally) {
  finding.executions = tally.executions;
  finding.draws = tally.draws;
}

CoverageFigures coverage_figures(const Exploration& exploration) {
  const Coverage& seen = exploration.coverage();
  CoverageFigures figures;
  figures.judged = seen.classes.total();
  figures.schedules = seen.classes.distinct();
  figures.schedules_once = seen.classes.once();
  figures.outcomes = seen.outcomes.distinct();
  figures.outcomes_once = seen.outcomes.once();
  figures.pairs = seen.pairs();
  figures.pairs_both_ways = seen.pairs_both_ways();
  figures.sites = exploration.lessons().conflicts.size();
  return figures;
}

std::optional<TransactionFigures> transaction_figures(const Input& input,
                                                      const ExecutionCounts& counts) {
  const IsolationLevel* level = isolation_level_of(input);
  if (level == nullptr || counts.judged_by_reads == 0) return std::nullopt;
  return TransactionFigures{input.isolation_level, forbidden_anomalies(level->promise),
                            counts.judged_by_reads, counts.allowed_anomalies,
                            counts.forbidden_anomalies};
}

void count_reads(ExecutionCounts& counts, const ViewVerdict& views) {
  counts.judged_reads += views.judged;
  for (const auto& [reason, reads] : views.unjudged) counts.unjudged_reads[reason] += reads;
}

}  // namespace

void Hunt::count(Entry& entry, const Judged& judged) {
  Tally& tally = entry.tally;
  const ExecutionRecord& record = judged.report.record;
  const bool believed = !judged.verdict.violation() || judged.confirmed;
  const uint64_t drawn = is_drawn(judged) ? 1 : 0;
  ++tally.executions;
  tally.draws += drawn;
  ++tally.verdicts[believed ? class_name(judged.verdict.verdict) : "unconfirmed"];
  note_forgiven(tally, entry.exploration.input(), record, judged.verdict);
  const Anomaly& anomaly = record.anomaly;
  const uint64_t allowed = !anomaly.empty() && !anomaly.forbidden ? 1 : 0;
  if (allowed > 0) ++tally.allowed_anomalies[anomaly.name];
  if (judged.by_reads && has_anomaly(record)) ++tally.forbidden_anomalies[anomaly.name];
  if (judged.by_reads) ++tally.judged_by_reads;
  count_reads(tally, judged.views);
  const std::lock_guard lock(mutex_);
  ++report_.executions;
  count_reads(report_, judged.views);
  report_.draws += drawn;
  if (allowed > 0) ++report_.allowed_anomalies[anomaly.name];
  note_forgiven(report_.filters, entry.exploration.input(), record, judged.verdict);
  for (const auto& [cause, kept] : entry.kept) note_tally(report_.findings[kept.index], tally);
  if (judged.verdict.verdict != VerdictClass::kDegraded) return;
  ++tally.degraded;
  ++report_.degraded;
  for (const std::string& reason : judged.verdict.degraded_reasons) {
    ++tally.degraded_reasons[reason];
    ++report_.degraded_reasons[reason];
  }
}

void Hunt::keep_finding(Entry& entry, const Judged& judged) {
  const Exploration& exploration = entry.exploration;
  Kept kept;
  kept.finding = finding_of(exploration, judged,
                            {settings_.server, settings_.esox_version, settings_.control,
                             static_cast<uint64_t>(settings_.exploration.clock_base_ns)});
  note_tally(kept.finding, entry.tally);
  look_whether_known(kept);
  // First told, then written: should the writing fail, the summary still knows of it.
  kept.index = tell_finding(entry, judged, kept.finding.id);
  const std::optional<std::filesystem::path> there = leftovers_.take(kept.finding.id);
  if (there) {
    update_finding_folder(*there, kept.finding);
    kept.folder = *there;
  } else {
    kept.folder =
        write_finding_folder(settings_.out / "findings", kept.finding, judged, exploration.masks());
  }
  const std::lock_guard lock(mutex_);
  report_.findings[kept.index].folder = kept.folder;
  unsaved_ = true;
  changed_.notify_all();
  entry.kept.emplace(judged.cause->id, std::move(kept));
}

// Of several inputs that show one cause, the first has news.
void Hunt::look_whether_known(Kept& kept) {
  const std::vector<std::string> keys = family_keys(signature_of(kept.finding, std::nullopt));
  const auto some_in = [&](const std::set<std::string>& known) {
    return std::ranges::any_of(keys, [&](const std::string& key) { return known.contains(key); });
  };
  const std::lock_guard lock(mutex_);
  kept.was_known = some_in(settings_.known_families);
  kept.is_news = !kept.was_known && !some_in(families_);
  families_.insert(keys.begin(), keys.end());
}

// Gives its place in the report.
size_t Hunt::tell_finding(const Entry& entry, const Judged& judged, const std::string& id) {
  HuntFinding line = report_line(entry.exploration.input(), judged, id);
  note_tally(line, entry.tally);
  const std::lock_guard lock(mutex_);
  report_.findings.push_back(std::move(line));
  return report_.findings.size() - 1;
}

// Findings of a batch that was cut short, which did not come again.
void Hunt::adopt_leftovers(Entry& entry, const Batch& batch) {
  const ConcreteInput& input = entry.exploration.input();
  for (LeftoverFinding& one : leftovers_.take_missed(input, batch.first + batch.count - 1)) {
    HuntFinding line = report_line(input, one.finding.id, one.finding.cause);
    line.verdict = one.finding.verdict;
    line.latent = one.finding.latent;
    line.hits = one.finding.hits;
    line.choices = taken_choices(one.finding.values);
    note_tally(line, entry.tally);
    line.drawn_hits = one.finding.drawn_hits;
    line.first_execution = one.finding.first_execution;
    line.seed = one.finding.seed;
    line.synopsis.emplace_back("found before the hunt was ended early, and not met again since");
    line.folder = one.folder;
    const std::lock_guard lock(mutex_);
    entry.kept.emplace(cause_id(one.finding.cause),
                       Kept{std::move(one.finding), report_.findings.size(), one.folder});
    report_.findings.push_back(std::move(line));
  }
}

void Hunt::note_hit(Entry& entry, Kept& kept, const Judged& judged) {
  ++kept.finding.hits;
  kept.finding.drawn_hits += is_drawn(judged) ? 1 : 0;
  const std::lock_guard lock(mutex_);
  HuntFinding& line = report_.findings[kept.index];
  line.hits = kept.finding.hits;
  line.drawn_hits = kept.finding.drawn_hits;
  note_tally(line, entry.tally);
}

void Hunt::note_unconfirmed(Entry& entry, const Judged& judged) {
  const std::lock_guard lock(mutex_);
  const auto [known, fresh] =
      entry.unconfirmed.try_emplace(judged.cause->id, report_.unconfirmed.size());
  if (fresh) {
    UnconfirmedViolation violation;
    static_cast<InputKey&>(violation) = key_of(entry.exploration.input());
    violation.verdict = judged.verdict.verdict;
    violation.cause = lines_of(judged.cause->text);
    violation.doubt = judged.doubt;
    violation.first_execution = judged.report.record.number;
    violation.seed = judged.report.record.seed;
    report_.unconfirmed.push_back(std::move(violation));
  }
  ++report_.unconfirmed[known->second].hits;
}

void Hunt::close_batch(Entry& entry, const Batch& batch, End end) {
  const Tally& tally = entry.tally;
  const bool hopeless = tally.degraded >= kHopeless && tally.degraded == tally.executions;
  if (end == End::kWhole) adopt_leftovers(entry, batch);
  if (end == End::kCutShort || end == End::kStuck) cut_short_.store(true);
  close_count(entry);
  const bool is_out = hopeless || end == End::kSetupFailed || end == End::kStuck;
  if (is_out) leave_out(entry);
  // A batch that was cut short is executed again, whole, when the hunt goes on.
  const bool left_out = end == End::kSetupFailed && settings_.skip_failing_setups;
  if (state_ && (end == End::kWhole || left_out)) keep_batch(entry, batch);
  for (auto& [cause, kept] : entry.kept) {
    note_tally(kept.finding, tally);
    update_finding_folder(kept.folder, kept.finding);
  }
  entry.exploration.rest();
  // From here on the entry may be another worker's: nothing of it is touched any more.
  const std::lock_guard lock(mutex_);
  if (is_out || entry.exploration.searched()) {
    plan_.given_up(batch);
  } else {
    plan_.finished(batch, prospect(entry));
  }
  report_.planned = plan_.planned();
  changed_.notify_all();
}

void Hunt::note_figures(const Entry& entry) {
  InputFigures& figures = figures_[entry.index];
  note_input(report_.kinds, entry.exploration.input().input,
             {figures.executions == 0 && entry.tally.executions > 0,
              entry.tally.executions - figures.executions, entry.kept.size() - figures.findings},
             entry.exploration.coverage());
  figures.points = entry.exploration.expected_points();
  figures.contexts = entry.exploration.has_contexts();
  figures.executions = entry.tally.executions;
  figures.degraded = entry.tally.degraded;
  figures.findings = entry.kept.size();
  figures.allowed_anomalies = entry.tally.allowed_anomalies;
  figures.violations = 0;
  for (const auto& [cause, kept] : entry.kept) figures.violations += kept.finding.hits;
  figures.yield = yield_name(yield(entry, /*of_news=*/false));
  figures.coverage = coverage_figures(entry.exploration);
  figures.arms = entry.exploration.arms();
  figures.search = entry.tally.search;
  figures.systematic = entry.exploration.systematic();
  figures.transactions = transaction_figures(entry.exploration.input().input, entry.tally);
  figures.warnings.clear();
  for (const Prediction& one : entry.exploration.predictions()) {
    figures.warnings.push_back({one.id, one.lines, one.tried, one.hits});
  }
}

// A search is worth while as long as something is left of it. An input that shows nothing but what
// is known from others, or from earlier hunts, comes in its turn, however much of it it shows.
Yield Hunt::yield(const Entry& entry, bool of_news) {
  if (entry.exploration.search() != nullptr) return Yield::kSome;
  uint64_t last_new_cause = 0;
  for (const auto& [cause, kept] : entry.kept) {
    const bool counts = of_news ? kept.is_news : !kept.was_known;
    if (counts) last_new_cause = std::max(last_new_cause, kept.finding.first_execution);
  }
  const Yield yield =
      yield_of(entry.exploration.coverage(), entry.tally.executions, last_new_cause);
  return last_new_cause == 0 && !entry.kept.empty() ? std::min(yield, Yield::kSome) : yield;
}

Prospect Hunt::prospect(const Entry& entry) {
  const Sightings& outcomes = entry.exploration.coverage().outcomes;
  const auto executions = static_cast<double>(std::max<uint64_t>(outcomes.total(), 1));
  return {yield(entry, /*of_news=*/true), static_cast<double>(outcomes.distinct()) / executions};
}

// What serial orders and replays took since the last batch.
void Hunt::close_count(Entry& entry) {
  const Exploration& exploration = entry.exploration;
  const SerialGraph::Counts graph = exploration.serial_counts();
  Tally& tally = entry.tally;
  const std::lock_guard lock(mutex_);
  report_.serial_executions += exploration.serial_executions() - tally.serial_executions;
  report_.replays += exploration.replays() - tally.replays;
  report_.serial_steps += graph.steps - tally.serial_steps;
  report_.serial_states += graph.states - tally.serial_states;
  tally.serial_executions = exploration.serial_executions();
  tally.replays = exploration.replays();
  tally.serial_steps = graph.steps;
  tally.serial_states = graph.states;
  const InputSearch* search = exploration.search();
  if (search != nullptr && search->executions() != 0) {
    tally.search = {search->text(), search->exhausted()};
  }
  note_masks(entry);
  note_figures(entry);
}

void Hunt::leave_out(Entry& entry) {
  entry.tally.left_out = entry.setup_failure.empty()
                             ? fmt::format("given up: control was lost in each of {} executions",
                                           entry.tally.executions)
                             : entry.setup_failure;
  const std::lock_guard lock(mutex_);
  report_.skipped.push_back({key_of(entry.exploration.input()), entry.tally.left_out});
}

void Hunt::keep_batch(Entry& entry, const Batch& batch) {
  uint64_t batches = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [cause, kept] : entry.kept) {
      entry.tally.findings[cause] = report_.findings[kept.index];
      note_tally(entry.tally.findings[cause], entry.tally);
    }
    for (const auto& [cause, place] : entry.unconfirmed) {
      entry.tally.unconfirmed[cause] = report_.unconfirmed[place];
    }
    batches = plan_.batches(batch.exploration) + 1;  // with this one, which is not given back yet
  }
  const bool over = !entry.tally.left_out.empty() || entry.exploration.searched();
  state_->keep_batch(batch.exploration, batches, over, entry.tally, entry.exploration.memory());
}

void Hunt::note_masks(Entry& entry) {
  const ConcreteInput& input = entry.exploration.input();
  InputMasks masks{key_of(input), {}, {}};
  for (const NamedMask& mask : mask_names(entry.exploration.masks(), client_names(input.input))) {
    masks.places.push_back({mask.name, mask.orders});
  }
  if (masks.places.empty()) return;
  masks.replies = unequal_reply_lines(input.input, entry.exploration.serial_runs());
  if (!entry.masks) {
    entry.masks = report_.nondeterminism.size();
    report_.nondeterminism.emplace_back();
  }
  report_.nondeterminism[*entry.masks] = std::move(masks);
}

}  // namespace esox
