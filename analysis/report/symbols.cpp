// SPDX-License-Identifier: Apache-2.0
// A return address is the instruction after the call, which may already belong to the next line or
// (after a call that does not return) to the next function. So names are asked for address - 1 and
// offsets are given for the address itself.
#include "analysis/report/symbols.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>

namespace esox {
namespace {

constexpr size_t kMostKept = 4;           // servers that a worker of a hunt goes to and fro between
constexpr size_t kMostAnswers = 200'000;  // of one of them

bool is_same(const Module& a, const Module& b) {
  return a.begin == b.begin && a.end == b.end && a.load_base == b.load_base && a.path == b.path;
}

std::string base_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The position just after the bracket that closes the one at `open`; brackets of operators
// ("operator<", "operator()", "->") are not counted.
size_t closing(const std::string& text, size_t open, char left, char right) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == left) ++depth;
    if (text[i] == right && !(right == '>' && i > 0 && text[i - 1] == '-')) --depth;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// The length of an operator's own punctuation at `at`, which follows the word "operator".
size_t operator_length(const std::string& text, size_t at) {
  static const char* const kOperators[] = {"()", "<<=", ">>=", "<=>", "->*", "<<",
                                           ">>", "<=",  ">=",  "->",  "<",   ">"};
  for (const char* spelling : kOperators) {
    const std::string op = spelling;
    if (text.compare(at, op.size(), op) == 0) return op.size();
  }
  return 0;
}

// Drops parameter lists, return types are not there for functions that are not templates; for
// those that are, the part before the last space at depth 0 is the return type.
std::string shorten(const std::string& full) {
  static const std::string kOperator = "operator";
  std::string text;
  for (size_t i = 0; i < full.size();) {
    if (full.compare(i, kOperator.size(), kOperator) == 0) {
      const size_t length = kOperator.size() + operator_length(full, i + kOperator.size());
      text.append(full, i, length);
      i += length;
    } else if (full[i] == '<') {
      text += "<...>";
      i = closing(full, i, '<', '>');
    } else if (full.compare(i, 21, "(anonymous namespace)") == 0) {
      text += "(anonymous)";
      i += 21;
    } else if (full[i] == '(') {
      i = closing(full, i, '(', ')');
    } else if (full[i] == '{') {
      const size_t end = closing(full, i, '{', '}');
      text += full.compare(i, 7, "{lambda") == 0 ? "{lambda}" : full.substr(i, end - i);
      i = end;
    } else {
      text += full[i++];
    }
  }
  return text;
}

std::string without_return_type_and_suffix(std::string text) {
  for (const char* suffix : {" const", " volatile", " &", " &&"}) {
    const std::string end = suffix;
    if (text.size() > end.size() && text.ends_with(end)) text.resize(text.size() - end.size());
  }
  const size_t name_end = text.find("operator");
  const size_t space = text.rfind(' ', name_end);
  return space == std::string::npos ? text : text.substr(space + 1);
}

}  // namespace

std::string readable_symbol(const char* symbol) {
  int status = -1;
  std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return symbol;
  return without_return_type_and_suffix(shorten(demangled.get()));
}

class Symbols::Debugger {
 public:
  explicit Debugger(const std::vector<Module>& modules) {
    callbacks_.find_elf = dwfl_build_id_find_elf;
    callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
    session_ = dwfl_begin(&callbacks_);
    if (session_ == nullptr) return;
    dwfl_report_begin(session_);
    for (const Module& module : modules) {
      // A file that is gone or no ELF file is left out: its addresses get module+offset.
      dwfl_report_elf(session_, base_name(module.path).c_str(), module.path.c_str(), -1,
                      module.load_base, false);
    }
    dwfl_report_end(session_, nullptr, nullptr);
  }
  ~Debugger() {
    if (session_ != nullptr) dwfl_end(session_);
  }
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  // The symbol that covers `address`, or null; `start` is where it begins.
  const char* symbol(uint64_t address, uint64_t& start) const {
    Dwfl_Module* module = session_ ? dwfl_addrmodule(session_, address) : nullptr;
    if (module == nullptr) return nullptr;
    GElf_Sym symbol;
    GElf_Off offset = 0;
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    start = address - offset;
    return name;
  }

