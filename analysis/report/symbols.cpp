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

namespace esox {
namespace {

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

Symbols::Symbols(std::vector<Module> modules) : modules_(std::move(modules)) {
  std::sort(modules_.begin(), modules_.end(),
            [](const Module& a, const Module& b) { return a.begin < b.begin; });
  debugger_ = std::make_unique<Debugger>(modules_);
}

Symbols::~Symbols() = default;

const Module* Symbols::module_of(uint64_t address) const {
  const auto next =
      std::upper_bound(modules_.begin(), modules_.end(), address,
                       [](uint64_t value, const Module& module) { return value < module.begin; });
  if (next == modules_.begin()) return nullptr;
  const Module& module = *std::prev(next);
  return address < module.end ? &module : nullptr;
}

std::string Symbols::module_offset(uint64_t address) const {
  const Module* module = module_of(address);
  if (module == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{}+{:#x}", base_name(module->path), address - module->load_base);
}

const Symbols::Name& Symbols::lookup(uint64_t return_address) {
  const auto known = cache_.find(return_address);
  if (known != cache_.end()) return known->second;
  const uint64_t call = return_address == 0 ? 0 : return_address - 1;
  uint64_t start = 0;
  const char* symbol = debugger_->symbol(call, start);
  Name name;
  if (symbol == nullptr) {
    name.site = name.function = module_offset(return_address);
  } else {
    name.function = readable_symbol(symbol);
    name.site = fmt::format("{}+{:#x}", name.function, return_address - start);
  }
  const std::string source = debugger_->source(call);
  if (!source.empty()) name.site += " (" + source + ")";
  return cache_.emplace(return_address, std::move(name)).first->second;
}

const std::string& Symbols::site(uint64_t return_address) {
  return lookup(return_address).site;
}

const std::string& Symbols::function(uint64_t return_address) {
  return lookup(return_address).function;
}

std::string Symbols::object(uint64_t address) const {
  uint64_t start = 0;
  const char* symbol = debugger_->symbol(address, start);
  if (symbol == nullptr) return "";
  const std::string name = readable_symbol(symbol);
  return address == start ? name : fmt::format("{}+{:#x}", name, address - start);
}

}  // namespace esox
