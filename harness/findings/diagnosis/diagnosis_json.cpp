// SPDX-License-Identifier: Apache-2.0
// A diagnosis for programs, and its files.

#include "harness/findings/diagnosis/diagnosis.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

OrderedJson operation_json(const OperationDescription& description) {
  OrderedJson json = {{"client", description.client},       {"role", description.role},
                      {"operation", description.operation}, {"function", description.function},
                      {"site", description.site},           {"below", description.below}};
  if (description.point != kNever) json["point"] = description.point;
  return json;
}

OrderedJson switch_json(const SwitchDescription& description) {
  OrderedJson json = {
      {"from", description.from},
      {"to", description.to},
      {"from_role", description.from_role},
      {"to_role", description.to_role},
      {"could_go_on", description.could_go_on},
      {"repeated", description.repeated},
      {"ended", description.ended},
      {"at", operation_json(description.at)},
      {"after_releasing", description.after},
      {"before_acquiring", description.before},
      {"then", description.then},
      {"held", json_list(description.held, [&](const LockDescription& lock) -> OrderedJson {
         return {{"lock", lock.name}, {"acquired_at", lock.acquired_at}};
       })}};
  return json;
}

OrderedJson critical_json(const CriticalDescription& description) {
  OrderedJson json = {
      {"sentence", sentence(description.at)},
      {"switch", switch_json(description.at)},
      {"moved", operation_json(description.moved)},
      {"came_too", description.too_late ? "late" : "early"},
      {"accepted_as", description.accepted_as},
      {"confirmed", description.confirmation.both_sides()},
      {"confirmations",
       {{"times", description.confirmation.times},
        {"violating", description.confirmation.violating},
        {"accepted", description.confirmation.accepted}}},
      {"stacks", json_list(description.stacks,
                           [&](const ClientStack& stack) -> OrderedJson {
                             return {{"client", stack.client}, {"frames", stack.frames}};
                           })},
      {"no_stacks", description.no_stacks}};
  json["other"] = description.other ? operation_json(*description.other) : OrderedJson(nullptr);
  return json;
}

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis, const Finding& finding) {
  OrderedJson json = {{"finding", finding.id},
                      {"input", finding.input.input.id},
                      {"engine", finding.input.engine},
                      {"setting", finding.input.setting},
                      {"class", class_name(finding.verdict)},
                      {"latent", finding.latent},
                      {"came", diagnosis.came},
                      {"why_not", diagnosis.why_not},
                      {"server", diagnosis.server},
                      {"data_choices", diagnosis.data_choices},
                      {"recorded_switches", diagnosis.recorded_switches},
                      {"fewest_switches", diagnosis.fewest_switches},
                      {"switches", json_list(diagnosis.switches,
                                             [&](const SwitchDescription& description) {
                                               return switch_json(description);
                                             })},
                      {"no_critical", diagnosis.no_critical},
                      {"executions", diagnosis.executions},
                      {"seconds", diagnosis.seconds}};
  json["critical"] = diagnosis.critical ? critical_json(*diagnosis.critical) : OrderedJson(nullptr);
  return json_text(json);
}

void write_diagnosis(const std::filesystem::path& finding_file, const Diagnosis& diagnosis,
                     const Finding& finding) {
  write_whole_file(beside_finding(finding_file, "diagnosis.txt"),
                   diagnosis_text(diagnosis, finding));
  write_whole_file(beside_finding(finding_file, "diagnosis.json"),
                   diagnosis_json(diagnosis, finding));
}

}  // namespace esox
