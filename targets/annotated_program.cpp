// SPDX-License-Identifier: Apache-2.0
// See annotated_program.h.
#include "targets/annotated_program.h"

#include <fcntl.h>
#include <gelf.h>

#include <memory>
#include <string_view>

#include "base/process/unique_fd.h"

namespace esox {
namespace {

constexpr std::string_view kSymbol = "esox_summary_open";

bool asks_for_it(Elf* elf, Elf_Scn* section) {
  GElf_Shdr header{};
  if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM ||
      header.sh_entsize == 0) {
    return false;
  }
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) return false;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(data, i, &symbol) == nullptr) return false;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr && name == kSymbol) return true;
  }
  return false;
}

}  // namespace

bool is_annotated(const std::filesystem::path& program) {
  const UniqueFd fd(open(program.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || elf_version(EV_CURRENT) == EV_NONE) return false;
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr),
                                                elf_end);
  if (elf == nullptr) return false;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    if (asks_for_it(elf.get(), section)) return true;
  }
  return false;
}

}  // namespace esox
