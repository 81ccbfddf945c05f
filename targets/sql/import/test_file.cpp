// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/test_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace esox {
namespace {

constexpr std::string_view kBlanks = " \t\r";
// To MySQL's runner: the next option is for making the data directory, too.
constexpr std::string_view kForDataToo = "--initialize";

using Reasons = std::pair<std::string_view, std::string_view>;  // what to find, why not

// A command of the suite's language, at the beginning of a line, maybe after "--".
constexpr std::array<Reasons, 14> kCommands = {{{"exec", "runs programs"},
                                                {"exec_in_background", "runs programs"},
                                                {"system", "runs programs"},
                                                {"perl", "runs programs"},
                                                {"copy_file", "works on files"},
                                                {"copy_files_wildcard", "works on files"},
                                                {"move_file", "works on files"},
                                                {"write_file", "works on files"},
                                                {"append_file", "works on files"},
                                                {"mkdir", "works on files"},
                                                {"shutdown_server", "restarts the server"},
                                                {"send_quit", "restarts the server"},
                                                {"sync_with_master", "replicates"},
                                                {"sync_slave_with_master", "replicates"}}};

// A file that is included.
constexpr std::array<Reasons, 13> kIncluded = {{{"restart_mysqld", "restarts the server"},
                                                {"start_mysqld", "restarts the server"},
                                                {"shutdown_mysqld", "restarts the server"},
                                                {"kill_mysqld", "restarts the server"},
                                                {"kill_and_restart", "restarts the server"},
                                                {"master-slave", "replicates"},
                                                {"rpl_init", "replicates"},
                                                {"have_debug", "needs a debug build"},
                                                {"big_test", "is too big for every day"},
                                                {"not_as_root", "depends on the user"},
                                                {"windows.inc", "needs another system"},
                                                {"have_windows", "needs another system"},
                                                {"have_valgrind", "needs another program"}}};

std::string_view without_blanks(std::string_view line) {
  const size_t begin = line.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

std::string_view first_word(std::string_view line) {
  const auto* const end = std::ranges::find_if_not(
      line, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return line.substr(0, static_cast<size_t>(end - line.begin()));
}

std::string_view reason_of_line(std::string_view line) {
  line = without_blanks(line);
  if (line.starts_with("--")) line = without_blanks(line.substr(2));
  const std::string_view word = first_word(line);
  for (const auto& [command, reason] : kCommands) {
    if (word == command) return reason;
  }
  if (word != "source") return {};
  for (const auto& [file, reason] : kIncluded) {
    if (line.find(file) != std::string_view::npos) return reason;
  }
  return {};
}

bool is_usable(std::string_view option) {
  static constexpr std::array<std::string_view, 9> kRefused = {
      "log",       "port",      "socket",    "datadir",  "plugin",
      "init-file", "init_file", "server-id", "replicate"};
  if (!option.starts_with("--") || option.size() == 2) return false;
  if (option.find_first_of("/$'\"\\") != std::string_view::npos) return false;
  return std::ranges::none_of(
      kRefused, [&](std::string_view word) { return option.find(word) != std::string_view::npos; });
}

}  // namespace

std::string reason_not_to_capture(std::string_view test_file) {
  size_t at = 0;
  while (at < test_file.size()) {
    const size_t end = std::min(test_file.find('\n', at), test_file.size());
    const std::string_view reason = reason_of_line(test_file.substr(at, end - at));
    if (!reason.empty()) return std::string(reason);
    at = end + 1;
  }
  return "";
}

std::optional<std::vector<std::string>> options_of_test(std::string_view opt_file) {
  std::vector<std::string> options;
  size_t at = 0;
  while (at < opt_file.size()) {
    const size_t begin = std::min(opt_file.find_first_not_of(" \t\r\n", at), opt_file.size());
    at = std::min(opt_file.find_first_of(" \t\r\n", begin), opt_file.size());
    if (begin == at) break;
    const std::string_view option = opt_file.substr(begin, at - begin);
    if (option == kForDataToo) continue;
    options.emplace_back(option);
    if (!is_usable(options.back())) return std::nullopt;
  }
  return options;
}

}  // namespace esox
