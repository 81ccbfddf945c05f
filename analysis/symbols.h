// SPDX-License-Identifier: Apache-2.0
// Addresses of the server as names for people.
//
// Names come from a SymbolSource (the server's files: harness/engine/debug_symbols.h); without one
// an address is told by its module. Answers are cached: a trace asks for the same few sites
// thousands of times. Copies share what they know; all of them are of one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  // As the linker has it: the symbol that covers `address`, or null; `start` is where it begins.
  virtual const char* symbol(uint64_t address, uint64_t& start) const = 0;
  virtual std::string line(uint64_t address) const = 0;  // "mdl.cc:812"; empty: not known
};

class Symbols {
 public:
  explicit Symbols(std::vector<Module> modules, std::unique_ptr<SymbolSource> source = nullptr);

  const std::vector<Module>& modules() const;  // by address
  size_t answers() const;                      // that are kept

  // A return address: "MDL_lock::release+0x1c (mdl.cc:812)"; without debug information only the
  // first part; unknown: "mariadbd+0x81c20"; in no module: "0x7f00deadbeef".
  const std::string& site(uint64_t return_address);

  // Only the function's name, or what stands for it; stable across builds where a name is known.
  const std::string& function(uint64_t return_address);

  // A static object: "LOCK_open", "query_cache+0x8"; empty if the address is in no module (heap or
  // stack) or has no name.
  const std::string& object(uint64_t address) const;

  // "mariadbd+0x81c20": the same for every load address.
  std::string module_offset(uint64_t address) const;

 private:
  struct Name {
    std::string site;
    std::string function;
  };
  struct Known;  // of these modules

  const Name& lookup(uint64_t return_address);

  std::shared_ptr<Known> known_;
};

// "MDL_map::find_or_insert" from a C++ symbol: parameters are dropped and template arguments
// shortened to <...>. Any other name is as it was.
std::string readable_symbol(const char* symbol);

}  // namespace esox
