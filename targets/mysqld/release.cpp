// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/release.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/process/find_program.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

constexpr std::string_view kVersionMark = " Ver ";
constexpr std::string_view kValues = "Variables (--variable-name=value)";

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

std::string_view name_at(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && is_name_char(text[size])) ++size;
  return text.substr(0, size);
}

// "  -b, --basedir=name  Path to ..." or "  --skip-networking   Don't ...".
std::string_view described_option(std::string_view line) {
  const size_t dashes = line.find("--");
  if (!line.starts_with("  ") || dashes > 6 || line.find_first_not_of(' ') > 2) return {};
  return name_at(line.substr(dashes + 2));
}

// "innodb-use-native-aio            TRUE"
void read_value(std::string_view line, Release& release) {
  const std::string_view name = name_at(line);
  if (name.empty() || name.size() == line.size() || line[name.size()] != ' ') return;
  const size_t begin = line.find_first_not_of(' ', name.size());
  const std::string_view value = begin == line.npos ? "" : line.substr(begin);
  release.options[std::string(name)] = value == "(No default value)" ? "" : value;
}

void read_line(std::string_view line, bool values, Release& release) {
  if (release.version_line.empty() && line.find(kVersionMark) != line.npos) {
    release.version_line = line;
    release.is_mariadb = line.find("MariaDB") != line.npos;
  }
  if (values) return read_value(line, release);
  if (const std::string_view name = described_option(line); !name.empty()) {
    release.options.try_emplace(std::string(name));
  }
}

}  // namespace

bool Release::has(std::string_view option) const {
  static constexpr std::string_view kSkip = "skip-";
  return options.contains(option) ||
         (option.starts_with(kSkip) && options.contains(option.substr(kSkip.size())));
}

std::string Release::version_name() const {
  return version_name_of(version_line);
}

// "/usr/sbin/mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu ..."
std::string version_name_of(const std::string& version_line) {
  const size_t mark = version_line.find(kVersionMark);
  if (mark == std::string::npos) return version_line;
  const size_t begin = mark + kVersionMark.size();
  return version_line.substr(begin, version_line.find(' ', begin) - begin);
}

Release read_release(std::string_view help) {
  Release release;
  bool values = false;
  while (!help.empty()) {
    const size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    values = values || line.starts_with(kValues);
    read_line(line, values, release);
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return release;
}

Release ask_release(const std::filesystem::path& program, const std::string& kind,
                    const std::filesystem::path& base) {
  // Old ones try out their data directory even to help.
  const PrivateDirectory folder(base);
  std::vector<std::string> arguments = {"--no-defaults", "--datadir=" + folder.path().string(),
                                        "--verbose", "--help"};
  if (geteuid() == 0) arguments.emplace_back("--user=root");
  const Said said = ask_program(program, arguments, folder.path());
  Release release = read_release(said.text);
  if (!release.version_line.empty() && release.options.contains("datadir")) return release;
  throw ServerError(fmt::format(
      "{} --no-defaults --verbose --help tells {} ({}); is it {}?", program.string(),
      release.version_line.empty() ? "no version" : "no option --datadir", said.ending, kind));
}

}  // namespace esox
