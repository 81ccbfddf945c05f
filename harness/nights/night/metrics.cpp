// SPDX-License-Identifier: Apache-2.0
// See metrics.h.
#include "harness/nights/night/metrics.h"

#include <fmt/format.h>

#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/rows.h"
#include "harness/nights/night/morning.h"

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

void put_night(Metrics& metrics, const Morning& morning) {
  const NightReport& night = morning.night;
  metrics.begin("info", "The hunt file, and esox's version.");
  metrics.sample(1, {{"name", night.name}, {"version", night.esox_version}});
  metrics.one("start_timestamp_seconds", "When the night began.", epoch_of(night.started));
  metrics.one("end_timestamp_seconds", "When it ended; 0 while it goes on or if it was killed.",
              epoch_of(night.ended));
  metrics.one("duration_seconds", "How long it took, over all sittings.", night.seconds);
  metrics.one("budget_seconds", "How long it was to take; 0 if it was not told.",
              night.budget_s.value_or(0));
  metrics.one("complete", "1 if it ended and nothing is missing.",
              !night.ended.empty() && morning.missing.empty() ? 1 : 0);
  metrics.one("missing", "Things that were not done or may be lost.",
              static_cast<double>(morning.missing.size()));
  metrics.one("sittings", "How often it was begun or resumed.",
              static_cast<double>(night.sittings));
}

void put_findings(Metrics& metrics, const Morning& morning) {
  metrics.begin("findings", "Findings that nobody marked known or false positive, by their fate.");
  for (const Fate fate : kFates) {
    const auto found = morning.counts.find(fate);
    metrics.sample(found == morning.counts.end() ? 0 : static_cast<double>(found->second),
                   {{"fate", fate_name(fate)}});
  }
  metrics.one("findings_known", "Findings marked known or false positive that were met.",
              static_cast<double>(morning.closed.size()));
  metrics.one("recheck_seconds", "Time spent on schedules of known findings.",
              morning.night.recheck_s);
  metrics.begin("rechecks", "Schedules of known findings that were tried again, by result.");
  for (const auto& [result, count] : morning.rechecks) {
    metrics.sample(static_cast<double>(count), {{"result", result}});
  }
}

struct LegMetric {
  const char* name;
  const char* help;
  std::function<double(const LegReport&)> value;
};

const std::vector<LegMetric>& leg_metrics() {
  static const std::vector<LegMetric> kAll = {
      {"leg_budget_seconds", "Time planned for the leg.", [](auto& leg) { return leg.budget_s; }},
      {"leg_duration_seconds", "Time it had.", [](auto& leg) { return leg.seconds; }},
      {"leg_inputs_planned", "Inputs times engines that it was to try.",
       [](auto& leg) { return static_cast<double>(leg.inputs_planned); }},
      {"leg_inputs_reached", "Of them, those that had executions.",
       [](auto& leg) { return static_cast<double>(leg.inputs_reached); }},
      {"leg_executions", "Concurrent executions.",
       [](auto& leg) { return static_cast<double>(leg.executions); }},
      {"leg_executions_degraded", "Of them, those that were not judged, for control was lost.",
       [](auto& leg) { return static_cast<double>(leg.degraded); }},
      {"leg_occurrences", "Violations that it kept, each cause on each input once.",
       [](auto& leg) { return static_cast<double>(leg.findings); }},
      {"leg_restarts", "How often its process had to be begun again.",
       [](auto& leg) { return static_cast<double>(leg.restarts); }},
      {"leg_workers_replaced", "Stuck workers that got another server.",
       [](auto& leg) { return static_cast<double>(leg.workers_replaced); }},
      {"leg_failed", "1 if an error ended it.",
       [](auto& leg) { return leg.failure.empty() ? 0.0 : 1.0; }}};
  return kAll;
}

Labels labels_of(const LegReport& leg) {
  return {{"leg", leg.name}, {"server", leg.server_name}, {"corpus", leg.corpus}};
}

void put_legs(Metrics& metrics, const NightReport& night) {
  for (const LegMetric& metric : leg_metrics()) {
    metrics.begin(metric.name, metric.help);
    for (const LegReport& leg : night.legs) metrics.sample(metric.value(leg), labels_of(leg));
  }
  metrics.begin("leg_worker_seconds", "Where the time of its workers went.");
  for (const LegReport& leg : night.legs) {
    for (const auto& [name, seconds] :
         {std::pair{"executing", leg.time.executing_s},
          std::pair{"preparing", leg.time.preparing_s}, std::pair{"other", leg.time.other_s}}) {
      Labels labels = labels_of(leg);
      labels.emplace_back("activity", name);
      metrics.sample(seconds, labels);
    }
  }
}

}  // namespace

std::string night_metrics(const Morning& morning) {
  Metrics metrics;
  put_night(metrics, morning);
  put_findings(metrics, morning);
  put_legs(metrics, morning.night);
  return metrics.text();
}

}  // namespace esox
