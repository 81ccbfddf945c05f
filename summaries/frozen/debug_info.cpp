// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/debug_info.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/spelling.h"
#include "summaries/frozen/errors.h"

namespace esox {
namespace {

constexpr int kMostNamespaces = 16;  // nested

const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                   dwfl_offline_section_address, nullptr};

// Why the last call failed; not every failure has a text.
std::string dwfl_error() {
  const char* text = dwfl_errmsg(-1);
  return text != nullptr ? text : "it is no ELF file of this machine";
}

void for_each_child(Dwarf_Die parent, const auto& visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::string name_of_die(Dwarf_Die die) {
  const char* name = dwarf_diename(&die);
  return name != nullptr ? name : "";
}

std::optional<uint64_t> unsigned_attribute(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formudata(&attribute, &value) != 0) return std::nullopt;
  return value;
}

// A constant's form says little of its sign: only those that are signed by their form are.
int64_t constant_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(&die, DW_AT_const_value, &attribute) == nullptr) return 0;
  const unsigned form = dwarf_whatform(&attribute);
  Dwarf_Sword value = 0;
  Dwarf_Word unsigned_value = 0;
  if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
    return dwarf_formsdata(&attribute, &value) == 0 ? value : 0;
  }
  return dwarf_formudata(&attribute, &unsigned_value) == 0 ? static_cast<int64_t>(unsigned_value)
                                                           : 0;
}

bool is_declaration(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_attr(&die, DW_AT_declaration, &attribute) != nullptr &&
         dwarf_formflag(&attribute, &flag) == 0 && flag;
}

std::string demangled(const char* linkage_name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(linkage_name, nullptr, nullptr, &status), free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

// "struct", as the type is written in C; empty for what is no tag.
std::string_view tag_word(int tag) {
  if (tag == DW_TAG_structure_type) return "struct";
  if (tag == DW_TAG_union_type) return "union";
  if (tag == DW_TAG_class_type) return "class";
  if (tag == DW_TAG_enumeration_type) return "enum";
  return {};
}

// Where a member lies within its struct; nothing where that is only known at run time (a virtual
// base class).
std::optional<uint64_t> member_offset(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_data_member_location, &attribute) == nullptr) return 0;
  Dwarf_Word value = 0;
  if (dwarf_formudata(&attribute, &value) == 0) return value;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
      ops[0].atom == DW_OP_plus_uconst) {
    return ops[0].number;
  }
  return std::nullopt;
}

// DWARF 5, 5.7.6: DW_AT_data_bit_offset counts from the struct's beginning. DWARF 2's
// DW_AT_bit_offset counts from the highest bit of a storage unit of DW_AT_byte_size.
void set_bit_field(Member& member, Dwarf_Die die) {
  const auto bits = unsigned_attribute(die, DW_AT_bit_size);
  if (!bits || *bits == 0 || *bits > 64) return;
  member.bits = static_cast<uint32_t>(*bits);
  uint64_t bit = 0;
  if (const auto from_begin = unsigned_attribute(die, DW_AT_data_bit_offset)) {
    bit = *from_begin;
  } else if (const auto from_high = unsigned_attribute(die, DW_AT_bit_offset)) {
    const uint64_t unit =
        unsigned_attribute(die, DW_AT_byte_size).value_or(member.type ? member.type->bytes : 4);
    bit = unit * 8 - *from_high - *bits;
  }
  member.offset += bit / 8;
  member.bit_offset = static_cast<uint32_t>(bit % 8);
}

}  // namespace

