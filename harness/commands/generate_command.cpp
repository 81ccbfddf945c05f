// SPDX-License-Identifier: Apache-2.0
// esox generate: makes inputs that nobody wrote, keeps those that show something new, and what they
// find. Called again with the same folder it goes on.
#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/text/counted.h"
#include "base/time/utc.h"
#include "base/yaml/file_text.h"
#include "base/yaml/limits.h"
#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/engine/known_servers.h"
#include "harness/generate/generation.h"
#include "harness/generate/generation_report.h"
#include "harness/hunt/pinning.h"
#include "harness/import/corpus_reader.h"
#include "harness/records/control_record.h"
#include "harness/records/hunt_progress.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"
#include "harness/records/triage/recording.h"
#include "inputs/engine.h"
#include "inputs/generation/composer.h"
#include "inputs/generation/grammar_reader.h"
#include "inputs/reader.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr unsigned kMostWorkers = 64;
constexpr size_t kMostDefaultWorkers = 4;  // at most, by default
constexpr uint64_t kMostGenerated = 10'000'000'000;
constexpr size_t kMostTaught = 20'000;
constexpr double kTellEvery_s = 3;
// Beyond it, an input is too slow to be of use.
constexpr std::chrono::milliseconds kExecutionLimit{5'000};

constexpr const char* kGenerateExamples = R"(
Examples:
  esox generate --to made --budget 1h                inputs for MariaDB, by the grammar of esox
  esox generate --to made --budget 1h                the same again: it goes on where it was
  esox generate --from corpus --to made              begins with the inputs of an import
  esox generate --grammar my.yaml --to made          by a grammar of your own
  esox generate --to made-3 --seed 7 --shard 3/20    what the third of twenty machines does
  esox hunt made --budget 1h                         what was made, as any corpus

OUT is a corpus: inputs/ holds those that were kept, index.sqlite all that is known of them; what
was found lies in OUT/findings/, as a hunt's. More: docs/generating.md.

Exit status: 0 nothing found, 1 findings, 2 wrong use or bad input, 3 esox itself failed.)";

struct GenerateOptions {
  CommonOptions common;
  SearchOptions search;  // of judged inputs
  FilterOptions filters;
  std::string grammar;
  std::string from;
  size_t top = 1000;
  std::string to;
  std::string budget;
  uint64_t executions = 0;  // 0: as many as there is time for
  std::string seed;
  unsigned jobs = 0;
  std::string shard;
  bool no_feedback = false;
  std::string store;
  bool no_store = false;
  std::string fail_on = "any";
};

std::string digest_of(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string digits;
  for (size_t i = 0; i < 8; ++i) digits += fmt::format("{:02x}", digest[i]);
  return digits;
}

std::filesystem::path grammar_of(const GenerateOptions& options, const Target& target) {
  if (!options.grammar.empty()) return options.grammar;
  const auto shipped = target.grammar_file();
  if (shipped) return *shipped;
  throw UsageError(fmt::format(
      "esox has no grammar for {}; write one (docs/grammars.md) and name it by --grammar",
      target.name()));
}

// Each on each of its engines, as far as their serial orders are few enough.
std::vector<Input> taught_inputs(const GenerateOptions& options, const Target& target) {
  std::vector<Input> taught;
  if (options.from.empty()) return taught;
  for (Input& input : read_corpus(options.from, options.top)) {
    adapt_input(input, target);
    for (ConcreteInput& one : instantiate(input, {})) {
      const bool fits = one.input.clients.size() >= 2 && states_of(one.input) <= kMostMadeStates;
      if (fits) taught.push_back(std::move(one.input));
    }
  }
  return taught;
}

std::string digest_of(const std::vector<Input>& inputs) {
  std::string keys;
  for (const Input& input : inputs) keys += text_key(input);
  return inputs.empty() ? "" : digest_of(keys);
}

// All shards of a generation have one seed, so it is not drawn here.
void check_shard(const GenerateOptions& options) {
  if (options.shard.empty()) return;
  if (!shard_from_text(options.shard)) {
    throw UsageError(fmt::format("--shard {}: write NUMBER/OF, such as 3/20; at most {}",
                                 options.shard, kMostShards));
  }
  if (options.seed.empty()) {
    throw UsageError("--shard needs --seed: all shards of one generation have the same");
  }
}

// Of findings at which somebody has looked: met again, they are no news.
std::map<std::string, CauseRecord> told_causes(const std::filesystem::path& file) {
  std::map<std::string, CauseRecord> told;
  if (!std::filesystem::exists(file)) return told;
  Store store(file);
  for (const TriagedFinding& finding : store.findings()) {
    if (finding.state == TriageState::kNew || finding.state == TriageState::kRegressed) continue;
    for (const StoredOccurrence& one : store.occurrences(finding.id)) {
      for (const std::string& key : family_keys(one.occurrence.signature)) {
        told[key].told_before = true;
      }
    }
  }
  return told;
}

