// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/hunt_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/mapped.h"
#include "base/time/utc.h"
#include "filters/reader.h"
#include "harness/commands/command.h"
#include "harness/commands/workbench.h"
#include "harness/engine/known_servers.h"
#include "harness/hunt/pinning.h"
#include "harness/import/corpus_reader.h"
#include "harness/records/out_folder.h"
#include "harness/search/input_ranking.h"
#include "inputs/reader.h"
#include "inputs/settings.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDefaultJobs = 4;  // at most, by default

// The corpus among the paths, of which there may be one, alone.
std::optional<fs::path> corpus_of(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!is_corpus(path)) continue;
    if (paths.size() == 1) return path;
    throw UsageError(
        fmt::format("{} is a corpus; hunt it alone, or name files in its inputs/", path));
  }
  return std::nullopt;
}

// What is wrong with one of many costs that one alone, and is told among what was skipped.
std::vector<Input> read_wanted(const HuntOptions& options, std::vector<SkippedInput>& skipped) {
  if (options.inputs.empty())
    return read_inputs(target_of(options.common.server).hunted_inputs(), languages());
  const auto corpus = corpus_of(options.inputs);
  if (corpus) return read_corpus(*corpus, options.all ? SIZE_MAX : options.top);
  std::vector<InputError> refused;
  std::vector<Input> inputs = read_inputs(
      std::vector<fs::path>(options.inputs.begin(), options.inputs.end()), languages(), &refused);
  for (const InputError& one : refused) {
    skipped.push_back({{fmt::format("{}:{}", one.file(), one.line()), "", ""}, one.message()});
  }
  return inputs;
}

std::optional<std::chrono::milliseconds> budget_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return duration_given("--budget", text);
}

unsigned jobs_of(unsigned asked) {
  return asked != 0 ? asked : static_cast<unsigned>(std::min(usable_cores(), kDefaultJobs));
}

HuntSettings settings_of(const HuntOptions& options) {
  HuntSettings settings;
  settings.exploration = exploration_settings(options.search);
  settings.esox_version = kEsoxVersion;
  settings.executions_each = options.executions;
  settings.jobs = jobs_of(options.jobs);
  settings.budget = budget_of(options.budget);
  settings.wave = options.wide;
  settings.stuck_after = duration_given("--stuck-after", options.stuck_after);
  settings.out = options.out.empty() ? default_out() : fs::path(options.out);
  check_out(settings.out);
  return settings;
}

HuntSettings settings_of(const HuntSpec& spec, const HuntOptions& options) {
  SearchOptions search;
  search.strategy = spec.strategy;
  search.seed = std::to_string(spec.seed);
  search.learn = spec.learn ? "on" : "off";
  search.background = name_in(kBackgroundNames, spec.background);
  HuntSettings settings;
  settings.exploration = exploration_settings(search);
  settings.esox_version = kEsoxVersion;
  settings.executions_each = spec.executions_each;
  settings.jobs = options.jobs != 0 ? options.jobs : spec.jobs;
  settings.wave = spec.wave;
  settings.stuck_after = duration_given("--stuck-after", options.stuck_after);
  settings.budget = budget_of(options.budget);
  if (options.budget.empty() && spec.budget_s) {
    settings.budget = std::chrono::milliseconds(static_cast<int64_t>(*spec.budget_s * 1000));
  }
  settings.out = options.resume;
  settings.skip_failing_setups = spec.skip_failing_setups;
  if (spec.filters) {
    settings.exploration.filters =
        std::make_shared<const RuleSet>(parse_rules(spec.filter_texts, known_servers()));
  }
  return settings;
}

// What an option names, whatever the folder is from which the hunt goes on.
std::string absolute(const std::string& path) {
  std::error_code error;
  return path.empty() ? "" : fs::absolute(path, error).string();
}

// Of several hunts that know of an input, the one named last counts.
Learnt learnt_of(const HuntOptions& options) {
  Learnt learnt;
  for (const std::string& folder : options.learn_from) {
    const auto earlier = HuntState::open(folder);
    learnt.server_versions.insert(earlier->spec().server_version);
    for (auto& [key, experience] : earlier->experiences()) {
      learnt.experiences.insert_or_assign(key, std::move(experience));
    }
    merge_pools(earlier->grown_pool(), learnt.pool);
  }
  return learnt;
}

// All shards of a campaign have one seed, so it is not drawn here.
std::optional<Shard> shard_of(const HuntOptions& options) {
  if (options.shard.empty()) return std::nullopt;
  const auto shard = shard_from_text(options.shard);
  if (!shard) {
    throw UsageError(fmt::format("--shard {}: write NUMBER/OF, such as 3/20; at most {}",
                                 options.shard, kMostShards));
  }
  if (options.search.seed.empty()) {
    throw UsageError("--shard needs --seed: all shards of one hunt have the same");
  }
  return shard;
}

void note_shard(HuntAssignment& assignment, const HuntOptions& options) {
  const std::optional<Shard> shard = shard_of(options);
  if (!shard) return;
  assignment.shard = ShardPlace{"", *shard, assignment.inputs.size(), options.campaign};
  assignment.campaign.name = options.campaign;
  assignment.campaign.inputs_digest = inputs_digest(assignment.inputs);
}

// Of a shard without inputs there is nothing to put in order.
bool has_work(const HuntAssignment& assignment) {
  return !assignment.shard || !part_of(assignment.inputs, assignment.shard->shard).empty();
}

