// SPDX-License-Identifier: Apache-2.0
// A night in Prometheus' text format: a file that is replaced whole.
#include <fmt/format.h>

#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/rows.h"
#include "harness/nights/night/night_summary_files.h"

namespace esox {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : printable(value)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

std::string labels_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value));
  }
  return text.empty() ? "" : "{" + text + "}";
}

class Metrics {
 public:
  // Begins a metric; the samples that follow are its own.
  void begin(const char* name, const char* help) {
    name_ = fmt::format("esox_night_{}", name);
    text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name_, help);
  }
  void sample(double value, const Labels& labels = {}) {
    text_ += fmt::format("{}{} {}\n", name_, labels_text(labels), value);
  }
  void one(const char* name, const char* help, double value) {
    begin(name, help);
    sample(value);
  }
  std::string text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

// 0 for none.
double epoch_of(const std::string& iso) {
  std::tm utc{};
  if (strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc) == nullptr) return 0;
  return static_cast<double>(timegm(&utc));
}

void put_night(Metrics& metrics, const NightSummary& summary) {
  const NightReport& night = summary.night;
  metrics.begin("info", "The hunt file, and esox's version.");
  metrics.sample(1, {{"name", night.name}, {"version", night.esox_version}});
  metrics.one("start_timestamp_seconds", "When the night began.", epoch_of(night.started));
  metrics.one("end_timestamp_seconds", "When it ended; 0 while it goes on or if it was killed.",
              epoch_of(night.ended));
  metrics.one("duration_seconds", "How long it took, over all launches.", night.seconds);
  metrics.one("budget_seconds", "How long it was to take; 0 if it was not told.",
              night.budget_s.value_or(0));
  metrics.one("complete", "1 if it ended and nothing is missing.",
              !night.ended.empty() && summary.missing.empty() ? 1 : 0);
  metrics.one("missing", "Things that were not done or may be lost.",
              static_cast<double>(summary.missing.size()));
  metrics.one("launches", "How often it was begun or resumed.",
              static_cast<double>(night.launches));
}

void put_findings(Metrics& metrics, const NightSummary& summary) {
  metrics.begin("findings", "Findings that nobody marked known or false positive, by their fate.");
  for (const Fate fate : kFates) {
    metrics.sample(static_cast<double>(summary.count(fate)), {{"fate", fate_name(fate)}});
  }
  metrics.one("findings_known", "Findings marked known or false positive that were met.",
              static_cast<double>(summary.closed.size()));
  metrics.one("recheck_seconds", "Time spent on schedules of known findings.",
              summary.night.recheck_s);
  metrics.begin("rechecks", "Schedules of known findings that were tried again, by result.");
  for (const auto& [result, count] : summary.rechecks) {
    metrics.sample(static_cast<double>(count), {{"result", result}});
  }
}

struct StageMetric {
  const char* name;
  const char* help;
  std::function<double(const StageReport&)> value;
};

const std::vector<StageMetric>& stage_metrics() {
  static const std::vector<StageMetric> kAll = {
      {"stage_budget_seconds", "Time planned for the stage.",
       [](auto& stage) { return stage.budget_s; }},
      {"stage_duration_seconds", "Time it had.", [](auto& stage) { return stage.seconds; }},
      {"stage_inputs_planned", "Inputs times engines that it was to try.",
       [](auto& stage) { return static_cast<double>(stage.inputs_planned); }},
      {"stage_inputs_reached", "Of them, those that had executions.",
       [](auto& stage) { return static_cast<double>(stage.inputs_reached); }},
      {"stage_executions", "Concurrent executions.",
       [](auto& stage) { return static_cast<double>(stage.executions); }},
      {"stage_executions_degraded", "Of them, those that were not judged, for control was lost.",
       [](auto& stage) { return static_cast<double>(stage.degraded); }},
      {"stage_occurrences", "Violations that it kept, each cause on each input once.",
       [](auto& stage) { return static_cast<double>(stage.findings); }},
      {"stage_restarts", "How often its process had to be begun again.",
       [](auto& stage) { return static_cast<double>(stage.restarts); }},
      {"stage_workers_replaced", "Stuck workers that got another server.",
       [](auto& stage) { return static_cast<double>(stage.workers_replaced); }},
      {"stage_failed", "1 if an error ended it.",
       [](auto& stage) { return stage.failure.empty() ? 0.0 : 1.0; }}};
  return kAll;
}

Labels labels_of(const StageReport& stage) {
  return {{"stage", stage.name}, {"server", stage.server_name}, {"corpus", stage.corpus}};
}

void put_stages(Metrics& metrics, const NightReport& night) {
  for (const StageMetric& metric : stage_metrics()) {
    metrics.begin(metric.name, metric.help);
    for (const StageReport& stage : night.stages)
      metrics.sample(metric.value(stage), labels_of(stage));
  }
  metrics.begin("stage_worker_seconds", "Where the time of its workers went.");
  for (const StageReport& stage : night.stages) {
    for (const auto& [name, seconds] :
         {std::pair{"executing", stage.time.executing_s},
          std::pair{"preparing", stage.time.preparing_s}, std::pair{"other", stage.time.other_s}}) {
      Labels labels = labels_of(stage);
      labels.emplace_back("activity", name);
      metrics.sample(seconds, labels);
    }
  }
}

}  // namespace

std::string night_metrics(const NightSummary& summary) {
  Metrics metrics;
  put_night(metrics, summary);
  put_findings(metrics, summary);
  put_stages(metrics, summary.night);
  return metrics.text();
}

}  // namespace esox
