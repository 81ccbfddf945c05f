// SPDX-License-Identifier: Apache-2.0
// summary.html.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/nights/night/night_summary_view.h"
#include "harness/nights/night/page.h"
#include "harness/records/reports/mustache_view.h"
#include "harness/records/reports/page.h"

namespace esox {
namespace {

using Json = nlohmann::json;

Json json_of(const ShownFinding& one, bool whole) {
  return {{"headline", one.headline},
          {"id", one.id},
          {"whole", whole},
          {"words", one.words},
          {"synopsis", fmt::format("{}", fmt::join(one.synopsis, "\n"))},
          {"critical", one.critical},
          {"told", one.told},
          {"command", one.command},
          {"note", one.note}};
}

Json json_of(const ShownSection& section) {
  Json json = {{"title", section.title},
               {"meaning", section.meaning},
               {"left_out", section.left_out},
               {"findings", Json::array()}};
  for (const ShownFinding& one : section.findings) {
    json["findings"].push_back(json_of(one, section.whole));
  }
  return json;
}

Json json_of(const ShownStage& stage) {
  return {{"name", stage.name},      {"server", stage.server},         {"time", stage.time},
          {"inputs", stage.inputs},  {"executions", stage.executions}, {"findings", stage.findings},
          {"why_not", stage.why_not}};
}

}  // namespace

std::string night_summary_html(const NightSummaryView& view) {
  Json json = {{"title", view.title},       {"headline", view.headline},
               {"missing", view.missing},   {"version", view.version},
               {"sections", Json::array()}, {"stages", Json::array()},
               {"facts", Json::array()},    {"some_sections", !view.sections.empty()},
               {"style", kPageStyle}};
  for (const ShownSection& section : view.sections) json["sections"].push_back(json_of(section));
  for (const ShownStage& stage : view.stages) json["stages"].push_back(json_of(stage));
  for (const auto& [name, value] : view.facts) {
    json["facts"].push_back({{"name", name}, {"value", value}});
  }
  return mustache_page(kNightPage).render(mustache_data(json));
}

}  // namespace esox
