// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/generation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/text/counted.h"
#include "harness/generate/funnel.h"
#include "harness/records/hunt_state.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"

namespace esox {

namespace fs = std::filesystem;

namespace {

struct KindFigures {
  std::string kind;
  uint64_t seen = 0;
  double estimate = 0;  // of all there are
};

struct MutatorFigures {
  std::string mutation;
  uint64_t inputs = 0;
  double earned = 0;
};

struct GenerationFigureSheet {
  GenerationSpec spec;
  double seconds = 0;
  uint64_t epochs = 0;
  uint64_t members = 0;
  GenerationTotals totals;
  std::vector<KindFigures> features;
  std::vector<MutatorFigures> mutators;
  KindMatrix kinds;
  std::vector<HuntFinding> findings;
};

void each_field(auto& f, Of<KindFigures>) {
  f("kind", &KindFigures::kind);
  f("seen", &KindFigures::seen);
  f("estimate_of_all", &KindFigures::estimate);
}
void each_field(auto& f, Of<MutatorFigures>) {
  f("mutation", &MutatorFigures::mutation);
  f("inputs", &MutatorFigures::inputs);
  f("earned", &MutatorFigures::earned);
}
void each_field(auto& f, Of<GenerationFigureSheet>) {
  using Sheet = GenerationFigureSheet;
  f("generation", &Sheet::spec);
  f("seconds", &Sheet::seconds);
  f("epochs", &Sheet::epochs);
  f("members", &Sheet::members);
  f("totals", &Sheet::totals);
  f("features", &Sheet::features);
  f("mutators", &Sheet::mutators);
  f("kinds", &Sheet::kinds);
  f("findings", &Sheet::findings);
}

std::vector<HuntFinding> findings_of(const GenerationState& state, const fs::path& out) {
  std::vector<HuntFinding> findings;
  for (const CorpusMember& one : state.members) {
    for (const auto& [cause, line] : one.tally.findings) {
      findings.push_back(line);
      findings.back().folder = out / "findings" / line.id;
    }
  }
  return findings;
}

// "81 %"; "-" of nothing.
std::string share_text(uint64_t part, uint64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.0f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string feature_lines(const GenerationState& state) {
  const std::array<uint64_t, kFeatureKinds> seen = state.counts.distinct_by_kind();
  std::string text;
  for (size_t i = 0; i < kFeatureKinds; ++i) {
    const auto kind = static_cast<FeatureKind>(i);
    text += fmt::format("  {:<15} {:>7} seen, of some {:.0f}\n", feature_name(kind), seen[i],
                        state.counts.estimate(kind));
  }
  return text;
}

std::string mutator_lines(const GenerationState& state) {
  std::string text;
  for (size_t i = 0; i < state.mutators.size(); ++i) {
    const ArmRecord& arm = state.mutators[i];
    if (arm.executions == 0) continue;
    text += fmt::format("  {:<9} {:>7} inputs, {:.4f} earned by each\n",
                        name_of(static_cast<Mutation>(i)), arm.executions,
                        arm.earned / static_cast<double>(arm.executions));
  }
  return text;
}

std::string grown(uint64_t now, uint64_t before) {
  return now == before ? fmt::format("{}", now) : fmt::format("{} (+{})", now, now - before);
}

}  // namespace

GenerationFigures figures_of(const GenerationState& state) {
  return {state.counts.distinct_by_kind(), state.totals.causes};
}

std::string epoch_line(const GenerationState& state, const GenerationFigures& before) {
  const GenerationFigures now = figures_of(state);
  const auto of = [&](FeatureKind kind) {
    const auto place = static_cast<size_t>(kind);
    return grown(now.features[place], before.features[place]);
  };
  return fmt::format(
      "epoch {}: {} made, {} tried, {} kept; {} pairs of some {:.0f}, {} lock orders, {} causes",
      state.epochs, state.totals.mutants, state.totals.tried, state.totals.kept,
      of(FeatureKind::kPair), state.counts.estimate(FeatureKind::kPair),
      of(FeatureKind::kLockOrder), grown(now.causes, before.causes));
}

std::string generation_text(const fs::path& out, const GenerationState& state, double seconds) {
  const GenerationTotals& totals = state.totals;
  if (state.epochs == 0) return "No epoch came to its end, so nothing is kept: give it more time\n";
  std::string text = fmt::format(
      "{} made in {} and {} epochs: {} tried, {} judged, {} kept; {} executions\n"
      "requests that succeed one after the other: {}\n"
      "of what happens to the inputs:\n",
      counted(totals.mutants, "input"), duration_text(seconds), state.epochs, totals.tried,
      totals.judged, totals.kept, totals.executions, share_text(totals.succeeded, totals.requests));
  for (const auto& [fate, inputs] : totals.fates) {
    text += fmt::format("  {:<15} {:>7}\n", fate, inputs);
  }
  text += fmt::format("what the executions showed, and how much there is by Chao's estimate:\n{}",
                      feature_lines(state));
  text +=
      fmt::format("what the ways of making one from another brought:\n{}", mutator_lines(state));
  const std::vector<HuntFinding> findings = findings_of(state, out);
  text += fmt::format("{} of {}, and {} of the executions went to inputs that show known ones\n",
                      counted(findings.size(), "finding"), counted(totals.causes, "cause"),
                      share_text(totals.on_known_causes, totals.executions));
  for (const HuntFinding& one : findings) {
    text += fmt::format("  {}, {}\n    {}\n    esox replay {}\n", class_name(one.verdict),
                        one.title, one.headline, one.folder.string());
  }
  return text;
}

std::string generation_json(const fs::path& out, const GenerationState& state, double seconds) {
  GenerationFigureSheet sheet;
  sheet.spec = state.spec;
  sheet.seconds = seconds;
  sheet.epochs = state.epochs;
  sheet.members = state.members.size();
  sheet.totals = state.totals;
  const std::array<uint64_t, kFeatureKinds> seen = state.counts.distinct_by_kind();
  for (size_t i = 0; i < kFeatureKinds; ++i) {
    const auto kind = static_cast<FeatureKind>(i);
    sheet.features.push_back({feature_name(kind), seen[i], state.counts.estimate(kind)});
  }
  for (size_t i = 0; i < state.mutators.size(); ++i) {
    sheet.mutators.push_back({name_of(static_cast<Mutation>(i)), state.mutators[i].executions,
                              state.mutators[i].earned});
  }
  sheet.kinds = state.kinds;
  sheet.findings = findings_of(state, out);
  return to_json(sheet, 1);
}

// ---- as a hunt

HuntReport as_hunt(const fs::path& out, const GenerationState& state,
                   const GenerationLaunch& launch) {
  HuntReport report = launch.facts;
  report.id = state.spec.id;
  report.started = state.spec.started;
  report.seed = state.spec.seed;
  report.executions_each = kJudged;
  report.findings = findings_of(state, out);
  report.kinds = state.kinds;
  for (const CorpusMember& one : state.members) {
    if (one.tally.executions == 0) continue;
    add_counts(report, one.tally);
    InputFigures& figures = report.figures.emplace_back();
    figures.input = one.input.id;
    figures.title = one.input.title;
    figures.clients = one.input.clients.size();
    figures.points = one.points;
    figures.executions = one.tally.executions;
    figures.degraded = one.tally.degraded;
    figures.findings = one.tally.findings.size();
    for (const auto& [cause, line] : one.tally.findings) figures.violations += line.hits;
  }
  report.inputs = report.explorations = report.touched = report.figures.size();
  report.planned = report.executions;
  return report;
}

void write_as_hunt(const fs::path& out, const GenerationState& state,
                   const GenerationLaunch& launch) {
  const HuntReport report = as_hunt(out, state, launch);
  write_whole_file(out / "hunt.json", report_json(report));
  HuntSpec spec;
  spec.id = state.spec.id;
  spec.shard = launch.facts.shard;
  spec.started = state.spec.started;
  spec.esox_version = state.spec.esox_version;
  spec.server_version = state.spec.server_version;
  spec.server = report.server_path;
  spec.server_options = state.spec.server_options;
  spec.preload = launch.preload;
  spec.isolation = launch.isolation;
  spec.data_choices = state.spec.data_choices;
  spec.background = background_of(state.spec.background);
  spec.strategy = report.strategy;
  spec.seed = state.spec.seed;
  spec.executions_each = kJudged;
  spec.jobs = report.jobs;
  std::vector<ConcreteInput> inputs;
  std::vector<const Tally*> tallies;
  for (const CorpusMember& one : state.members) {
    if (one.tally.executions == 0) continue;
    inputs.push_back({one.input, "", ""});
    tallies.push_back(&one.tally);
  }
  for (const char* file : {"hunt.db", "hunt.db-wal", "hunt.db-shm"}) {
    std::error_code ignored;
    fs::remove(out / file, ignored);
  }
  const std::unique_ptr<HuntState> kept = HuntState::begin(out, spec, inputs);
  kept->begin_launch();
  for (size_t i = 0; i < inputs.size(); ++i) {
    kept->keep_batch(i, 1, true, *tallies[i], ExplorationMemory());
  }
  kept->keep_clock({report, report.seconds});
  kept->end();
}

}  // namespace esox
