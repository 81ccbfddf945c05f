// SPDX-License-Identifier: Apache-2.0
// See build_facts.h. Libraries that are linked dynamically are asked; of those that are only
// headers the version is that of the build.
#include "harness/commands/version/build_facts.h"

#define PCRE2_CODE_UNIT_WIDTH 8

#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <pcre2.h>
#include <sqlite3.h>
#include <xxhash.h>

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "harness/commands/version/build_commit.h"
#include "preload/protocol/layout.h"
#include "targets/registry.h"

namespace esox {
namespace {

// "1.10.42" of 11042, where each part has so many hundreds.
std::string dotted(unsigned number, unsigned base) {
  return fmt::format("{}.{}.{}", number / base / base, number / base % base, number % base);
}

std::string pcre2_version() {
  char text[64] = {};
  pcre2_config(PCRE2_CONFIG_VERSION, text);
  return std::string(text).substr(0, std::string(text).find(' '));
}

BuildFacts gather() {
  BuildFacts facts;
  facts.version = ESOX_VERSION;
  facts.commit = kBuildCommit;
  facts.date = kBuildCommitDate;
  facts.compiler =
      fmt::format("{} {}, C++{}", ESOX_COMPILER, ESOX_COMPILER_VERSION, __cplusplus / 100 % 100);
  facts.build_type = ESOX_BUILD_TYPE;
  facts.protocol = kProtocolVersion;
  facts.libraries = {
      {"CLI11", CLI11_VERSION},
      {"elfutils", dwfl_version(nullptr)},
      {"fmt", dotted(FMT_VERSION, 100)},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                    NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
      {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"PCRE2", pcre2_version()},
      {"pugixml", fmt::format("{}.{}", PUGIXML_VERSION / 1000, PUGIXML_VERSION / 10 % 100)},
      {"SQLite", sqlite3_libversion()},
      {"xxHash", dotted(XXH_versionNumber(), 100)},
  };
  for (const Target* target : targets()) {
    for (auto& library : target->libraries()) facts.libraries.push_back(std::move(library));
  }
  facts.servers = target_names();
  return facts;
}

}  // namespace

const BuildFacts& build_facts() {
  static const BuildFacts facts = gather();
  return facts;
}

std::string version_text() {
  const BuildFacts& facts = build_facts();
  std::vector<std::string> libraries;
  for (const auto& [name, version] : facts.libraries) libraries.push_back(name + " " + version);
  return fmt::format(
      "esox {}\ncommit:    {}\ncompiler:  {}\nbuild:     {}\nprotocol:  {}\nlibraries: "
      "{}\nservers:   "
      "{}; and pthread programs (esox exec)",
      facts.version, facts.commit, facts.compiler, facts.build_type, facts.protocol,
      fmt::join(libraries, ", "), facts.servers);
}

}  // namespace esox
