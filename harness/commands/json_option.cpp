// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/json_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/process/paths.h"
#include "harness/commands/output.h"
#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStdout = "-";
constexpr const char* kName = "--json";

// Before hours of work, not after. Empty: it can be written.
std::string complaint_about(const std::string& where) {
  if (where == kStdout) return "";
  std::error_code error;
  const fs::path folder = fs::absolute(where, error).parent_path();
  if (!is_folder(folder)) {
    return fmt::format("there is no folder {} for {}; make it first", folder.string(), where);
  }
  if (!is_there(where) || is_file(where)) return "";
  return fmt::format("{} is no file; name a file, or - for the standard output", where);
}

// Of the word behind --json, by what comes after it.
bool is_value(const std::string& word, bool last_before_dashes) {
  if (word == kStdout) return true;
  return !word.starts_with('-') && (word.ends_with(".json") || last_before_dashes);
}

}  // namespace

void add_json_option(Command& command, JsonOption& into) {
  command.add_option(kName, into.where, "report as JSON: into FILE, or in place of the text")
      ->expected(0, 1)
      ->default_str(kStdout)
      ->check(complaint_about)
      ->type_name("FILE");
}

std::vector<std::string> with_json_values(std::vector<std::string> arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  const bool has_dashes = dashes != arguments.end();
  auto end = static_cast<size_t>(dashes - arguments.begin());
  for (size_t i = 0; i < end; ++i) {
    if (arguments[i] != kName) continue;
    const bool last = has_dashes && i + 2 == end;
    const bool valued = i + 1 < end && is_value(arguments[i + 1], last);
    arguments[i] += "=" + (valued ? arguments[i + 1] : kStdout);
    if (!valued) continue;
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    --end;
  }
  return arguments;
}

void put_json(const JsonOption& option, const std::string& json) {
  if (option.where.empty()) return;
  if (option.on_stdout()) return put(json);
  write_whole_file(option.where, json);
}

void put_report(const JsonOption& option, const std::string& text, const std::string& json) {
  if (!option.on_stdout()) put(text);
  put_json(option, json);
}

}  // namespace esox
