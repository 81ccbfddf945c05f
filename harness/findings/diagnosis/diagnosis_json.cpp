// SPDX-License-Identifier: Apache-2.0
// A diagnosis for programs, and its files.
#include <nlohmann/json.hpp>

#include "harness/findings/diagnosis/diagnosis.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

Json operation_json(const OperationStory& story) {
  Json json = {{"client", story.client},
               {"operation", story.operation},
               {"function", story.function},
               {"site", story.site},
               {"below", story.below}};
  if (story.point != kNever) json["point"] = story.point;
  return json;
}

Json switch_json(const SwitchStory& story) {
  Json json = {{"from", story.from},
               {"to", story.to},
               {"could_go_on", story.could_go_on},
               {"repeated", story.repeated},
               {"ended", story.ended},
               {"at", operation_json(story.at)},
               {"after_releasing", story.after},
               {"before_acquiring", story.before},
               {"then", story.then},
               {"held", Json::array()}};
  for (const LockStory& lock : story.held) {
    json["held"].push_back({{"lock", lock.name}, {"acquired_at", lock.acquired_at}});
  }
  return json;
}

Json critical_json(const CriticalStory& story) {
  Json json = {{"sentence", sentence(story.at)},
               {"switch", switch_json(story.at)},
               {"moved", operation_json(story.moved)},
               {"came_too", story.too_late ? "late" : "early"},
               {"accepted_as", story.accepted_as},
               {"confirmed", story.confirmation.both_sides()},
               {"confirmations",
                {{"times", story.confirmation.times},
                 {"violating", story.confirmation.violating},
                 {"accepted", story.confirmation.accepted}}},
               {"stacks", Json::array()},
               {"no_stacks", story.no_stacks}};
  json["other"] = story.other ? operation_json(*story.other) : Json(nullptr);
  for (const ClientStack& stack : story.stacks) {
    json["stacks"].push_back({{"client", stack.client}, {"frames", stack.frames}});
  }
  return json;
}

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis, const Finding& finding) {
  Json json = {{"finding", finding.id},
               {"input", finding.input.input.id},
               {"engine", finding.input.engine},
               {"setting", finding.input.setting},
               {"class", class_name(finding.verdict)},
               {"latent", finding.latent},
               {"came", diagnosis.came},
               {"why_not", diagnosis.why_not},
               {"recorded_switches", diagnosis.recorded_switches},
               {"fewest_switches", diagnosis.fewest_switches},
               {"switches", Json::array()},
               {"no_critical", diagnosis.no_critical},
               {"executions", diagnosis.executions},
               {"seconds", diagnosis.seconds}};
  json["critical"] = diagnosis.critical ? critical_json(*diagnosis.critical) : Json(nullptr);
  for (const SwitchStory& story : diagnosis.switches) {
    json["switches"].push_back(switch_json(story));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_diagnosis(const std::filesystem::path& finding_file, const Diagnosis& diagnosis,
                     const Finding& finding) {
  const std::string stem = finding_file.stem().string();
  const std::string name = stem == "finding" ? "diagnosis" : stem + "-diagnosis";
  const std::filesystem::path folder = finding_file.parent_path();
  write_whole_file(folder / (name + ".txt"), diagnosis_text(diagnosis, finding));
  write_whole_file(folder / (name + ".json"), diagnosis_json(diagnosis, finding));
}

}  // namespace esox
