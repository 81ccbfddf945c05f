// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/debug_symbols.h"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace esox {
namespace {

constexpr size_t kMostKept = 4;           // servers that a worker of a hunt goes to and fro between
constexpr size_t kMostAnswers = 200'000;  // of one of them

bool is_same(const Module& a, const Module& b) {
  return a.begin == b.begin && a.end == b.end && a.load_base == b.load_base && a.path == b.path;
}

class ElfSymbols : public SymbolSource {
 public:
  explicit ElfSymbols(const std::vector<Module>& modules) {
    callbacks_.find_elf = dwfl_build_id_find_elf;
    callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
    session_ = dwfl_begin(&callbacks_);
    if (session_ == nullptr) return;
    dwfl_report_begin(session_);
    for (const Module& module : modules) {
      // A file that is gone or no ELF file is left out: its addresses get module+offset.
      dwfl_report_elf(session_, module.name().c_str(), module.path.c_str(), -1, module.load_base,
                      false);
    }
    dwfl_report_end(session_, nullptr, nullptr);
  }
  ~ElfSymbols() override {
    if (session_ != nullptr) dwfl_end(session_);
  }
  ElfSymbols(const ElfSymbols&) = delete;
  ElfSymbols& operator=(const ElfSymbols&) = delete;

  const char* symbol(uint64_t address, uint64_t& start) const override {
    Dwfl_Module* module = session_ ? dwfl_addrmodule(session_, address) : nullptr;
    if (module == nullptr) return nullptr;
    GElf_Sym symbol;
    GElf_Off offset = 0;
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    start = address - offset;
    return name;
  }

  std::string line(uint64_t address) const override {
    Dwfl_Module* module = session_ ? dwfl_addrmodule(session_, address) : nullptr;
    if (module == nullptr) return "";
    int number = 0;
    Dwfl_Line* found = dwfl_module_getsrc(module, address);
    const char* file = found == nullptr
                           ? source_by_units(module, address, number)
                           : dwfl_lineinfo(found, nullptr, &number, nullptr, nullptr, nullptr);
    return file == nullptr ? "" : fmt::format("{}:{}", basename(file), number);
  }

 private:
  // libdw looks for an address's unit in .debug_aranges, which clang leaves out: then each unit is
  // asked.
  static const char* source_by_units(Dwfl_Module* module, uint64_t address, int& number) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
      if (dwarf_haspc(unit, address - bias) != 1) continue;
      Dwarf_Line* line = dwarf_getsrc_die(unit, address - bias);
      if (line == nullptr || dwarf_lineno(line, &number) != 0) return nullptr;
      return dwarf_linesrc(line, nullptr, nullptr);
    }
    return nullptr;
  }

  Dwfl_Callbacks callbacks_{};
  Dwfl* session_ = nullptr;
};

}  // namespace

Symbols debug_symbols(std::vector<Module> modules) {
  static thread_local std::list<Symbols> kept;  // the last used first
  std::sort(modules.begin(), modules.end(),
            [](const Module& a, const Module& b) { return a.begin < b.begin; });
  kept.remove_if([](const Symbols& one) { return one.answers() > kMostAnswers; });
  const auto found = std::ranges::find_if(kept, [&](const Symbols& one) {
    return std::ranges::equal(one.modules(), modules, is_same);
  });
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
    return kept.front();
  }
  if (kept.size() == kMostKept) kept.pop_back();
  auto source = std::make_unique<ElfSymbols>(modules);
  return kept.emplace_front(std::move(modules), std::move(source));
}

}  // namespace esox
