// SPDX-License-Identifier: Apache-2.0
// The test program is its own server: addresses of its functions must get their names.
#include "analysis/report/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace esox::test_target {

// Returns the address it will return to.
[[gnu::noinline]] void* where_called_from() {
  return __builtin_return_address(0);
}

[[gnu::noinline]] uint64_t site_in_a_function() {
  const auto site = reinterpret_cast<uint64_t>(where_called_from());
  asm volatile("");  // no tail call
  return site;
}

int static_object = 1;

}  // namespace esox::test_target

namespace esox {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::vector<Module> own_modules() {
  std::vector<Module> modules;
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    uint64_t begin = 0, end = 0, offset = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &begin, &end, &offset, &path_at) <
        3) {
      continue;
    }
    const std::string path = line.substr(static_cast<size_t>(path_at));
    if (path.empty() || path[0] != '/') continue;
    if (!modules.empty() && modules.back().path == path) {
      modules.back().end = end;
    } else {
      modules.push_back({begin, end, begin - offset, path});
    }
  }
  return modules;
}

TEST(Symbols, NameAFunctionOfThisProgramWithFileAndLine) {
  Symbols symbols(own_modules());
  const uint64_t site = test_target::site_in_a_function();
  EXPECT_THAT(symbols.site(site), StartsWith("esox::test_target::site_in_a_function+0x"));
  EXPECT_THAT(symbols.site(site), MatchesRegex(".* \\(symbols_test\\.cpp:[0-9]+\\)"));
  EXPECT_EQ(symbols.function(site), "esox::test_target::site_in_a_function");
}

TEST(Symbols, NameAFunctionOfASharedLibraryByItsDynamicSymbols) {
  Symbols symbols(own_modules());
  EXPECT_THAT(symbols.function(reinterpret_cast<uint64_t>(&std::fopen) + 4), HasSubstr("fopen"));
}

TEST(Symbols, NameStaticObjects) {
  Symbols symbols(own_modules());
  const auto address = reinterpret_cast<uint64_t>(&test_target::static_object);
  EXPECT_EQ(symbols.object(address), "esox::test_target::static_object");
  EXPECT_EQ(symbols.object(address + 2), "esox::test_target::static_object+0x2");
  EXPECT_EQ(symbols.object(8), "");
}

TEST(Symbols, AFileThatIsGoneGivesModuleAndOffset) {
  Symbols symbols({{0x10000, 0x20000, 0x10000, "/nowhere/mariadbd"}});
  EXPECT_EQ(symbols.site(0x10123), "mariadbd+0x123");
  EXPECT_EQ(symbols.function(0x10123), "mariadbd+0x123");
  EXPECT_EQ(symbols.module_offset(0x1ffff), "mariadbd+0xffff");
}

TEST(Symbols, AFileThatIsNoProgramGivesModuleAndOffset) {
  Symbols symbols({{0x10000, 0x20000, 0x10000, "/proc/self/status"}});
  EXPECT_EQ(symbols.site(0x10123), "status+0x123");
}

TEST(Symbols, AnAddressOutsideAllModulesStaysAnAddress) {
  Symbols symbols({{0x10000, 0x20000, 0x10000, "/nowhere/mariadbd"}});
  EXPECT_EQ(symbols.site(0x20000), "0x20000");
  EXPECT_EQ(symbols.site(0x42), "0x42");
  EXPECT_EQ(symbols.site(0), "0x0");
  EXPECT_EQ(Symbols({}).site(0x42), "0x42");
}

TEST(ReadableSymbol, DropsParametersAndShortensTemplateArguments) {
  EXPECT_EQ(readable_symbol("_ZN9MDL_map_t14find_or_insertEP7LF_PINSPK7MDL_key"),
            "MDL_map_t::find_or_insert");
  EXPECT_EQ(readable_symbol("mysql_execute_command"), "mysql_execute_command");
  EXPECT_EQ(readable_symbol("_ZN4esox12_GLOBAL__N_15Judge3runEv"), "esox::(anonymous)::Judge::run");
  EXPECT_EQ(readable_symbol("_ZNSt6vectorIiSaIiEE9push_backERKi"), "std::vector<...>::push_back");
  EXPECT_EQ(readable_symbol("_ZNKSt6vectorIiSaIiEE4sizeEv"), "std::vector<...>::size");
  EXPECT_EQ(readable_symbol("_ZN1AltERKS_"), "A::operator<");
  EXPECT_EQ(readable_symbol("_ZN1AclEi"), "A::operator()");
  EXPECT_EQ(readable_symbol("_ZN1AptEv"), "A::operator->");
  EXPECT_EQ(readable_symbol("_Z3addIiET_S0_S0_"), "add<...>");  // its return type is dropped
  EXPECT_EQ(readable_symbol("_Z_not_a_symbol"), "_Z_not_a_symbol");
}

}  // namespace
}  // namespace esox
