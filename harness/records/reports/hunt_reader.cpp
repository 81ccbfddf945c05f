// SPDX-License-Identifier: Apache-2.0
// See hunt_reader.h.
#include "harness/records/reports/hunt_reader.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/records/reports/json_fields.h"
#include "harness/records/reports/report_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

VerdictClass class_of(const Json& json) {
  const std::string name = json.at("class").get<std::string>();
  const auto verdict = class_from_name(name);
  if (!verdict) throw ReportError(fmt::format("the class '{}' is not one that esox knows", name));
  return *verdict;
}

// Input, engine and setting: the names of an exploration.
template <class T>
void take_place(const Json& json, T& value) {
  value.input = json.at("input").get<std::string>();
  take(json, "engine", value.engine);
  take(json, "setting", value.setting);
}

void take_finding(const Json& json, HuntFinding& finding) {
  finding.id = json.at("id").get<std::string>();
  take_place(json, finding);
  finding.verdict = class_of(json);
  take(json, "title", finding.title);
  take(json, "latent", finding.latent);
  take(json, "hits", finding.hits);
  take(json, "executions", finding.executions);
  take(json, "first_execution", finding.first_execution);
  take(json, "seed", finding.seed);
  take(json, "cause", finding.cause);
  take(json, "brief", finding.brief);
  take(json, "critical", finding.critical);
  take(json, "smaller", finding.smaller);
  std::string folder;
  take(json, "folder", folder);
  finding.folder = folder;
}

void take_unconfirmed(const Json& json, UnconfirmedViolation& violation) {
  take_place(json, violation);
  violation.verdict = class_of(json);
  take(json, "hits", violation.hits);
  take(json, "first_execution", violation.first_execution);
  take(json, "seed", violation.seed);
  take(json, "doubt", violation.doubt);
  take(json, "cause", violation.cause);
}

void take_masked_place(const Json& json, InputMasks::Place& place) {
  take(json, "place", place.name);
  take(json, "orders", place.orders);
}

void take_arm(const Json& json, ArmFigures& arm) {
  take(json, "strategy", arm.strategy);
  take(json, "judged", arm.judged);
  take(json, "earned", arm.earned);
}

void take_masks(const Json& json, InputMasks& masks) {
  take_place(json, masks);
  take_list(json, "places", masks.places, take_masked_place);
}

void take_rule(const Json& json, RuleAccount& rule) {
  rule.name = json.at("rule").get<std::string>();
  take(json, "kind", rule.kind);
  take(json, "owner", rule.owner);
  take(json, "reason", rule.reason);
  take(json, "executions", rule.executions);
  const auto example = json.find("example");
  if (example == json.end() || !example->is_object()) return;
  take(*example, "input", rule.input);
  take(*example, "engine", rule.engine);
  take(*example, "execution", rule.execution);
  take(*example, "seed", rule.seed);
  take(*example, "forgiven", rule.example);
}

void take_skipped(const Json& json, SkippedInput& skipped) {
  take_place(json, skipped);
  take(json, "why", skipped.why);
}

void take_coverage(const Json& json, CoverageFigures& seen) {
  take(json, "judged", seen.judged);
  take(json, "schedules", seen.schedules);
  take(json, "schedules_once", seen.schedules_once);
  take(json, "outcomes", seen.outcomes);
  take(json, "outcomes_once", seen.outcomes_once);
  take(json, "pairs", seen.pairs);
  take(json, "pairs_both_ways", seen.pairs_both_ways);
  take(json, "conflicting_sites", seen.sites);
}

void take_warning(const Json& json, HuntWarning& warning) {
  take(json, "id", warning.id);
  take(json, "lines", warning.lines);
  take(json, "tried", warning.tried);
  take(json, "hits", warning.hits);
}

void take_figures(const Json& json, InputFigures& figures) {
  take_place(json, figures);
  take(json, "title", figures.title);
  take(json, "clients", figures.clients);
  take(json, "points", figures.points);
  take(json, "executions", figures.executions);
  take(json, "degraded", figures.degraded);
  take(json, "violations", figures.violations);
  take(json, "findings", figures.findings);
  take(json, "yield", figures.yield);
  take_list(json, "arms", figures.arms, take_arm);
  take_list(json, "warnings", figures.warnings, take_warning);
  const auto seen = json.find("seen");
  if (seen != json.end()) take_coverage(*seen, figures.coverage);
  const auto search = json.find("search");
  if (search == json.end()) return;
  take(*search, "said", figures.search.said);
  take(*search, "exhausted", figures.search.exhausted);
}

void take_head(const Json& json, HuntReport& report) {
  report.esox_version = json.at("version").get<std::string>();
  report.seed = json.at("seed").get<uint64_t>();
  report.executions = json.at("executions").get<uint64_t>();
  take(json, "strategy", report.strategy);
  take(json, "engines", report.engines);
  take(json, "jobs", report.jobs);
  take(json, "executions_each", report.executions_each);
  double budget_s = 0;
  take(json, "budget_seconds", budget_s);
  if (budget_s > 0) report.budget_s = budget_s;
  take(json, "started", report.started);
  take(json, "seconds", report.seconds);
  take(json, "ended", report.ended);
  take(json, "interrupted", report.interrupted);
  take(json, "failure", report.failure);
  take(json, "not_summarised", report.not_summarised);
}

