// SPDX-License-Identifier: Apache-2.0
#include "analysis/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

// One function at 0x10100, of one line.
class OneFunction : public SymbolSource {
 public:
  explicit OneFunction(int& asked) : asked_(asked) {}
  const char* symbol(uint64_t address, uint64_t& start) const override {
    ++asked_;
    start = 0x10100;
    return address >= start && address < 0x10200 ? "_ZN8MDL_lock7releaseEv" : nullptr;
  }
  std::string line(uint64_t address) const override {
    return address < 0x10200 ? "mdl.cc:812" : "";
  }

 private:
  int& asked_;
};

TEST(Symbols, NameAReturnAddressByTheCallBeforeIt) {
  int asked = 0;
  Symbols symbols({{0x10000, 0x20000, 0x10000, "/sbin/server"}},
                  std::make_unique<OneFunction>(asked));
  EXPECT_EQ(symbols.site(0x1011c), "MDL_lock::release+0x1c (mdl.cc:812)");
  EXPECT_EQ(symbols.function(0x10200), "MDL_lock::release");  // the call was its last instruction
  EXPECT_EQ(symbols.function(0x10300), "server+0x300");
  EXPECT_EQ(symbols.object(0x10104), "MDL_lock::release+0x4");
  EXPECT_EQ(asked, 4);
  Symbols copy = symbols;
  EXPECT_EQ(copy.site(0x1011c), "MDL_lock::release+0x1c (mdl.cc:812)");
  EXPECT_EQ(asked, 4);  // and is asked for each only once
}

TEST(Symbols, WithoutNamesGiveModuleAndOffset) {
  Symbols symbols({{0x10000, 0x20000, 0x10000, "/nowhere/mariadbd"}});
  EXPECT_EQ(symbols.site(0x10123), "mariadbd+0x123");
  EXPECT_EQ(symbols.function(0x10123), "mariadbd+0x123");
  EXPECT_EQ(symbols.module_offset(0x1ffff), "mariadbd+0xffff");
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

TEST(ReadableSymbol, LeavesPlainNamesThatCodeATypeInMangledOnes) {
  for (const char* name : {"f", "g", "i", "main", "v", ""}) EXPECT_EQ(readable_symbol(name), name);
}

}  // namespace
}  // namespace esox
