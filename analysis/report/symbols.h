// SPDX-License-Identifier: Apache-2.0
// Addresses of the server as names for people.
//
// Reads the ELF files named in an execution's module map with libdw; the server itself may be gone.
// Without debug information the dynamic symbols are enough for function names (a server that lets
// plugins link against it exports nearly all of its own). Answers are cached: a trace asks for the
// same few sites thousands of times, and libdw goes through all symbols for each. A thread keeps
// what it knows of the last few servers, so that making a Symbols for a server just asked about
// costs nothing. Each is its thread's alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

class Symbols {
 public:
  explicit Symbols(std::vector<Module> modules);
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

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
  class Debugger;  // libdw's session
  struct Known;    // of these modules

  static std::shared_ptr<Known> known_of(std::vector<Module> modules);
  const Name& lookup(uint64_t return_address);

  std::shared_ptr<Known> known_;
};

// "MDL_map::find_or_insert" from a C++ symbol or a plain name: parameters are dropped and template
// arguments shortened to <...>.
std::string readable_symbol(const char* symbol);

}  // namespace esox