void take_server(const Json& json, HuntReport& report) {
  const auto server = json.find("server");
  if (server == json.end()) return;
  take(*server, "version", report.server_version);
  take(*server, "path", report.server_path);
  take(*server, "options", report.server_options);
}

void take_counts(const Json& json, HuntReport& report) {
  take(json, "inputs", report.inputs);
  take(json, "explorations", report.explorations);
  take(json, "explorations_touched", report.touched);
  take(json, "executions_planned", report.planned);
  take(json, "learn", report.learn);
  take(json, "degraded", report.degraded);
  take(json, "serial_executions", report.serial_executions);
  take(json, "serial_steps", report.serial_steps);
  take(json, "serial_states", report.serial_states);
  take(json, "replays", report.replays);
  take(json, "memory_kib", report.memory_kib);
  take(json, "server_failures", report.server_failures);
  take(json, "workers_replaced", report.workers_replaced);
  take(json, "degraded_reasons", report.degraded_reasons);
  take_worker_time(json, report.time);
}

void take_lives(const Json& json, RunLives& lives) {
  const auto snapshots = json.find("snapshots");
  if (snapshots == json.end()) return;
  take(*snapshots, "forked", lives.forked);
  take(*snapshots, "rewound", lives.rewound);
  take(*snapshots, "not_rewound", lives.refused);
  take(*snapshots, "not_rewound_because", lives.why);
  take(*snapshots, "restarted", lives.restarted);
  take(*snapshots, "restarted_because", lives.why_restarted);
}

void take_gate(const Json& json, HuntReport& report) {
  const auto gate = json.find("gate");
  if (gate == json.end() || !gate->is_object()) return;
  report.gate.emplace();
  take(*gate, "runs", report.gate->runs);
  take(*gate, "same_trace", report.gate->same_trace);
  take(*gate, "same_outcome", report.gate->same_outcome);
  take(*gate, "differences", report.gate->differences);
}

void take_shard(const Json& json, HuntReport& report) {
  take(json, "id", report.id);
  const auto shard = json.find("shard");
  if (shard == json.end() || !shard->is_object()) return;
  ShardPlace& place = report.shard.emplace();
  take(*shard, "campaign", place.campaign);
  take(*shard, "name", place.name);
  take(*shard, "number", place.shard.number);
  take(*shard, "of", place.shard.of);
  take(*shard, "explorations_of_all", place.explorations);
  const bool sensible = place.shard.number >= 1 && place.shard.number <= place.shard.of &&
                        place.shard.of <= kMostShards;
  if (!sensible) throw ReportError("its shard makes no sense");
}

HuntReport report_of(const Json& json) {
  HuntReport report;
  take_shard(json, report);
  take_head(json, report);
  take_server(json, report);
  take_counts(json, report);
  take_lives(json, report.lives);
  take_gate(json, report);
  json.at("findings");  // there must be a list, if only an empty one
  take_list(json, "findings", report.findings, take_finding);
  take_list(json, "unconfirmed", report.unconfirmed, take_unconfirmed);
  take_list(json, "filters", report.filters, take_rule);
  take_list(json, "nondeterminism", report.nondeterminism, take_masks);
  take_list(json, "skipped", report.skipped, take_skipped);
  take_list(json, "explored", report.figures, take_figures);
  return report;
}

// nlohmann's "[json.exception.out_of_range.403] key 'seed' not found" without what is in brackets.
std::string without_number(const std::string& what) {
  const size_t end = what.find("] ");
  return what.starts_with('[') && end != std::string::npos ? what.substr(end + 2) : what;
}

}  // namespace

HuntReport hunt_from_json(const std::string& text, const std::string& file) {
  try {
    return report_of(Json::parse(text));
  } catch (const Json::parse_error& error) {
    throw ReportError(
        fmt::format("{}: damaged at byte {}; it may have been cut off: copy it anew, or hunt again",
                    file, error.byte));
  } catch (const Json::exception& error) {
    throw ReportError(
        fmt::format("{}: not the report of a hunt: {}; name the folder that a hunt "
                    "made (its OUT)",
                    file, without_number(error.what())));
  } catch (const ReportError& error) {
    throw ReportError(
        fmt::format("{}: {}; it may be of another version of esox", file, error.what()));
  }
}

std::string read_report_file(const fs::path& path, uint64_t limit) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) {
    throw ReportError(fmt::format("cannot read {}: {}", path.string(), error.message()));
  }
  if (size > limit) {
    throw ReportError(fmt::format("{}: of {} bytes, {} are the limit", path.string(), size, limit));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) {
    throw ReportError(fmt::format("cannot read {}: it is not a whole file", path.string()));
  }
  return text;
}

HuntReport read_hunt(const fs::path& out) {
  std::error_code error;
  const fs::path file = out / "hunt.json";
  if (!fs::is_regular_file(file, error)) {
    throw ReportError(
        fmt::format("{} is not the folder of a hunt: there is no hunt.json in it; "
                    "name the folder that a hunt made (its OUT)",
                    out.string()));
  }
  return hunt_from_json(read_report_file(file, kMaxHuntBytes), file.string());
}

}  // namespace esox
