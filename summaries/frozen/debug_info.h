// SPDX-License-Identifier: Apache-2.0
// What one program file or shared library says of its variables and types, by libdw: DWARF 4 and 5,
// in the file itself or in a separate one found by build id or .gnu_debuglink (as Debian's -dbgsym
// packages bring them), and the symbol table for variables that have no more.
//
// Known are variables with a fixed address (global ones, and those of a file or a namespace), not
// those inside functions and not thread-local ones; and types outside of classes and functions.
// All addresses are the file's own; program_image.h moves them to where a process has them.
//
// Read once for each file, shared by all that ask, of any thread.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "summaries/frozen/type.h"

namespace esox {

class DebugInfo {
 public:
  // Of the file at `open_path`, named `path` in messages. Throws FrozenError.
  static std::shared_ptr<DebugInfo> of(const std::string& path, const std::string& open_path);

  DebugInfo(const std::string& path, const std::string& open_path);

  struct Found {
    uint64_t address = 0;
    const Type* type = nullptr;
    std::string unit;       // the compile unit's path
    bool external = false;  // other units may name it
    bool thread_local_one = false;
  };
  // All of that name, at different addresses.
  std::vector<Found> variables(std::string_view name);
  // Where the symbol table has an exported variable of that name.
  std::optional<uint64_t> symbol(std::string_view name) const;
  const Type* type(std::string_view name);  // null if there is none
  std::optional<int64_t> enumerator(std::string_view name) const;
  const Type* pointer_to(const Type* target);

  const std::string& path() const { return path_; }
  bool has_types() const { return dwarf_ != nullptr; }
  // The address of the file's first byte, had it been loaded where it says.
  uint64_t first_address() const { return first_address_; }
  // Names near to one that is not there: "; did you mean 'x'?", or empty.
  std::string hint(std::string_view name) const;

 private:
  struct DwflEnd {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };
  struct Declared {
    Dwarf_Die die{};
    std::string unit;
  };
  using Dies = std::unordered_map<std::string, Dwarf_Die>;

  void open(const std::string& open_path);
  void index_symbols();
  void index_units();
  void index_children(Dwarf_Die parent, const std::string& scope, const std::string& unit,
                      int depth);
  void index_one(Dwarf_Die die, const std::string& scope, const std::string& unit, int depth);
  void index_variable(Dwarf_Die die, const std::string& scope, const std::string& unit);
  void index_enumerators(Dwarf_Die die);
  std::optional<Found> locate(const Declared& declared);

  const Type* intern(Dwarf_Die die);
  const Type* intern_type_of(Dwarf_Die die);
  void fill_all();
  void fill(Type& type, Dwarf_Die die);
  void fill_enum(Type& type, Dwarf_Die die);
  void fill_array(Type& type, Dwarf_Die die);
  void fill_struct(Type& type, Dwarf_Die die);
  void fill_member(Type& type, Dwarf_Die die);

  std::string path_;
  std::unique_ptr<Dwfl, DwflEnd> dwfl_;
  Dwfl_Module* module_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  uint64_t to_file_ = 0;  // added to an address of the debug information
  uint64_t first_address_ = 0;
  std::unordered_map<std::string, std::vector<Declared>> variables_;
  std::unordered_map<std::string, uint64_t> symbols_;
  Dies tags_;   // struct, union, class, enum
  Dies names_;  // typedefs and base types
  std::unordered_map<std::string, int64_t> enumerators_;

  std::mutex mutex_;  // guards all below, and libdw
  TypeTable types_;
  std::unordered_map<void*, const Type*> interned_;
  std::vector<std::pair<Type*, Dwarf_Die>> to_fill_;
};

}  // namespace esox