  std::string source(uint64_t address) const {
    Dwfl_Module* module = session_ ? dwfl_addrmodule(session_, address) : nullptr;
    Dwfl_Line* line = module ? dwfl_module_getsrc(module, address) : nullptr;
    if (line == nullptr) return "";
    int number = 0;
    const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    return file == nullptr ? "" : fmt::format("{}:{}", base_name(file), number);
  }

 private:
  Dwfl_Callbacks callbacks_{};
  Dwfl* session_ = nullptr;
};

struct Symbols::Known {
  explicit Known(std::vector<Module> sorted) : modules(std::move(sorted)), debugger(modules) {}
  size_t answers() const { return names.size() + objects.size(); }

  std::vector<Module> modules;  // sorted by begin
  Debugger debugger;
  std::map<uint64_t, Name> names;  // of return addresses
  std::map<uint64_t, std::string> objects;
};

std::shared_ptr<Symbols::Known> Symbols::known_of(std::vector<Module> modules) {
  static thread_local std::list<std::shared_ptr<Known>> kept;  // the last used first
  std::sort(modules.begin(), modules.end(),
            [](const Module& a, const Module& b) { return a.begin < b.begin; });
  kept.remove_if([](const auto& one) { return one->answers() > kMostAnswers; });
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const auto& one) {
    return std::equal(one->modules.begin(), one->modules.end(), modules.begin(), modules.end(),
                      is_same);
  });
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
    return kept.front();
  }
  if (kept.size() == kMostKept) kept.pop_back();
  return kept.emplace_front(std::make_shared<Known>(std::move(modules)));
}

Symbols::Symbols(std::vector<Module> modules) : known_(known_of(std::move(modules))) {}

Symbols::~Symbols() = default;

std::string Symbols::module_offset(uint64_t address) const {
  const std::vector<Module>& modules = known_->modules;
  const auto next =
      std::upper_bound(modules.begin(), modules.end(), address,
                       [](uint64_t value, const Module& module) { return value < module.begin; });
  if (next == modules.begin() || address >= std::prev(next)->end) {
    return fmt::format("{:#x}", address);
  }
  const Module& module = *std::prev(next);
  return fmt::format("{}+{:#x}", base_name(module.path), address - module.load_base);
}

const Symbols::Name& Symbols::lookup(uint64_t return_address) {
  const auto known = known_->names.find(return_address);
  if (known != known_->names.end()) return known->second;
  const uint64_t call = return_address == 0 ? 0 : return_address - 1;
  uint64_t start = 0;
  const char* symbol = known_->debugger.symbol(call, start);
  Name name;
  if (symbol == nullptr) {
    name.site = name.function = module_offset(return_address);
  } else {
    name.function = readable_symbol(symbol);
    name.site = fmt::format("{}+{:#x}", name.function, return_address - start);
  }
  const std::string source = known_->debugger.source(call);
  if (!source.empty()) name.site += " (" + source + ")";
  return known_->names.emplace(return_address, std::move(name)).first->second;
}

const std::string& Symbols::site(uint64_t return_address) {
  return lookup(return_address).site;
}

const std::string& Symbols::function(uint64_t return_address) {
  return lookup(return_address).function;
}

const std::string& Symbols::object(uint64_t address) const {
  const auto known = known_->objects.find(address);
  if (known != known_->objects.end()) return known->second;
  uint64_t start = 0;
  const char* symbol = known_->debugger.symbol(address, start);
  std::string name;
  if (symbol != nullptr) {
    name = readable_symbol(symbol);
    if (address != start) name += fmt::format("+{:#x}", address - start);
  }
  return known_->objects.emplace(address, std::move(name)).first->second;
}

}  // namespace esox
