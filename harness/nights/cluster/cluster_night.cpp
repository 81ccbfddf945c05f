// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/cluster_night.h"

#include <chrono>
#include <regex>

#include "base/text/letters.h"
#include "base/text/shell_words.h"
#include "harness/records/json_text.h"
#include "harness/records/lines.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

// Beside the budget: pulling an image, starting, ending, a slow disk.
constexpr std::chrono::minutes kMore{30};
constexpr size_t kLongestLabel = 40;  // of 63: names of pods add to it

// A string of JSON is one of YAML.
std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Absent: as long as it takes.
Json minutes_of(const HuntFile& file) {
  if (!file.budget.time) return {};
  return std::chrono::ceil<std::chrono::minutes>(*file.budget.time + file.limits.grace + kMore)
      .count();
}

}  // namespace

std::string label_of(const std::string& name) {
  static const std::regex kOthers("[^a-z0-9]+");
  std::string label = std::regex_replace(lower(name), kOthers, "-");
  label = label.substr(label.starts_with('-') ? 1 : 0, kLongestLabel);
  while (label.ends_with('-')) label.pop_back();
  return label.empty() ? "hunt" : label;
}

std::string cluster_text(const char* text, const ClusterNight& night) {
  const HuntFile& file = night.file;
  const Json minutes = minutes_of(file);
  const Json shard = {
      {"deadline_s", minutes.is_null() ? minutes : Json(minutes.get<uint64_t>() * 60)},
      {"privileged", !night.unprivileged}};
  const Json merge = Json::object({{"merge", true}});
  const Json view = {{"name", "esox-" + label_of(file.name) + "-" + label_of(night.run)},
                     {"run", night.run},
                     {"shards", night.shards},
                     {"seed", night.seed},
                     {"cores", file.jobs == 0 ? 1 : file.jobs},
                     {"minutes", minutes},
                     {"esox", shell_word(night.esox.string())},
                     {"file", shell_word(file.file.string())},
                     {"out", shell_word(file.out.string())},
                     {"hunt_file", lines_of(file.text)},
                     {"image", quoted(night.image)},
                     {"claim", quoted(night.claim)},
                     {"parts", {shard, merge}}};
  return mustache_page(text).render(mustache_data(view));
}

}  // namespace esox
