// SPDX-License-Identifier: Apache-2.0
// A return address is the instruction after the call, which may already belong to the next line or
// (after a call that does not return) to the next function. So names are asked for address - 1 and
// offsets are given for the address itself.
#include "analysis/symbols.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

namespace esox {
namespace {

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
  // The demangler takes a plain "f" for the code of a type: float.
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;
  int status = -1;
  std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return symbol;
  return without_return_type_and_suffix(shorten(demangled.get()));
}

struct Symbols::Known {
  std::vector<Module> modules;  // sorted by begin
  std::unique_ptr<SymbolSource> source;
  std::map<uint64_t, Name> names;  // of return addresses
  std::map<uint64_t, std::string> objects;
};

Symbols::Symbols(std::vector<Module> modules, std::unique_ptr<SymbolSource> source) {
  std::ranges::sort(modules, {}, &Module::begin);
  known_ = std::make_shared<Known>(Known{std::move(modules), std::move(source), {}, {}});
}

const std::vector<Module>& Symbols::modules() const {
  return known_->modules;
}

size_t Symbols::answers() const {
  return known_->names.size() + known_->objects.size();
}

std::string Symbols::module_offset(uint64_t address) const {
  const std::vector<Module>& modules = known_->modules;
  const auto next = std::ranges::upper_bound(modules, address, {}, &Module::begin);
  if (next == modules.begin() || address >= std::prev(next)->end) {
    return fmt::format("{:#x}", address);
  }
  const Module& module = *std::prev(next);
  return fmt::format("{}+{:#x}", module.name(), address - module.load_base);
}

const Symbols::Name& Symbols::lookup(uint64_t return_address) {
  const auto known = known_->names.find(return_address);
  if (known != known_->names.end()) return known->second;
  const uint64_t call = return_address == 0 ? 0 : return_address - 1;
  uint64_t start = 0;
  const char* symbol = known_->source ? known_->source->symbol(call, start) : nullptr;
  Name name;
  if (symbol == nullptr) {
    name.site = name.function = module_offset(return_address);
  } else {
    name.function = readable_symbol(symbol);
    name.site = fmt::format("{}+{:#x}", name.function, return_address - start);
  }
  const std::string source = known_->source ? known_->source->line(call) : "";
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
  const char* symbol = known_->source ? known_->source->symbol(address, start) : nullptr;
  std::string name;
  if (symbol != nullptr) {
    name = readable_symbol(symbol);
    if (address != start) name += fmt::format("+{:#x}", address - start);
  }
  return known_->objects.emplace(address, std::move(name)).first->second;
}

}  // namespace esox
