// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/debug_symbols.h"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>

namespace esox {
namespace {

constexpr size_t kMostKept = 4;           // servers that a worker of a hunt goes to and fro between
constexpr size_t kMostAnswers = 200'000;  // of one of them

bool is_same(const Module& a, const Module& b) {
  return a.begin == b.begin && a.end == b.end && a.load_base == b.load_base && a.path == b.path;
}

int binding_rank(const GElf_Sym& symbol) {
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
      return 3;
    case STB_WEAK:
      return 2;
    case STB_LOCAL:
      return 1;
    default:
      return 0;
  }
}

// A module's symbols by their addresses. dwfl_module_addrinfo goes through all of them for each
// question, a millisecond of a large server; the answers here are the same, so its rules are
// repeated: only what has a size and covers the address counts, and local symbols where no global
// one does; of these the one that begins last, or a stronger one that comes later in the table; of
// those that begin together the smaller, the stronger, the first. Where something without a size
// could be the answer, libdw is asked.
class SymbolIndex {
 public:
  explicit SymbolIndex(Dwfl_Module* module) : module_(module) {
    const int all = dwfl_module_getsymtab(module);
    first_global_ = std::max(dwfl_module_getsymtab_first_global(module), 0);
    for (int i = 1; i < all; ++i) {
      GElf_Sym symbol;
      GElf_Addr value = 0;
      const char* name =
          dwfl_module_getsym_info(module, i, &symbol, &value, nullptr, nullptr, nullptr);
      if (name == nullptr || *name == '\0' || symbol.st_shndx == SHN_UNDEF) continue;
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (type == STT_SECTION || type == STT_FILE || type == STT_TLS) continue;
      entries_.push_back({value, value + symbol.st_size, 0, i, binding_rank(symbol)});
    }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.number < b.number;
    });
    uint64_t furthest = 0;
    for (Entry& entry : entries_) entry.furthest = furthest = std::max(furthest, entry.end);
  }

  const char* symbol(uint64_t address, uint64_t& start) const {
    auto one =
        std::upper_bound(entries_.begin(), entries_.end(), address,
                         [](uint64_t wanted, const Entry& entry) { return wanted < entry.begin; });
    if (one == entries_.begin()) return nullptr;
    const uint64_t furthest = std::prev(one)->furthest;
    if (furthest <= address) return without_size(one, furthest) ? asked(address, start) : nullptr;
    std::vector<const Entry*> covering;
    for (auto before = one; before != entries_.begin() && (--before)->furthest > address;) {
      if (before->end > address) covering.push_back(&*before);
    }
    const Entry& best = best_of(covering);
    if (is_local(best) && without_size(one, address)) return asked(address, start);
    start = best.begin;
    GElf_Sym symbol;
    GElf_Addr value = 0;
    return dwfl_module_getsym_info(module_, best.number, &symbol, &value, nullptr, nullptr,
                                   nullptr);
  }

 private:
  struct Entry {
    uint64_t begin;
    uint64_t end;
    uint64_t furthest;  // end of this one and of all before
    int number;         // in the module's table
    int rank;

    uint64_t size() const { return end - begin; }
  };
  using Entries = std::vector<Entry>;

  // Whether something without a size begins there or behind, before `after`.
  bool without_size(Entries::const_iterator after, uint64_t begin) const {
    const auto one =
        std::lower_bound(entries_.begin(), after, begin,
                         [](const Entry& entry, uint64_t wanted) { return entry.begin < wanted; });
    return std::any_of(one, after, [](const Entry& entry) { return entry.size() == 0; });
  }

  const char* asked(uint64_t address, uint64_t& start) const {
    GElf_Sym symbol;
    GElf_Off offset = 0;
    const char* name =
        dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
    start = address - offset;
    return name;
  }

  bool is_local(const Entry& entry) const { return entry.number < first_global_; }

  const Entry& best_of(std::vector<const Entry*>& covering) const {
    std::sort(covering.begin(), covering.end(), [this](const Entry* a, const Entry* b) {
      return is_local(*a) != is_local(*b) ? is_local(*b) : a->number < b->number;
    });
    const Entry* best = nullptr;
    for (const Entry* one : covering) {
      if (best != nullptr && is_local(*one) && !is_local(*best)) break;
      const bool closer = best == nullptr || best->begin < one->begin || best->rank < one->rank;
      const bool tighter = best != nullptr && best->begin == one->begin &&
                           best->rank <= one->rank && one->size() < best->size();
      if (closer || tighter) best = one;
    }
    return *best;
  }

  Dwfl_Module* module_;
  int first_global_ = 0;
  Entries entries_;
};

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
    return indices_.try_emplace(module, module).first->second.symbol(address, start);
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
  mutable std::map<Dwfl_Module*, SymbolIndex> indices_;  // of those that were asked
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
