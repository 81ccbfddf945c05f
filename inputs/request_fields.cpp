// SPDX-License-Identifier: Apache-2.0
#include "inputs/request_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/input_error.h"
#include "inputs/engine.h"
#include "inputs/limits.h"
#include "inputs/signals.h"
#include "inputs/unique_numbers.h"

namespace esox {
namespace {

// What may stand before an option's name and changes its meaning, not the option.
constexpr std::string_view kOptionModifiers[] = {"loose-", "maximum-", "skip-", "enable-",
                                                 "disable-"};

// The option's own name: "--loose_datadir=x" -> "datadir".
std::string option_name(std::string_view option) {
  std::string name(option.substr(0, option.find('=')));
  std::ranges::replace(name, '_', '-');
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  for (const std::string_view modifier : kOptionModifiers) {
    if (name.starts_with(modifier)) name.erase(0, modifier.size());
  }
  return name;
}

// A server may take any unambiguous beginning of an option's name, so all beginnings are reserved.
std::string_view reserved_option(std::string_view name, const RequestLanguage& language) {
  for (const std::string_view reserved : language.reserved_options()) {
    if (reserved.starts_with(name) || option_name(reserved).starts_with(name)) return reserved;
  }
  return {};
}

void check_placeholders(const Fields& fields, const Node& node, std::string_view text,
                        std::string_view what) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kEnginePlaceholder)) continue;
    const bool is_request = what == "'requests'" || what == "'sql'";
    if (is_request && rest.starts_with(kUniquePlaceholder)) continue;
    const std::string_view name = rest.substr(0, rest.find('}'));
    fields.fail(node.line,
                fmt::format("unknown placeholder {} in {} of {}; only ${{engine}} is filled in{}",
                            in_quotes(fmt::format("{}}}", name)), what, fields.object(),
                            is_request ? ", and ${unique}" : ""));
  }
}

void check_option_form(const Fields& fields, const Node& node, const std::string& option) {
  const auto is_blank = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  if (option.size() >= 4 && option.starts_with("--") && option[2] != '-' && option[2] != '=' &&
      option.size() <= kMaxTitleBytes && std::ranges::none_of(option, is_blank)) {
    return;
  }
  fields.fail(node.line, fmt::format("server option {} must have the form --name or --name=value, "
                                     "without blanks",
                                     in_quotes(option)));
}

std::string server_option(const Fields& fields, const Node& node, const RequestLanguage& language) {
  const std::string& option = fields.text(node, "a server option");
  check_option_form(fields, node, option);
  check_placeholders(fields, node, option, "'server_options'");
  const std::string_view reserved = reserved_option(option_name(option), language);
  if (!reserved.empty()) {
    fields.fail(node.line, fmt::format("server option {} is esox's own to give (--{}); remove it",
                                       in_quotes(option), reserved));
  }
  if (option.find('/') != std::string::npos) {
    fields.fail(node.line, fmt::format("server option {} names a path; the server keeps to its "
                                       "private folder, so give a bare file name or remove it",
                                       in_quotes(option)));
  }
  return option;
}

}  // namespace

std::string title_of(const Fields& fields, const Node& node) {
  std::string value = plain_language().trimmed(fields.text(node, "title"));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (value.size() > kMaxTitleBytes || std::ranges::any_of(value, is_control)) {
    fields.fail(node.line,
                fmt::format("the title of {} must be one line of up to {} bytes; shorten it",
                            fields.object(), kMaxTitleBytes));
  }
  if (has_engine_placeholder(std::string_view(value))) {
    fields.fail(node.line,
                fmt::format("the title of {} holds ${{engine}}, which is filled in only in "
                            "statements and server_options; remove it",
                            fields.object()));
  }
  return value;
}

std::string request_text(const Fields& fields, const Node& node, std::string_view what,
                         const RequestLanguage& language) {
  // YAML marks an entry with nothing in it by what follows, which may be on a later line.
  if (node.kind == Node::Kind::kNull) {
    fields.fail(node.line, fmt::format("empty statement in {} of {}, on this line or just above; "
                                       "write one or remove the entry",
                                       what, fields.object()));
  }
  std::string value = language.trimmed(fields.text(node, what));
  if (value.size() > kMaxStatementBytes) {
    fields.fail(node.line, fmt::format("a statement in {} of {} is longer than {} MB; shorten it",
                                       what, fields.object(), kMaxStatementBytes >> 20));
  }
  if (value.find('\0') != std::string::npos) {
    fields.fail(node.line, fmt::format("a statement in {} of {} holds a NUL byte; write it as 0x00 "
                                       "or CHAR(0)",
                                       what, fields.object()));
  }
  if (language.kind(value).empty()) {
    fields.fail(node.line, fmt::format("empty statement in {} of {}; write one or remove the line",
                                       what, fields.object()));
  }
  const bool may_signal = what == "'requests'" || what == "'sql'";
  if (may_signal && signal_number(value) != 0) return value;
  std::string complaint = may_signal ? signal_complaint(value) : "";
  if (complaint.empty()) {
    complaint = what == "'setup'" ? language.setup_complaint(value) : language.complaint(value);
  }
  if (!complaint.empty()) {
    fields.fail(node.line, fmt::format("{}: {}: {}", fields.object(), in_quotes(value), complaint));
  }
  check_placeholders(fields, node, value, what);
  return value;
}

std::vector<std::string> request_texts(const Fields& fields, std::string_view key,
                                       const RequestLanguage& language) {
  const Node* node = fields.find(key);
  if (node == nullptr) return {};
  std::vector<std::string> texts;
  for (const NodePtr& item : fields.list(*node, key)) {
    if (texts.size() >= kMaxStatementsPerList) {
      fields.fail(item->line,
                  fmt::format("more than {} statements in '{}' of {}; use fewer, longer ones",
                              kMaxStatementsPerList, key, fields.object()));
    }
    texts.push_back(request_text(fields, *item, fmt::format("'{}'", key), language));
  }
  return texts;
}

std::vector<std::string> engines_of(const Fields& fields, const RequestLanguage& language) {
  const Node* node = fields.find("engines");
  if (node == nullptr) return {};
  std::vector<std::string> names;
  for (const NodePtr& item : fields.list(*node, "engines")) {
    const std::string& name = fields.text(*item, "an engine");
    const auto engine = known_engine(language, name);
    if (!engine) fields.fail(item->line, unknown_engine_message(language, name));
    if (std::ranges::find(names, *engine) != names.end()) {
      fields.fail(item->line,
                  fmt::format("engine {} is listed twice; remove one", in_quotes(*engine)));
    }
    names.push_back(*engine);
  }
  return names;
}

std::vector<std::string> server_options_of(const Fields& fields, const RequestLanguage& language) {
  const Node* node = fields.find("server_options");
  if (node == nullptr) return {};
  std::vector<std::string> options;
  for (const NodePtr& item : fields.list(*node, "server_options")) {
    if (options.size() >= kMaxServerOptions) {
      fields.fail(item->line,
                  fmt::format("more than {} server options; remove some", kMaxServerOptions));
    }
    options.push_back(server_option(fields, *item, language));
  }
  return options;
}

}  // namespace esox
