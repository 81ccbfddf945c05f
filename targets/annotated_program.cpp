// SPDX-License-Identifier: Apache-2.0
#include "targets/annotated_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <memory>
#include <string_view>
#include <system_error>

#include "base/process/server_error.h"
#include "base/process/unique_fd.h"
#include "summaries/annotation/annotated_state.h"

namespace esox {
namespace {

constexpr std::string_view kSymbol = "esox_summary_open";
constexpr const char* kLibrary = "libesox_summary.so";

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

std::vector<std::string> annotation_environment(const std::filesystem::path& program,
                                                const std::filesystem::path& preload_library) {
  if (!is_annotated(program)) return {};
  const std::filesystem::path library = preload_library.parent_path() / kLibrary;
  std::error_code error;
  if (!std::filesystem::exists(library, error)) {
    throw ServerError(fmt::format("{} is annotated, but {} is not there; install esox again",
                                  program.string(), library.string()));
  }
  return {fmt::format("{}=1", kRecordVariable),
          fmt::format("LD_PRELOAD={}:{}", preload_library.string(), library.string())};
}

}  // namespace esox
