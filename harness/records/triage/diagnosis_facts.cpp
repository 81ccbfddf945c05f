// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/diagnosis_facts.h"

#include <algorithm>
#include <cctype>

#include "base/process/log_file.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

// "lock mutex mutex#3" is "lock mutex mutex" in another run.
std::string without_numbers(const std::string& operation) {
  std::string text;
  for (size_t i = 0; i < operation.size(); ++i) {
    if (operation[i] != '#') {
      text += operation[i];
      continue;
    }
    while (i + 1 < operation.size() &&
           std::isdigit(static_cast<unsigned char>(operation[i + 1])) != 0) {
      ++i;
    }
  }
  return text;
}

std::string operation_of(const Json& description) {
  std::string text = without_numbers(description.at("operation").get<std::string>());
  for (const char* where : {"function", "below"}) {
    const std::string name = description.value(where, "");
    if (!name.empty()) text += " in " + name;
  }
  return text;
}

// By the calls that led there, for a stripped program names no function; and the operation itself
// is now a lock, now its unlock. The same build has the same call sites.
std::string place_of(const Json& critical, const std::string& client) {
  for (const Json& stack : critical.value("stacks", Json::array())) {
    const Json& frames = stack.at("frames");
    if (stack.at("client") != client || frames.size() < 3) continue;
    return frames[1].get<std::string>() + " < " + frames[2].get<std::string>();
  }
  return "";
}

DiagnosisFacts facts_of(const Json& json) {
  DiagnosisFacts facts;
  const Json& critical = json.at("critical");
  if (critical.is_null()) return facts;
  facts.sentence = critical.value("sentence", "");
  if (!critical.at("confirmed").get<bool>()) return facts;
  const Json& moved = critical.at("moved");
  const Json& other = critical.at("other");
  facts.critical_pair.push_back(operation_of(moved));
  facts.critical_pair.push_back(
      operation_of(other.is_null() ? critical.at("switch").at("at") : other));
  for (const Json* side : {&moved, &other}) {
    const std::string place = side->is_null() ? "" : place_of(critical, side->value("client", ""));
    if (place.empty()) continue;
    facts.places.push_back(place);
    facts.steps.push_back(operation_of(*side) + " < " + place);
  }
  std::ranges::sort(facts.critical_pair);
  return facts;
}

}  // namespace

std::optional<DiagnosisFacts> diagnosis_facts(const std::string& json) {
  try {
    return facts_of(Json::parse(json));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<DiagnosisFacts> read_diagnosis_facts(const std::filesystem::path& finding_folder) {
  return diagnosis_facts(text_of_file(finding_folder / "diagnosis.json"));
}

}  // namespace esox