// What was asked for now, but what only a first launch draws.
GenerationSpec asked_of(const GenerateOptions& options, const Workbench& bench,
                        const std::filesystem::path& grammar, const std::vector<Input>& taught) {
  GenerationSpec spec;
  spec.esox_version = kEsoxVersion;
  spec.server_version = bench.description.version;
  spec.server_options = bench.description.options;
  spec.grammar = digest_of(file_text(grammar, kMaxFileBytes, "a grammar"));
  spec.taught = digest_of(taught);
  spec.shard = options.shard;
  spec.feedback = !options.no_feedback;
  spec.data_choices = options.common.data_choices;
  spec.background = options.search.background;
  return spec;
}

// A corpus that is there goes on under what it was begun with.
void refuse_other_corpus(const GenerationSpec& there, const GenerationSpec& asked,
                         const GenerateOptions& options) {
  const auto refuse = [&](const char* what) {
    throw UsageError(fmt::format(
        "the corpus in {} was begun with another {}; name a new folder by --to", options.to, what));
  };
  if (there.esox_version != asked.esox_version) refuse("version of esox");
  if (there.server_version != asked.server_version) refuse("version of the server");
  if (there.server_options != asked.server_options) refuse("--server-option");
  if (there.grammar != asked.grammar) refuse("grammar");
  if (there.taught != asked.taught) refuse("--from");
  if (there.shard != asked.shard) refuse("--shard");
  if (there.feedback != asked.feedback) refuse("--no-feedback");
  if (there.data_choices != asked.data_choices) refuse("--data-choices");
  if (there.background != asked.background) refuse("--background");
  if (!options.seed.empty() && there.seed != seed_of(options.seed)) refuse("--seed");
}

GenerationState state_of(MadeCorpus& corpus, const GenerationSpec& asked,
                         const GenerateOptions& options, const std::filesystem::path& store) {
  if (corpus.begun()) {
    GenerationState state = corpus.read();
    refuse_other_corpus(state.spec, asked, options);
    return state;
  }
  GenerationState state;
  state.spec = asked;
  state.spec.seed = seed_of(options.seed);
  state.spec.started = utc_now();
  state.spec.id = digest_of(fmt::format("{} {} {}", state.spec.started, state.spec.seed,
                                        std::filesystem::absolute(options.to).string()));
  if (!options.no_store) state.causes = told_causes(store);
  corpus.begin(state);
  return state;
}

FunnelSettings funnel_settings(const GenerateOptions& options, const Workbench& bench,
                               const GenerationSpec& spec, const std::string& kind) {
  SearchOptions search = options.search;
  search.seed = std::to_string(spec.seed);
  search.learn = "off";
  FunnelSettings settings;
  settings.exploration = exploration_settings(search);
  settings.exploration.filters = load_filters(options.filters, kind);
  settings.exploration.server = {bench.description.version, bench.description.options};
  settings.by = {bench.description, kEsoxVersion, control_record(bench.executor.control),
                 static_cast<uint64_t>(settings.exploration.clock_base_ns)};
  settings.feedback = spec.feedback;
  return settings;
}

// What a hunt's report says of the launch.
GenerationLaunch launch_of(const GenerateOptions& options, const Workbench& bench,
                           const FunnelSettings& funnel, unsigned jobs) {
  GenerationLaunch launch;
  launch.preload = options.common.preload;
  launch.isolation = options.common.isolation;
  HuntReport& facts = launch.facts;
  facts.esox_version = kEsoxVersion;
  facts.server_version = bench.description.version;
  facts.server_path = bench.description.path;
  facts.server_options = bench.description.options;
  facts.strategy = funnel.exploration.strategy_text;
  facts.jobs = jobs;
  facts.not_summarised = bench.not_summarised;
  facts.filters = empty_account(funnel.exploration.filters.get());
  facts.ended = true;
  return launch;
}

// For those who watch from another process.
void tell_watchers(const std::string& out, const GenerationProgress& now,
                   const GenerationState& state) {
  HuntProgress progress;
  progress.executions = state.totals.executions;
  progress.runs = now.executed;
  progress.findings = state.totals.findings;
  progress.seconds = now.seconds;
  write_whole_file(std::filesystem::path(out) / "progress.json", progress_json(progress));
}

void run_generation(Generation& generation, const std::string& out, const GenerationState& start,
                    Progress& progress) {
  GenerationFigures before = figures_of(start);
  uint64_t findings = start.totals.findings;
  double told_s = 0;
  generation.run([&](const GenerationProgress& now, const GenerationState& state) {
    if (now.epoch_ended || now.seconds > told_s + kTellEvery_s) {
      tell_watchers(out, now, state);
      told_s = now.seconds;
    }
    if (!now.epoch_ended) {
      return progress.show(fmt::format("epoch {}: {} executions, {:.0f}/s", state.epochs + 1,
                                       now.executed,
                                       static_cast<double>(now.executed) / now.seconds));
    }
    if (state.totals.findings != findings) {
      findings = state.totals.findings;
      for (const CorpusMember& one : state.members) {
        if (one.epoch != state.epochs) continue;
        for (const auto& [cause, line] : one.tally.findings) {
          progress.say(fmt::format("found: {}, {}", class_name(line.verdict), line.headline));
        }
      }
    }
    progress.say(epoch_line(state, before));
    before = figures_of(state);
  });
  progress.clear();
}

