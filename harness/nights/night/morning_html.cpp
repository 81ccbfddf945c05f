// SPDX-License-Identifier: Apache-2.0
// summary.html.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/nights/night/morning_view.h"
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
          {"brief", fmt::format("{}", fmt::join(one.brief, "\n"))},
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

Json json_of(const ShownLeg& leg) {
  return {{"name", leg.name},      {"server", leg.server},         {"time", leg.time},
          {"inputs", leg.inputs},  {"executions", leg.executions}, {"findings", leg.findings},
          {"why_not", leg.why_not}};
}

}  // namespace

std::string morning_html(const MorningView& view) {
  Json json = {{"title", view.title},       {"headline", view.headline},
               {"missing", view.missing},   {"version", view.version},
               {"sections", Json::array()}, {"legs", Json::array()},
               {"facts", Json::array()},    {"some_sections", !view.sections.empty()},
               {"style", kPageStyle}};
  for (const ShownSection& section : view.sections) json["sections"].push_back(json_of(section));
  for (const ShownLeg& leg : view.legs) json["legs"].push_back(json_of(leg));
  for (const auto& [name, value] : view.facts) {
    json["facts"].push_back({{"name", name}, {"value", value}});
  }
  return mustache_page(kNightPage).render(mustache_data(json));
}

}  // namespace esox
