// SPDX-License-Identifier: Apache-2.0
#include "base/process/dynamic_part.h"

#include <fcntl.h>
#include <gelf.h>

#include <memory>

#include "base/process/unique_fd.h"

namespace esox {
namespace {

int entries(const GElf_Shdr& header) {
  return header.sh_entsize == 0 ? 0 : static_cast<int>(header.sh_size / header.sh_entsize);
}

void add_symbols(Elf* elf, Elf_Data* data, const GElf_Shdr& header, DynamicPart& part) {
  for (int i = 0; i < entries(header); ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(data, i, &symbol) == nullptr) return;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr && *name != '\0')
      part.symbols.push_back({name, symbol.st_shndx != SHN_UNDEF});
  }
}

void add_needed(Elf* elf, Elf_Data* data, const GElf_Shdr& header, DynamicPart& part) {
  for (int i = 0; i < entries(header); ++i) {
    GElf_Dyn entry{};
    if (gelf_getdyn(data, i, &entry) == nullptr) return;
    if (entry.d_tag != DT_NEEDED) continue;
    const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (name != nullptr) part.needed.emplace_back(name);
  }
}

}  // namespace

DynamicPart dynamic_part(const std::filesystem::path& file) {
  DynamicPart part;
  const UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || elf_version(EV_CURRENT) == EV_NONE) return part;
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr),
                                                elf_end);
  if (elf == nullptr) return part;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header{};
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_DYNSYM) add_symbols(elf.get(), data, header, part);
    if (header.sh_type == SHT_DYNAMIC) add_needed(elf.get(), data, header, part);
  }
  return part;
}

}  // namespace esox
