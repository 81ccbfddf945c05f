// SPDX-License-Identifier: Apache-2.0
#include "preload/tsan/instrumented.h"

#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstring>

namespace esox {
namespace {

constexpr char kPrefix[] = "__tsan_";
constexpr uint32_t kMost = 256;  // modules; what is beyond tells no copies

struct Range {
  uint64_t begin;
  uint64_t end;
};
Range g_ranges[kMost];
std::atomic<uint32_t> g_count{0};
unsigned long long g_loads = 0;  // modules ever loaded, when they were looked at

struct DynamicPart {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* hash = nullptr;

  // Of the symbols from number 1 on, those that the module asks for are among the first so many. A
  // GNU hash table leaves them out, and says which is the first that is in.
  uint32_t count() const {
    if (gnu_hash != nullptr) return gnu_hash[1];
    return hash != nullptr ? hash[1] : 0;
  }
};

// The loader has made addresses of these, but in a few modules (the vDSO) that it cannot write to.
template <class Value>
const Value* at(const dl_phdr_info& module, ElfW(Addr) address) {
  return reinterpret_cast<const Value*>(address < module.dlpi_addr ? module.dlpi_addr + address
                                                                   : address);
}

DynamicPart dynamic_part(const dl_phdr_info& module) {
  DynamicPart part;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    entry = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + segment.p_vaddr);
  }
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) part.symbols = at<ElfW(Sym)>(module, address);
    if (entry->d_tag == DT_STRTAB) part.names = at<char>(module, address);
    if (entry->d_tag == DT_GNU_HASH) part.gnu_hash = at<uint32_t>(module, address);
    if (entry->d_tag == DT_HASH) part.hash = at<uint32_t>(module, address);
  }
  return part;
}

bool asks_for_runtime(const dl_phdr_info& module) {
  const DynamicPart part = dynamic_part(module);
  if (part.symbols == nullptr || part.names == nullptr) return false;
  for (uint32_t i = 1; i < part.count(); ++i) {
    const ElfW(Sym)& symbol = part.symbols[i];
    if (symbol.st_shndx != SHN_UNDEF) continue;
    if (strncmp(part.names + symbol.st_name, kPrefix, sizeof kPrefix - 1) == 0) return true;
  }
  return false;
}

void note_code(const dl_phdr_info& module) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    const uint32_t count = g_count.load();
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || count == kMost) continue;
    const uint64_t begin = module.dlpi_addr + segment.p_vaddr;
    g_ranges[count] = {begin, begin + segment.p_memsz};
    g_count.store(count + 1, std::memory_order_release);
  }
}

struct Look {
  bool first = true;
};

int look_at(dl_phdr_info* module, size_t, void* data) {
  auto* look = static_cast<Look*>(data);
  if (look->first && module->dlpi_adds == g_loads) return 1;
  if (look->first) g_count.store(0);  // one may have been unloaded, too
  look->first = false;
  g_loads = module->dlpi_adds;
  if (asks_for_runtime(*module)) note_code(*module);
  return 0;
}

}  // namespace

void look_at_modules() {
  Look look;
  dl_iterate_phdr(look_at, &look);
}

bool is_instrumented(uint64_t site) {
  const uint32_t count = g_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    if (site - g_ranges[i].begin < g_ranges[i].end - g_ranges[i].begin) return true;
  }
  return false;
}

}  // namespace esox