std::shared_ptr<DebugInfo> DebugInfo::of(const std::string& path, const std::string& open_path) {
  struct stat status {};
  if (stat(open_path.c_str(), &status) != 0) {
    throw FrozenError(fmt::format("{} cannot be opened: {}", path, strerror(errno)));
  }
  const std::string key =
      fmt::format("{} {} {} {} {}.{}", path, status.st_dev, status.st_ino, status.st_size,
                  status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<DebugInfo>> all;
  const std::lock_guard lock(mutex);
  std::shared_ptr<DebugInfo>& one = all[key];
  if (one == nullptr) one = std::make_shared<DebugInfo>(path, open_path);
  return one;
}

DebugInfo::DebugInfo(const std::string& path, const std::string& open_path) : path_(path) {
  open(open_path);
  index_symbols();
  if (dwarf_ != nullptr) index_units();
}

void DebugInfo::open(const std::string& open_path) {
  dwfl_.reset(dwfl_begin(&kCallbacks));
  const int fd = ::open(open_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw FrozenError(fmt::format("{} cannot be opened: {}", path_, strerror(errno)));
  if (dwfl_) module_ = dwfl_report_offline(dwfl_.get(), path_.c_str(), path_.c_str(), fd);
  if (module_ == nullptr) {  // else it has taken the descriptor
    close(fd);
    throw FrozenError(fmt::format("{} is no program: {}", path_, dwfl_error()));
  }
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  GElf_Addr to_dwfl = 0;
  Elf* elf = dwfl_module_getelf(module_, &to_dwfl);
  if (elf == nullptr) throw FrozenError(fmt::format("{}: {}", path_, dwfl_error()));
  size_t headers = 0;
  elf_getphdrnum(elf, &headers);
  for (size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD) {
      continue;
    }
    first_address_ = header.p_vaddr - header.p_offset;
    break;
  }
  Dwarf_Addr dwarf_to_dwfl = 0;
  dwarf_ = dwfl_module_getdwarf(module_, &dwarf_to_dwfl);
  to_file_ = dwarf_to_dwfl - to_dwfl;
}

void DebugInfo::index_symbols() {
  GElf_Addr to_dwfl = 0;
  dwfl_module_getelf(module_, &to_dwfl);
  const int count = dwfl_module_getsymtab(module_);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* name =
        dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
    // Of local ones there may be several of one name, and nothing tells them apart.
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
        GELF_ST_BIND(symbol.st_info) == STB_LOCAL || symbol.st_shndx == SHN_UNDEF) {
      continue;
    }
    symbols_.emplace(name, address - to_dwfl);
  }
}

void DebugInfo::index_units() {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    index_children(die, "", name_of_die(die), 0);
  }
}

void DebugInfo::index_children(Dwarf_Die parent, const std::string& scope, const std::string& unit,
                               int depth) {
  for_each_child(parent, [&](Dwarf_Die die) { index_one(die, scope, unit, depth); });
}

void DebugInfo::index_one(Dwarf_Die die, const std::string& scope, const std::string& unit,
                          int depth) {
  const int tag = dwarf_tag(&die);
  if (tag == DW_TAG_variable) return index_variable(die, scope, unit);
  if (tag == DW_TAG_namespace && depth < kMostNamespaces) {
    const std::string name = name_of_die(die);
    return index_children(die, name.empty() ? scope : scope + name + "::", unit, depth + 1);
  }
  const bool is_tag = !tag_word(tag).empty();
  if (!is_tag && tag != DW_TAG_typedef && tag != DW_TAG_base_type) return;
  if (is_declaration(die)) return;
  if (tag == DW_TAG_enumeration_type) index_enumerators(die);
  const std::string name = name_of_die(die);
  if (!name.empty()) (is_tag ? tags_ : names_).emplace(scope + name, die);
}

void DebugInfo::index_enumerators(Dwarf_Die die) {
  for_each_child(die, [&](Dwarf_Die child) {
    if (dwarf_tag(&child) != DW_TAG_enumerator) return;
    enumerators_.emplace(name_of_die(child), constant_of(child));
  });
}

// A static member of a class is defined outside of it; its mangled name tells whose it is.
void DebugInfo::index_variable(Dwarf_Die die, const std::string& scope, const std::string& unit) {
  if (dwarf_hasattr(&die, DW_AT_location) == 0) return;
  const std::string name = name_of_die(die);
  if (name.empty()) return;
  std::string full = scope + name;
  Dwarf_Attribute attribute;
  if (scope.empty() && dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) != nullptr) {
    if (const char* linkage = dwarf_formstring(&attribute)) {
      if (std::string whole = demangled(linkage); !whole.empty()) full = std::move(whole);
    }
  }
  if (full != name) variables_[full].push_back({die, unit});
  variables_[name].push_back({die, unit});
}

