// SPDX-License-Identifier: Apache-2.0
// See manual_page.h.
#include "harness/commands/manual/manual_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/commands/manual/footer.h"

namespace esox {
namespace {

// As text, never as roff's commands; a hyphen stays one that can be copied into a shell.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A line of text; a dot at its beginning would be a command.
std::string line(const std::string& text) {
  const std::string safe = escaped(text);
  return (safe.starts_with('.') ? "\\&" : "") + safe + "\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty()) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  return text;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string sentence(std::string text) {
  if (text.empty() || text.back() == '.' || text.back() == '?') return text;
  return text + ".";
}

// "--out FOLDER", or an operand's name.
std::string head_of(const OptionFacts& option) {
  if (option.operand) return italic(option.names.front()) + (option.several ? " ..." : "");
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  return head + (option.value.empty() ? "" : " " + italic(option.value));
}

std::string explanation_of(const OptionFacts& option) {
  std::string text = sentence(option.description);
  if (!option.choices.empty()) text += fmt::format(" One of: {}.", fmt::join(option.choices, ", "));
  if (!option.range.empty()) text += fmt::format(" Range: {}.", option.range);
  if (!option.preset.empty()) text += fmt::format(" Default: {}.", option.preset);
  if (option.required) text += " Required.";
  if (!option.needs.empty()) {
    text += fmt::format(" Only together with {}.", fmt::join(option.needs, ", "));
  }
  if (!option.not_with.empty()) {
    text += fmt::format(" Not together with {}.", fmt::join(option.not_with, ", "));
  }
  if (!option.only_with.empty()) {
    text += fmt::format(" Only alone or with {}.", fmt::join(option.only_with, ", "));
  }
  return text;
}

std::string options_text(const CommandFacts& command) {
  std::string text;
  for (const bool operands : {true, false}) {
    for (const OptionFacts& option : command.options) {
      if (option.operand != operands) continue;
      text += ".TP\n" + head_of(option) + "\n" + line(explanation_of(option));
    }
  }
  return text;
}

// "esox hunt [OPTIONS] [INPUT ...]"
std::string usage(const CommandFacts& command) {
  std::string text = bold(command.path) + " [" + italic("OPTIONS") + "]";
  for (const OptionFacts& option : command.options) {
    if (!option.operand) continue;
    const std::string name = head_of(option);
    text += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.parts.empty()) text += " " + italic("COMMAND") + " ...";
  return text + "\n";
}

std::string synopsis(const CommandFacts& command) {
  if (command.parts.empty()) return usage(command);
  std::string text;
  for (const CommandFacts& part : command.parts) {
    if (!text.empty()) text += ".br\n";
    text += usage(part);
  }
  return text;
}

std::string paragraphs_text(const Footer& footer) {
  std::string text;
  for (const std::string& paragraph : footer.paragraphs) text += ".PP\n" + line(paragraph);
  return text;
}

std::string examples_text(const Footer& footer) {
  if (footer.examples.empty()) return "";
  std::string text = ".EX\n";
  for (const std::string& example : footer.examples) text += line(example);
  return text + ".EE\n";
}

std::string statuses_text(const Footer& footer) {
  std::string text;
  for (const auto& [number, meaning] : footer.statuses) {
    text += number.empty() ? line(meaning) : ".TP\n" + bold(number) + "\n" + line(meaning);
  }
  return text;
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

// Of esox: each command by its page. Of a command: its parts, each with what it takes.
std::string parts_text(const CommandFacts& command, bool top) {
  std::string text;
  for (const CommandFacts& part : command.parts) {
    if (top) {
      text += ".TP\n" + bold(part.page_name()) + "(1)\n" + line(one_line(part.description));
      continue;
    }
    text += fmt::format(".SS \"{}\"\n", escaped(part.path)) +
            line(capitalised(sentence(part.description)));
    text += options_text(part);
    const Footer footer = read_footer(part.footer);
    if (part.footer == command.footer || footer.paragraphs.empty()) continue;
    text += paragraphs_text(footer);
  }
  return text;
}

// A part's own examples and statuses, where they are not its command's.
Footer footer_of(const CommandFacts& command, const CommandFacts& all) {
  Footer footer = read_footer(command.footer);
  for (const CommandFacts& part : command.parts) {
    if (&command == &all || part.footer == command.footer) continue;
    const Footer more = read_footer(part.footer);
    footer.examples.insert(footer.examples.end(), more.examples.begin(), more.examples.end());
    if (footer.statuses.empty()) footer.statuses = more.statuses;
  }
  if (footer.statuses.empty()) footer.statuses = read_footer(all.footer).statuses;
  return footer;
}

std::string see_also(const CommandFacts& command, const CommandFacts& all) {
  std::vector<std::string> pages;
  const auto name = [&](const CommandFacts& other) {
    if (other.path != command.path) pages.push_back("\\%" + bold(other.page_name()) + "(1)");
  };
  name(all);
  for (const CommandFacts& other : all.parts) name(other);
  return fmt::format("{}\n.PP\n{}", fmt::join(pages, ",\n"),
                     line("Pages named docs/NAME.md are installed in share/doc/esox/docs."));
}

}  // namespace

std::string manual_page(const CommandFacts& command, const CommandFacts& all,
                        const PageHead& head) {
  const bool top = &command == &all;
  const Footer footer = footer_of(command, all);
  // No hyphens but those that are meant, so that an option can be looked for and copied.
  std::string page = fmt::format(".TH {} 1 \"{}\" \"{}\" \"esox\"\n.nh\n.ad l\n",
                                 upper(command.page_name()), head.date, head.version);
  const std::string what =
      top ? "finds concurrency bugs in unmodified database servers" : one_line(command.description);
  page += section("NAME", escaped(command.page_name()) + " \\- " + escaped(what) + "\n");
  page += section("SYNOPSIS", top ? usage(command) : synopsis(command));
  page += section("DESCRIPTION",
                  line(sentence(one_line(command.description))) + paragraphs_text(footer));
  page += section("OPTIONS", options_text(command));
  page += section("COMMANDS", parts_text(command, top));
  page += section("EXAMPLES", examples_text(footer));
  page += section("EXIT STATUS", statuses_text(footer));
  return page + section("SEE ALSO", see_also(command, all));
}

}  // namespace esox
