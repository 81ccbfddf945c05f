// SPDX-License-Identifier: Apache-2.0
// The test program is its own server: addresses of its functions must get their names.
#include "harness/engine/debug_symbols.h"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

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

TEST(DebugSymbols, NameAFunctionOfThisProgramWithFileAndLine) {
  Symbols symbols = debug_symbols(own_modules());
  const uint64_t site = test_target::site_in_a_function();
  EXPECT_THAT(symbols.site(site), StartsWith("esox::test_target::site_in_a_function+0x"));
  EXPECT_THAT(symbols.site(site), MatchesRegex(".* \\(debug_symbols_test\\.cpp:[0-9]+\\)"));
  EXPECT_EQ(symbols.function(site), "esox::test_target::site_in_a_function");
}

TEST(DebugSymbols, NameAFunctionOfASharedLibraryByItsDynamicSymbols) {
  Symbols symbols = debug_symbols(own_modules());
  EXPECT_THAT(symbols.function(reinterpret_cast<uint64_t>(&std::fopen) + 4), HasSubstr("fopen"));
}

// Around the edges of every `step`th symbol of a file: places where the answers differ from
// libdw's.
std::vector<std::string> differences_from_libdw(const std::string& file, int step) {
  static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                           nullptr, nullptr};
  constexpr uint64_t kBase = 0x7f0000000000;
  Dwfl* dwfl = dwfl_begin(&callbacks);
  dwfl_report_begin(dwfl);
  Dwfl_Module* module = dwfl_report_elf(dwfl, "it", file.c_str(), -1, kBase, false);
  dwfl_report_end(dwfl, nullptr, nullptr);
  Dwarf_Addr begin = 0, end = 0;
  dwfl_module_info(module, nullptr, &begin, &end, nullptr, nullptr, nullptr, nullptr);
  Symbols symbols = debug_symbols({{begin, end, kBase, file}});
  std::vector<std::string> differences;
  size_t named = 0;
  for (int i = 1; i < dwfl_module_getsymtab(module); i += step) {
    GElf_Sym symbol;
    GElf_Addr value = 0;
    dwfl_module_getsym_info(module, i, &symbol, &value, nullptr, nullptr, nullptr);
    for (const uint64_t at :
         {value - 1, value, value + symbol.st_size - 1, value + symbol.st_size}) {
      if (at < begin || at >= end) continue;
      GElf_Off offset = 0;
      const char* name =
          dwfl_module_addrinfo(module, at, &offset, &symbol, nullptr, nullptr, nullptr);
      const std::string wanted = name == nullptr
                                     ? symbols.module_offset(at + 1)
                                     : fmt::format("{}+{:#x}", readable_symbol(name), offset + 1);
      if (name != nullptr) ++named;
      const std::string& site = symbols.site(at + 1);
      if (site.substr(0, site.rfind(" (")) != wanted) differences.push_back(wanted + ": " + site);
    }
  }
  dwfl_end(dwfl);
  if (named == 0) differences.push_back("no symbol has a name");
  return differences;
}

TEST(DebugSymbols, AreThoseOfLibdw) {
  const std::vector<Module> modules = own_modules();
  const auto library = std::ranges::find_if(modules, [](const Module& module) {
    return module.path.find("/libc.so") != std::string::npos;
  });
  ASSERT_NE(library, modules.end());
  EXPECT_THAT(differences_from_libdw(library->path, 200), testing::IsEmpty());
  EXPECT_THAT(differences_from_libdw("/proc/self/exe", 400), testing::IsEmpty());
}

TEST(DebugSymbols, NameStaticObjects) {
  Symbols symbols = debug_symbols(own_modules());
  const auto address = reinterpret_cast<uint64_t>(&test_target::static_object);
  EXPECT_EQ(symbols.object(address), "esox::test_target::static_object");
  EXPECT_EQ(symbols.object(address + 2), "esox::test_target::static_object+0x2");
  EXPECT_EQ(symbols.object(8), "");
}

TEST(DebugSymbols, AFileThatIsNoProgramOrIsGoneGivesModuleAndOffset) {
  const std::string files[] = {"/proc/self/status", "/nowhere/status"};
  for (const std::string& file : files) {
    Symbols symbols = debug_symbols({{0x10000, 0x20000, 0x10000, file}});
    EXPECT_EQ(symbols.site(0x10123), "status+0x123") << file;
  }
}

TEST(DebugSymbols, AreKeptForAServerThatIsAskedAboutAgain) {
  const std::vector<Module> modules = own_modules();
  Symbols first = debug_symbols(modules);
  const std::string& site = first.site(test_target::site_in_a_function());
  Symbols again = debug_symbols(modules);
  EXPECT_EQ(&again.site(test_target::site_in_a_function()), &site);
  Symbols other = debug_symbols({{0x10000, 0x20000, 0x10000, "/nowhere/server"}});
  EXPECT_EQ(other.answers(), 0u);
}

// A C library's function may have the name by which a mangled symbol codes a type.
extern "C" [[gnu::noinline]] uint64_t g() {
  return test_target::site_in_a_function() +
         reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

TEST(DebugSymbols, NameAFunctionOfAPlainCProgramAsItIs) {
  Symbols symbols = debug_symbols(own_modules());
  EXPECT_EQ(symbols.function(reinterpret_cast<uint64_t>(&g) + 4), "g");
}

}  // namespace
}  // namespace esox