// Into the triage store; what cannot be stored now can be later, and the status then says so.
std::vector<Filed> store_found(const std::filesystem::path& store, const GenerateOptions& options,
                               int& status) {
  try {
    Store opened(store);
    std::vector<Filed> filed = record_hunt(opened, options.to);
    std::fputs(filed_text(filed, store).c_str(), options.common.json.on_stdout() ? stderr : stdout);
    return filed;
  } catch (...) {
    status = tell_error(std::current_exception());
    return {};
  }
}

int generate(const GenerateOptions& options) {
  check_shard(options);
  const Target& target = target_of(options.common.server);
  const std::filesystem::path grammar_file = grammar_of(options, target);
  const std::shared_ptr<const Grammar> grammar = read_grammar(grammar_file, languages());
  const std::optional<std::chrono::milliseconds> budget =
      options.budget.empty() ? std::nullopt
                             : std::optional(duration_given("--budget", options.budget));
  const std::vector<Input> taught = taught_inputs(options, target);
  const StopSignals signals;
  Workbench bench = make_workbench(options.common, target.name());
  bench.executor.contexts = options.search.background != "off";
  const std::filesystem::path store =
      options.store.empty() ? default_store(options.to) : std::filesystem::path(options.store);
  const auto jobs = options.jobs != 0
                        ? options.jobs
                        : static_cast<unsigned>(std::min(usable_cores(), kMostDefaultWorkers));
  GenerationState state;
  double seconds = 0;
  {
    MadeCorpus corpus(options.to);
    state = state_of(corpus, asked_of(options, bench, grammar_file, taught), options, store);
    make_folder(std::filesystem::path(options.to) / "findings");
    Maker maker(grammar);
    GenerationSettings settings;
    settings.funnel = funnel_settings(options, bench, state.spec, target.name());
    settings.jobs = jobs;
    settings.budget = budget;
    if (options.executions != 0) settings.executions = options.executions;
    ExecutorOptions executor = bench.executor;
    executor.execution_limit = kExecutionLimit;
    Generation generation(server_executors(*bench.server, executor), state, maker, corpus, taught,
                          settings, signals.stop());
    Progress progress(stderr);
    const auto began = std::chrono::steady_clock::now();
    run_generation(generation, options.to, state, progress);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    GenerationLaunch launch = launch_of(options, bench, settings.funnel, jobs);
    launch.facts.seconds = seconds;
    launch.facts.interrupted = signals.stop().load();
    write_as_hunt(options.to, state, launch);
  }
  put_report(options.common.json,
             generation_text(options.to, state, seconds) +
                 fmt::format("All of it is in {0}/; esox hunt {0} hunts with it\n", options.to),
             generation_json(options.to, state, seconds));
  int status = kNothingFound;
  std::vector<Filed> filed;
  if (!options.no_store) filed = store_found(store, options, status);
  if (status != kNothingFound) return status;
  return fails_on(options.fail_on, state.totals.findings, filed) ? kFound : kNothingFound;
}

}  // namespace

void add_generate_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<GenerateOptions>(
      app, chosen,
      {"generate", "make inputs that nobody wrote, by what executions show", kGenerateExamples},
      generate);
  command.add_option("--to", options.to, "the corpus: a new folder, or one to go on with")
      ->required();
  command
      .add_option("--grammar", options.grammar,
                  "a grammar of the server's requests (default: the one that comes with esox)")
      ->type_name("FILE");
  command.add_option("--from", options.from, "begin with the inputs of this corpus")
      ->type_name("FOLDER");
  command.add_defaulted("--top", options.top,
                        "of that corpus: only so many inputs, the best-ranked",
                        within(size_t{1}, kMostTaught));
  command.add_option("--budget", options.budget, "end after so long: 90s, 2m, 1h30m");
  command
      .add_option("--executions", options.executions,
                  "begin nothing more after so many, of all launches together")
      ->check(within(uint64_t{1}, kMostGenerated));
  command.add_option(
      "--seed", options.seed,
      "all choices follow from it (default: drawn, and told; of a corpus that is there: its own)");
  command
      .add_option("--jobs", options.jobs, "workers, each with a server (default: cores, at most 4)")
      ->check(within(1u, kMostWorkers));
  command.add_option(
      "--shard", options.shard,
      "what machine NUMBER of OF does, such as 3/20: each makes other inputs; needs --seed");
  command.add_flag("--no-feedback", options.no_feedback,
                   "what is kept, and what becomes of it, is left to chance: to measure what the "
                   "feedback is worth");
  add_data_choices_option(command, options.common, "timer");
  add_background_option(command, options.search);
  add_common_options(command, options.common);
  add_filter_options(command, options.filters);
  add_isolation_option(command, options.common);
  add_store_options(command, options.store, options.no_store, options.fail_on, "--to");
}

}  // namespace esox
