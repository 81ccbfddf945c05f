// SPDX-License-Identifier: Apache-2.0
// summary.txt.
#include <fmt/format.h>

#include "analysis/report/layout.h"
#include "harness/nights/night/night_summary_view.h"

namespace esox {
namespace {

constexpr size_t kWidth = 100;

std::string finding_text(size_t number, const ShownFinding& one, bool whole) {
  std::string text = fmt::format("{}. {}  [{}]\n", number, one.headline, one.id);
  if (whole && !one.words.empty()) text += wrapped(one.words, kWidth, 3);
  if (whole) {
    for (const std::string& line : one.synopsis) text += "     " + line + "\n";
    if (!one.critical.empty()) text += labelled("critical: ", one.critical, kWidth, 5);
  }
  for (const std::string& line : one.told) text += labelled("on ", line, kWidth, 3);
  if (!one.note.empty()) text += labelled("note: ", one.note, kWidth, 3);
  if (!one.command.empty()) text += "   " + one.command + "\n";
  return text + (whole ? "\n" : "");
}

std::string section_text(const ShownSection& section, size_t& number) {
  std::string text = fmt::format("{}. {}\n\n", section.title, section.meaning);
  for (const ShownFinding& one : section.findings) {
    text += finding_text(++number, one, section.whole);
  }
  if (!section.left_out.empty()) text += section.left_out + "\n";
  if (!section.whole || !section.left_out.empty()) text += "\n";
  return text;
}

std::string stages_text(const NightSummaryView& view) {
  if (view.stages.empty()) return "";
  std::string text = "Planned and done.\n\n";
  for (const ShownStage& stage : view.stages) {
    text += fmt::format("  {}  ({})\n", stage.name, stage.server);
    text += fmt::format("    {}; {} inputs, times engines; {} executions; {} kept\n", stage.time,
                        stage.inputs, stage.executions, stage.findings);
    if (!stage.why_not.empty()) text += labelled("not done: ", stage.why_not, kWidth, 4);
  }
  return text + "\n";
}

}  // namespace

std::string night_summary_text(const NightSummaryView& view) {
  std::string text = view.title + "\n" + view.headline + "\n\n";
  if (!view.missing.empty()) {
    text += "Missing.\n\n";
    for (const std::string& line : view.missing) text += labelled("- ", line, kWidth, 2);
    text += "\n";
  }
  size_t number = 0;
  for (const ShownSection& section : view.sections) text += section_text(section, number);
  text += stages_text(view);
  for (const auto& [name, value] : view.facts) {
    text += labelled(name + ": ", value, kWidth, 0);
  }
  return text;
}

}  // namespace esox
