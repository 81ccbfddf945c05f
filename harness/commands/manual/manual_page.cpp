// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/manual_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "harness/commands/manual/footer.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

using Json = nlohmann::json;

// As text, never as roff's commands; a hyphen stays one that can be copied into a shell.
std::string escaped(const std::string& text) {
  static const std::map<char, const char*> kNames = {
      {'\\', "\\(rs"}, {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
      {'"', "\\(dq"},  {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string out = text.starts_with('.') ? "\\&" : "";  // a dot begins a command
  for (const char c : text) {
    const auto name = kNames.find(c);
    out += name == kNames.end() ? std::string(1, c) : name->second;
  }
  return out;
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

// "--out FOLDER", or an operand's name; in roff.
std::string head_of(const OptionFacts& option) {
  const auto italic = [](const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; };
  if (option.operand) return italic(option.names.front()) + (option.several ? " ..." : "");
  std::string head;
  for (const std::string& name : option.names) {
    head += (head.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  }
  if (option.value_optional) return head + "[=" + italic(option.value) + "]";
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

Json options_view(const CommandFacts& command) {
  Json view = Json::array();
  for (const bool operands : {true, false}) {
    for (const OptionFacts& option : command.options) {
      if (option.operand != operands) continue;
      view.push_back({{"head", head_of(option)}, {"explanation", explanation_of(option)}});
    }
  }
  return view;
}

Json usage_view(const CommandFacts& command, bool another) {
  Json operands = Json::array();
  for (const OptionFacts& option : command.options) {
    if (!option.operand) continue;
    operands.push_back({{"name", option.names.front()},
                        {"several", option.several},
                        {"required", option.required}});
  }
  return {{"path", command.path},
          {"operands", operands},
          {"has_parts", !command.parts.empty()},
          {"another", another}};
}

// Of a command: its parts, each with what it takes.
Json parts_view(const CommandFacts& command) {
  Json view = Json::array();
  for (const CommandFacts& part : command.parts) {
    const bool own = part.footer != command.footer;
    view.push_back(
        {{"path", part.path},
         {"description", capitalised(sentence(part.description))},
         {"options", options_view(part)},
         {"paragraphs", own ? Json(read_footer(part.footer).paragraphs) : Json::array()}});
  }
  return view;
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

Json pages_view(const CommandFacts& all) {
  Json view = Json::array();
  for (const CommandFacts& one : all.parts) {
    view.push_back({{"name", one.page_name()}, {"description", one_line(one.description)}});
  }
  return view;
}

// esox's own page, and those of all other commands.
Json others_view(const CommandFacts& command, const CommandFacts& all) {
  std::vector<std::string> names = {all.page_name()};
  for (const CommandFacts& other : all.parts) names.push_back(other.page_name());
  std::erase(names, command.page_name());
  Json view = Json::array();
  for (const std::string& name : names) {
    view.push_back({{"name", name}, {"last", name == names.back()}});
  }
  return view;
}

}  // namespace

std::string manual_page(const CommandFacts& command, const CommandFacts& all,
                        const PageHead& head) {
  const bool top = &command == &all;
  const Footer footer = footer_of(command, all);
  Json view = {{"title", upper(command.page_name())},
               {"date", head.date},
               {"version", head.version},
               {"page", command.page_name()},
               {"what", top ? "finds concurrency bugs in unmodified database servers"
                            : one_line(command.description)},
               {"usages", Json::array()},
               {"description", sentence(one_line(command.description))},
               {"paragraphs", footer.paragraphs},
               {"options", options_view(command)},
               {"has_options", !command.options.empty()},
               {"has_parts", !command.parts.empty()},
               {"pages", top ? pages_view(all) : Json::array()},
               {"parts", top ? Json::array() : parts_view(command)},
               {"examples", footer.examples},
               {"has_examples", !footer.examples.empty()},
               {"statuses", Json::array()},
               {"others", others_view(command, all)}};
  if (top || command.parts.empty()) {
    view["usages"].push_back(usage_view(command, false));
  } else {
    for (const CommandFacts& part : command.parts) {
      view["usages"].push_back(usage_view(part, !view["usages"].empty()));
    }
  }
  for (const auto& [number, meaning] : footer.statuses) {
    view["statuses"].push_back({{"number", number}, {"meaning", meaning}});
  }
  auto page = mustache_page(kPageTemplate);
  page.set_custom_escape(escaped);
  std::string text = page.render(mustache_data(view));
  // Some tags that stand alone leave an empty line, which roff would show.
  for (size_t at = 0; (at = text.find("\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

}  // namespace esox
