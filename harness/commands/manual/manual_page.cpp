// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/letters.h"
#include "harness/commands/manual/command_facts.h"

namespace esox {
namespace {

// As text, never as roff's commands; a hyphen stays one that can be copied into a shell.
std::string escaped(const std::string& text) {
  static const std::map<char, const char*> kNames = {
      {'\\', "\\(rs"}, {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
      {'"', "\\(dq"},  {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string out;
  for (const char c : text) {
    if (c == '.' && (out.empty() || out.back() == '\n')) out += "\\&";  // it begins a command
    const auto name = kNames.find(c);
    out += name == kNames.end() ? std::string(1, c) : name->second;
  }
  return out;
}

// "esox triage list"
std::string path_of(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return (above == nullptr ? "" : path_of(*above) + " ") + command.get_name();
}

// As `esox COMMAND --help-all` tells it, as it stands.
std::string help_section(const std::string& title, const CLI::App& command) {
  const bool longer = command.get_help_all_ptr() != nullptr;
  std::string help = command.get_formatter()->make_help(
      &command, path_of(command), longer ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal);
  // A part's examples may be its command's, which have been told.
  const CLI::App* above = command.get_parent();
  const bool told = above != nullptr && command.get_footer() == above->get_footer();
  if (told) help.erase(std::min(help.find(command.get_footer()), help.size()));
  help.erase(help.find_last_not_of('\n') + 1);
  return fmt::format(".SH {}\n.EX\n{}\n.EE\n", escaped(title), escaped(help));
}

}  // namespace

std::string page_name(const CLI::App& command) {
  std::string name = path_of(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string manual_page(const CLI::App& command, const PageHead& head) {
  const bool top = command.get_parent() == nullptr;
  std::string what =
      top ? "finds concurrency bugs in unmodified database servers" : command.get_description();
  std::ranges::replace(what, '\n', ' ');
  std::string page = fmt::format(
      ".TH {} 1 \"{}\" \"{}\" \"esox\"\n"
      ".nh\n"
      ".ad l\n"
      ".SH NAME\n{} \\- {}\n",
      upper(page_name(command)), head.date, head.version, escaped(page_name(command)),
      escaped(what));
  page += help_section("DESCRIPTION", command);
  if (!top) {
    for (const CLI::App* part : subcommands_of(command))
      page += help_section(path_of(*part), *part);
  }
  return page +
         ".SH SEE ALSO\n\\fBesox\\fR(1) lists the commands; COMMAND has the page "
         "\\fBesox\\-\\fICOMMAND\\fR(1).\n"
         ".PP\nPages named docs/NAME.md are installed in share/doc/esox/docs.\n";
}

}  // namespace esox
