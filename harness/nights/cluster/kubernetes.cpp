// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/kubernetes.h"

#include <algorithm>

#include "base/text/shell_words.h"
#include "harness/records/lines.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

constexpr size_t kLongestLabel = 40;  // of 63: names of pods add to it
using Json = nlohmann::json;

// A string of JSON is one of YAML.
std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string label_of(const std::string& name) {
  std::string label;
  for (const char c : name) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool kept = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    if (kept) {
      label += low;
    } else if (!label.empty() && label.back() != '-') {
      label += '-';
    }
  }
  label.resize(std::min(label.size(), kLongestLabel));
  while (label.ends_with('-')) label.pop_back();
  return label.empty() ? "hunt" : label;
}

std::string kubernetes_manifest(const KubernetesPlan& plan) {
  const Json shard = {{"container", "shard"},
                      {"cores", plan.jobs},
                      {"privileged", plan.privileged},
                      {"deadline_s", plan.minutes == 0 ? Json() : Json(plan.minutes * 60)}};
  const Json merge = {{"container", "merge"}, {"merge", true}, {"cores", 1}};
  const Json view = {
      {"name", "esox-" + label_of(plan.name) + "-" + label_of(plan.run)},
      {"label", label_of(plan.name)},
      {"run_label", label_of(plan.run)},
      {"hunt_file", lines_of(plan.hunt_file)},
      {"image", quoted(plan.image)},
      {"claim", quoted(plan.claim)},
      {"campaign", shell_word(plan.run)},
      {"seed", plan.seed},
      {"shards", plan.shards},
      {"parallel", plan.parallel == 0 ? plan.shards : std::min(plan.parallel, plan.shards)},
      {"jobs", {shard, merge}}};
  return mustache_page(kKubernetesTemplate).render(mustache_data(view));
}

}  // namespace esox
