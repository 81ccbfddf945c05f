// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/process/find_program.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "base/text/number.h"

namespace esox {
namespace {

constexpr std::pair<unsigned, unsigned> kFirstWithMeta = {1, 6};

// "-p, --port=<num>  TCP port ..." or "-p <num>  TCP port ..."; "-vv" is none. 0: no option.
char described_letter(std::string_view line) {
  if (line.size() < 2 || line[0] != '-') return 0;
  if (std::isalpha(static_cast<unsigned char>(line[1])) == 0) return 0;
  return line.size() == 2 || line[2] == ' ' || line[2] == ',' ? line[1] : '\0';
}

}  // namespace

MemcachedRelease read_memcached_help(std::string_view help) {
  MemcachedRelease release;
  release.version = help.substr(0, std::min(help.find('\n'), help.size()));
  while (release.version.ends_with('\r') || release.version.ends_with(' ')) {
    release.version.pop_back();
  }
  release.moves_items = help.find("no_lru_maintainer") != std::string_view::npos;
  while (!help.empty()) {
    const size_t end = std::min(help.find('\n'), help.size());
    if (const char letter = described_letter(help.substr(0, end)); letter != 0) {
      release.letters.insert(letter);
    }
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  if (release.letters.empty()) release.version.clear();
  return release;
}

MemcachedRelease ask_memcached(const std::filesystem::path& program,
                               const std::filesystem::path& base) {
  const PrivateDirectory folder(base);
  const Said said = ask_program(program, {"-h"}, folder.path());
  MemcachedRelease release = read_memcached_help(said.text);
  if (!release.version.empty() && release.letters.contains('s')) return release;
  throw ServerError(fmt::format("{} -h tells {} ({}); is it a memcached?", program.string(),
                                release.version.empty() ? "no options" : "no option -s",
                                said.ending));
}

bool has_meta_commands(std::string_view version) {
  version.remove_prefix(std::min(version.find_first_of("0123456789"), version.size()));
  const size_t dot = std::min(version.find('.'), version.size());
  std::string_view minor = version.substr(std::min(dot + 1, version.size()));
  minor = minor.substr(0, minor.find_first_not_of("0123456789"));
  const auto major_number = number_of<unsigned>(version.substr(0, dot));
  const auto minor_number = number_of<unsigned>(minor);
  return major_number && minor_number && std::pair(*major_number, *minor_number) >= kFirstWithMeta;
}

}  // namespace esox