std::optional<DebugInfo::Found> DebugInfo::locate(const Declared& declared) {
  Dwarf_Die die = declared.die;
  Dwarf_Attribute attribute;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &ops, &count) != 0 || count == 0) {
    return std::nullopt;
  }
  Found found;
  found.unit = declared.unit;
  Dwarf_Attribute external;
  bool flag = false;
  found.external = dwarf_attr_integrate(&die, DW_AT_external, &external) != nullptr &&
                   dwarf_formflag(&external, &flag) == 0 && flag;
  const auto last = ops[count - 1].atom;
  if (last == DW_OP_form_tls_address || last == DW_OP_GNU_push_tls_address) {
    found.thread_local_one = true;
    return found;
  }
  if (ops[0].atom == DW_OP_addr) {
    found.address = ops[0].number;
  } else {
    Dwarf_Attribute address;
    if (dwarf_getlocation_attr(&attribute, &ops[0], &address) != 0 ||
        dwarf_formaddr(&address, &found.address) != 0) {
      return std::nullopt;
    }
  }
  if (count == 2 && last == DW_OP_plus_uconst) found.address += ops[1].number;
  if (count > 2 || (count == 2 && last != DW_OP_plus_uconst)) return std::nullopt;
  found.address += to_file_;
  found.type = intern_type_of(die);
  fill_all();
  return found;
}

std::vector<DebugInfo::Found> DebugInfo::variables(std::string_view name) {
  const std::lock_guard lock(mutex_);
  std::vector<Found> all;
  if (const auto declared = variables_.find(std::string(name)); declared != variables_.end()) {
    for (const Declared& one : declared->second) {
      const std::optional<Found> found = locate(one);
      const bool known = found && std::ranges::any_of(all, [&](const Found& other) {
                           return other.address == found->address;
                         });
      if (found && !known) all.push_back(*found);
    }
  }
  return all;
}

std::optional<uint64_t> DebugInfo::symbol(std::string_view name) const {
  const auto found = symbols_.find(std::string(name));
  if (found == symbols_.end()) return std::nullopt;
  return found->second;
}

const Type* DebugInfo::type(std::string_view words) {
  const std::lock_guard lock(mutex_);
  bool tagged = false;
  for (const std::string_view word : {"struct ", "union ", "class ", "enum "}) {
    if (!words.starts_with(word)) continue;
    words.remove_prefix(word.size());
    tagged = true;
    break;
  }
  const std::string name(words);
  for (const Dies* dies : {&names_, &tags_}) {
    if (tagged && dies == &names_) continue;
    if (const auto found = dies->find(name); found != dies->end()) {
      const Type* type = intern(found->second);
      fill_all();
      return type;
    }
  }
  return tagged ? nullptr : types_.built_in(name);
}

std::optional<int64_t> DebugInfo::enumerator(std::string_view name) const {
  const auto found = enumerators_.find(std::string(name));
  if (found == enumerators_.end()) return std::nullopt;
  return found->second;
}

const Type* DebugInfo::pointer_to(const Type* target) {
  const std::lock_guard lock(mutex_);
  return types_.pointer_to(target);
}

std::string DebugInfo::hint(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& one : variables_) names.push_back(one.first);
  for (const auto& one : symbols_) names.push_back(one.first);
  const std::string_view near = nearest_name(name, names);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

// ---- Types. One that is asked for is made empty and filled later, so that they may refer to each
// other in circles, and however long a chain of them is, nothing recurses.

const Type* DebugInfo::intern_type_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr) {
    return types_.built_in("void");  // what is of no type is void
  }
  return intern(type);
}

const Type* DebugInfo::intern(Dwarf_Die die) {
  Dwarf_Die bare;
  if (dwarf_peel_type(&die, &bare) != 0) return types_.built_in("void");
  const std::string tag_name = name_of_die(bare);
  if (is_declaration(bare)) {
    if (const auto defined = tags_.find(tag_name); defined != tags_.end()) bare = defined->second;
  }
  auto [known, fresh] = interned_.try_emplace(bare.addr, nullptr);
  if (!fresh) return known->second;
  Type* type = types_.make();
  known->second = type;
  const std::string_view word = tag_word(dwarf_tag(&bare));
  type->name = word.empty() || tag_name.empty() ? tag_name : fmt::format("{} {}", word, tag_name);
  if (type->name.empty()) type->name = name_of_die(die);  // by its typedef
  to_fill_.emplace_back(type, bare);
  return type;
}

