// SPDX-License-Identifier: Apache-2.0
#include "harness/records/control_record.h"

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

#include "analysis/finding.h"
#include "base/text/number.h"
#include "harness/engine/data_choice_list.h"

namespace esox {
namespace {

constexpr const char* kDataChoices = "data_choices";
constexpr const char* kContexts = "background";

// The one list of numbers' names; both directions go through it.
template <class Settings, class Visit>
void each_setting(Settings& settings, const Visit& visit) {
  visit("step_limit", settings.step_limit);
  visit("release_point_odds", settings.release_point_odds);
  visit("starvation_limit", settings.starvation_limit);
  visit("grace_ms", settings.grace_ms);
  visit("deadlock_grace_ms", settings.deadlock_grace_ms);
  visit("request_wait_ms", settings.request_wait_ms);
}

// Findings from before there were any have none.
bool read_data_choices(const std::map<std::string, std::string>& record, const std::string& file,
                       DataChoiceModes& modes) {
  const auto given = record.find(kDataChoices);
  if (given == record.end()) return false;
  try {
    modes = parse_data_choices(given->second, DataChoiceUse::kProgram);
  } catch (const std::invalid_argument& error) {
    throw FindingError(
        fmt::format("{}: schedule.control.{}: {}", file, kDataChoices, error.what()));
  }
  return true;
}

}  // namespace

std::map<std::string, std::string> control_record(const ControlSettings& settings) {
  std::map<std::string, std::string> record;
  each_setting(settings,
               [&](const char* name, const auto& value) { record[name] = std::to_string(value); });
  record[kDataChoices] = data_choices_text(settings.data_choices);
  return record;
}

ControlSettings control_from_record(const std::map<std::string, std::string>& record,
                                    const std::string& file) {
  ControlSettings settings;
  size_t known = read_data_choices(record, file, settings.data_choices) ? 1 : 0;
  known += record.count(kContexts);
  each_setting(settings, [&](const char* name, auto& value) {
    const auto given = record.find(name);
    if (given == record.end()) return;
    ++known;
    const auto number = number_of<std::remove_reference_t<decltype(value)>>(given->second);
    if (!number) {
      throw FindingError(fmt::format("{}: schedule.control.{} is '{}', not a number in range", file,
                                     name, given->second));
    }
    value = *number;
  });
  if (known != record.size()) {
    throw FindingError(fmt::format(
        "{}: schedule.control holds a setting that this esox does not know; use the esox that "
        "wrote it",
        file));
  }
  return settings;
}

void note_contexts(std::map<std::string, std::string>& record, bool contexts) {
  record[kContexts] = contexts ? "1" : "0";
}

bool had_contexts(const std::map<std::string, std::string>& record) {
  const auto given = record.find(kContexts);
  return given != record.end() && given->second == "1";
}

}  // namespace esox
