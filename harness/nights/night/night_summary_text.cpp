// SPDX-License-Identifier: Apache-2.0
// summary.txt.
#include <fmt/format.h>

#include "analysis/report/layout.h"
#include "harness/nights/night/night_summary_files.h"
#include "harness/records/json_text.h"
#include "harness/records/lines.h"

namespace esox {
namespace {

constexpr size_t kWidth = 100;

const std::string& text_in(const Json& view, const char* name) {
  return view.at(name).get_ref<const std::string&>();
}

// A part that is left out where it is empty.
std::string part(const Json& view, const char* name, const std::string& label, size_t indent) {
  const std::string& words = text_in(view, name);
  return words.empty() ? "" : labelled(label, words, kWidth, indent);
}

std::string finding_text(size_t number, const Json& one, bool whole) {
  std::string text =
      fmt::format("{}. {}  [{}]\n", number, text_in(one, "headline"), text_in(one, "id"));
  if (whole) {
    if (!text_in(one, "words").empty()) text += wrapped(text_in(one, "words"), kWidth, 3);
    for (const std::string& line : lines_of(text_in(one, "synopsis")))
      text += "     " + line + "\n";
    text += part(one, "critical", "critical: ", 5);
  }
  for (const Json& line : one.at("told")) text += labelled("on ", line, kWidth, 3);
  text += part(one, "note", "note: ", 3);
  if (!text_in(one, "command").empty()) text += "   " + text_in(one, "command") + "\n";
  return text + (whole ? "\n" : "");
}

std::string section_text(const Json& section, size_t& number) {
  const bool whole = section.at("whole");
  const std::string& left_out = text_in(section, "left_out");
  std::string text =
      fmt::format("{}. {}\n\n", text_in(section, "title"), text_in(section, "meaning"));
  for (const Json& one : section.at("findings")) text += finding_text(++number, one, whole);
  if (!left_out.empty()) text += left_out + "\n";
  if (!whole || !left_out.empty()) text += "\n";
  return text;
}

std::string stages_text(const Json& stages) {
  if (stages.empty()) return "";
  std::string text = "Planned and done.\n\n";
  for (const Json& stage : stages) {
    text += fmt::format("  {}  ({})\n    {}; {} inputs, times engines; {} executions; {} kept\n",
                        text_in(stage, "name"), text_in(stage, "server"), text_in(stage, "time"),
                        text_in(stage, "inputs"), text_in(stage, "executions"),
                        text_in(stage, "findings"));
    text += part(stage, "why_not", "not done: ", 4);
  }
  return text + "\n";
}

}  // namespace

std::string night_summary_text(const NightSummary& summary) {
  const Json view = night_summary_view(summary);
  std::string text = text_in(view, "title") + "\n" + text_in(view, "headline") + "\n\n";
  if (!view.at("missing").empty()) {
    text += "Missing.\n\n";
    for (const Json& line : view.at("missing")) text += labelled("- ", line, kWidth, 2);
    text += "\n";
  }
  size_t number = 0;
  for (const Json& section : view.at("sections")) text += section_text(section, number);
  text += stages_text(view.at("stages"));
  for (const Json& fact : view.at("facts")) {
    text += part(fact, "value", text_in(fact, "name") + ": ", 0);
  }
  return text;
}

}  // namespace esox