void DebugInfo::fill_all() {
  while (!to_fill_.empty()) {
    const auto [type, die] = to_fill_.back();
    to_fill_.pop_back();
    fill(*type, die);
  }
}

void DebugInfo::fill(Type& type, Dwarf_Die die) {
  type.bytes = unsigned_attribute(die, DW_AT_byte_size).value_or(0);
  switch (dwarf_tag(&die)) {
    case DW_TAG_base_type: {
      const uint64_t encoding = unsigned_attribute(die, DW_AT_encoding).value_or(0);
      type.kind = encoding == DW_ATE_float ? TypeKind::kFloat : TypeKind::kInteger;
      type.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
      return;
    }
    case DW_TAG_enumeration_type:
      return fill_enum(type, die);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      type.kind = TypeKind::kPointer;
      type.name.clear();
      type.bytes = sizeof(uint64_t);
      type.target = intern_type_of(die);
      return;
    case DW_TAG_array_type:
      return fill_array(type, die);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      return fill_struct(type, die);
    case DW_TAG_unspecified_type:
      type.kind = TypeKind::kVoid;
      return;
    default:
      type.kind = TypeKind::kOther;
  }
}

void DebugInfo::fill_enum(Type& type, Dwarf_Die die) {
  type.kind = TypeKind::kEnum;
  for_each_child(die, [&](Dwarf_Die child) {
    if (dwarf_tag(&child) != DW_TAG_enumerator) return;
    type.enumerators.push_back({name_of_die(child), constant_of(child)});
    type.is_signed = type.is_signed || type.enumerators.back().value < 0;
  });
}

// T [2][3] is an array of two arrays of three.
void DebugInfo::fill_array(Type& type, Dwarf_Die die) {
  std::vector<std::optional<uint64_t>> counts;
  for_each_child(die, [&](Dwarf_Die child) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) return;
    std::optional<uint64_t> count = unsigned_attribute(child, DW_AT_count);
    if (const auto upper = unsigned_attribute(child, DW_AT_upper_bound); !count && upper) {
      count = *upper + 1;
    }
    counts.push_back(count);
  });
  if (counts.empty()) counts.emplace_back();
  std::vector<Type*> arrays = {&type};
  while (arrays.size() < counts.size()) arrays.push_back(types_.make());
  Dwarf_Word bytes = 0;
  if (dwarf_aggregate_size(&die, &bytes) == 0) type.bytes = bytes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const bool innermost = i + 1 == arrays.size();
    arrays[i]->kind = TypeKind::kArray;
    arrays[i]->name.clear();
    arrays[i]->count = counts[i];
    arrays[i]->target = innermost ? intern_type_of(die) : arrays[i + 1];
    if (!innermost && counts[i].value_or(0) != 0) {
      arrays[i + 1]->bytes = arrays[i]->bytes / *counts[i];
    }
  }
}

void DebugInfo::fill_struct(Type& type, Dwarf_Die die) {
  type.kind = TypeKind::kStruct;
  for_each_child(die, [&](Dwarf_Die child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_member || tag == DW_TAG_inheritance) fill_member(type, child);
  });
}

void DebugInfo::fill_member(Type& type, Dwarf_Die die) {
  // A static member of a class: DWARF 4 has it as a member with neither place nor size.
  if (is_declaration(die) || dwarf_hasattr(&die, DW_AT_external) != 0) return;
  const std::optional<uint64_t> offset = member_offset(die);
  if (!offset) return;
  Member member;
  member.name = dwarf_tag(&die) == DW_TAG_member ? name_of_die(die) : "";
  member.type = intern_type_of(die);
  member.offset = *offset;
  set_bit_field(member, die);
  type.members.push_back(std::move(member));
}

}  // namespace esox