ShardPlace place_of(const HuntAssignment& assignment, const HuntSpec& spec) {
  CampaignFacts facts = assignment.campaign;
  facts.esox_version = spec.esox_version;
  facts.server_version = spec.server_version;
  facts.server_digest = file_digest(spec.server);
  facts.server_options = spec.server_options;
  facts.data_choices = spec.data_choices;
  facts.background = spec.background;
  facts.strategy = spec.strategy;
  facts.seed = spec.seed;
  facts.learn = spec.learn;
  for (const FilterText& one : spec.filter_texts) facts.filter_texts.push_back(one.text);
  ShardPlace place = assignment.shard.value();
  facts.shards = place.shard.of;
  place.campaign = campaign_of(facts);
  return place;
}

}  // namespace

HuntAssignment assignment_of(const HuntOptions& options) {
  HuntAssignment assignment;
  assignment.common = options.common;
  assignment.settings = settings_of(options);
  assignment.corpus = corpus_of(options.inputs);
  assignment.learnt = learnt_of(options);
  assignment.gate = !options.no_gate;
  assignment.under_settings = !options.settings.empty();
  std::vector<Input> wanted = read_wanted(options, assignment.skipped);
  const auto written_for = mapped<const RequestLanguage*>(wanted, &Input::language);
  adapt_inputs(wanted, options.common.server);
  assignment.adapted = mapped<const RequestLanguage*>(wanted, &Input::language) != written_for;
  add_structures(wanted, options.search);
  std::vector<std::string> left_out;
  assignment.inputs = instantiate_all(wanted, options.search, &left_out);
  for (const std::string& id : left_out) {
    assignment.skipped.push_back({{id, "", ""}, "it is not meant for the engines asked for"});
  }
  if (assignment.under_settings) {
    assignment.inputs = under_settings(std::move(assignment.inputs),
                                       read_settings(options.settings, *wanted.front().language));
  }
  assignment.kind = server_kind(assignment.inputs);
  assignment.settings.exploration.filters = load_filters(options.filters, assignment.kind);
  // A campaign is known by all inputs, whatever is the turn of this shard's tonight.
  note_shard(assignment, options);
  if (!options.ranking.empty() && has_work(assignment)) {
    assignment.inputs = in_order(std::move(assignment.inputs), options.ranking);
  }
  if (assignment.shard) {
    assignment.inputs = part_of(std::move(assignment.inputs), assignment.shard->shard);
  }
  return assignment;
}

HuntAssignment resumed_assignment(const HuntOptions& options) {
  HuntAssignment assignment;
  assignment.state = HuntState::open(options.resume);
  const HuntSpec& spec = assignment.state->spec();
  if (spec.esox_version != kEsoxVersion) {
    throw UsageError(fmt::format(
        "the hunt in {} was begun by esox {}, this is {}; go on with that one, or hunt anew",
        options.resume, spec.esox_version, kEsoxVersion));
  }
  assignment.common.server = spec.server;
  assignment.common.server_options = spec.server_options;
  assignment.common.preload = spec.preload;
  assignment.common.isolation = spec.isolation;
  assignment.common.data_choices = spec.data_choices;
  assignment.common.json = options.common.json;
  assignment.settings = settings_of(spec, options);
  assignment.inputs = assignment.state->inputs();
  assignment.kind = spec.server_kind.empty() ? server_kind(assignment.inputs) : spec.server_kind;
  assignment.shard = spec.shard;
  assignment.skipped = spec.skipped;
  if (!spec.corpus.empty()) assignment.corpus = spec.corpus;
  assignment.gate = spec.gate;
  assignment.under_settings = spec.settings;
  return assignment;
}

HuntSpec spec_of(const HuntAssignment& assignment, const HuntSettings& settings) {
  HuntSpec spec;
  spec.started = utc_now();
  spec.esox_version = settings.esox_version;
  spec.server_version = settings.server.version;
  spec.server = settings.server.path;
  spec.server_options = settings.server.options;
  spec.preload = absolute(assignment.common.preload);
  spec.isolation = assignment.common.isolation;
  spec.data_choices = assignment.common.data_choices;
  spec.strategy = settings.exploration.strategy_text;
  spec.seed = settings.exploration.hunt_seed;
  spec.learn = settings.exploration.learn;
  spec.background = settings.exploration.background;
  spec.executions_each = settings.executions_each;
  spec.wave = settings.wave;
  if (settings.budget) spec.budget_s = std::chrono::duration<double>(*settings.budget).count();
  spec.jobs = settings.jobs;
  spec.gate = assignment.gate;
  spec.settings = assignment.under_settings;
  spec.skip_failing_setups = settings.skip_failing_setups;
  if (assignment.corpus) spec.corpus = absolute(assignment.corpus->string());
  if (settings.exploration.filters) {
    spec.filters = true;
    spec.filter_texts = settings.exploration.filters->texts;
  }
  spec.skipped = assignment.skipped;
  spec.server_kind = assignment.kind;
  if (assignment.shard) {
    spec.shard = place_of(assignment, spec);
    spec.id = shard_hunt_id(spec.shard->campaign, spec.shard->shard);
  }
  return spec;
}

void refuse_other_server(const HuntAssignment& assignment, const FindingServer& server) {
  const std::string& then = assignment.state->spec().server_version;
  if (then == server.version) return;
  throw UsageError(fmt::format("the hunt in {} was begun on {}, and {} is {} by now; hunt anew",
                               assignment.settings.out.string(), then, server.path,
                               server.version));
}

}  // namespace esox
