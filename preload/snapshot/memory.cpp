// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "preload/core/control.h"
#include "preload/core/proc_text.h"
#include "preload/core/raw.h"
#include "preload/core/real.h"
#include "preload/protocol/snapshot.h"

namespace esox {
namespace {

using AdviseFunction = int (*)(void*, size_t, int);
ESOX_LISTED constinit Real<AdviseFunction> real_madvise{"madvise"};
using RemapFunction = void* (*)(void*, size_t, size_t, int, ...);
ESOX_LISTED constinit VariadicReal<RemapFunction> real_mremap{"mremap"};

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHugePage = uint64_t{1} << 21;
constexpr long kCollapse = 25;  // MADV_COLLAPSE; older headers lack it
constexpr uint32_t kMaxRanges = 128;
constexpr uint64_t kFewestKib = 64;               // below, moving a range saves nothing
constexpr uint64_t kLargest = uint64_t{1} << 32;  // beyond, it is address space set aside
constexpr uint64_t kSpacing = uint64_t{1} << 40;  // of ranges within the file
// What the kernel treats in a way that a file's mapping would not be treated (proc(5), VmFlags):
// growing stacks, locked, not inherited, wiped by a fork, huge, of a device, watched by a pager.
constexpr const char* kSpecial = " gd lo dc wf ht io pf um uw ";

struct Range {
  uint64_t begin;
  uint64_t end;
  long access;       // PROT_...
  bool of_file;      // all of it counts, not only the pages that are there
  uint64_t own_kib;  // "Anonymous"
  bool special;
};

Range g_found[kMaxRanges];
// Moved ones; written while all other threads are parked, read at any time.
Range g_moved[kMaxRanges];
uint32_t g_moved_count = 0;

// --- What there is -----------------------------------------------------------------------------

// "begin-end rwxp offset device inode   path"; false for a line with a field.
bool parse_header(const char* line, Range& range) {
  if (*line >= 'A' && *line <= 'Z') return false;
  range = Range{};
  range.begin = take_number(line, 16);
  ++line;
  range.end = take_number(line, 16);
  ++line;
  range.access = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
                 (line[2] == 'x' ? PROT_EXEC : 0);
  range.of_file = strchr(line, '/') != nullptr;
  const bool named = strchr(line, '[') != nullptr && strstr(line, "[heap]") == nullptr;
  range.special = line[3] != 'p' || line[0] != 'r' || named;
  return true;
}

void parse_field(const char* line, Range& range) {
  if (strncmp(line, "Anonymous:", 10) == 0) {
    line += 10;
    while (*line == ' ') ++line;
    range.own_kib = take_number(line, 10);
  } else if (strncmp(line, "VmFlags:", 8) == 0) {
    for (line += 8; line[0] == ' ' && line[1] != '\0' && line[2] != '\0'; line += 3) {
      const char flag[] = {' ', line[1], line[2], ' ', '\0'};
      if (strstr(kSpecial, flag) != nullptr) range.special = true;
    }
  }
}

uint64_t first_huge_page(const Range& range) {
  return (range.begin + kHugePage - 1) & ~(kHugePage - 1);
}

// Code and constants that fill huge pages.
bool is_large_constant(const Range& range) {
  return range.of_file && (range.access & PROT_WRITE) == 0 &&
         first_huge_page(range) + kHugePage <= range.end;
}

// Not the stack that this runs on: it changes while it is copied.
bool is_worth_it(const Range& range) {
  const uint64_t here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const bool on_it = range.begin <= here && here < range.end;
  if (range.special || on_it || range.end - range.begin > kLargest) return false;
  return range.own_kib >= kFewestKib || is_large_constant(range);
}

uint32_t find_ranges() {
  uint32_t count = 0;
  Range current{};
  const auto end_of_one = [&] {
    if (is_worth_it(current) && count < kMaxRanges) g_found[count++] = current;
  };
  for_each_line("/proc/self/smaps", [&](const char* line) {
    Range next;
    if (!parse_header(line, next)) return parse_field(line, current);
    end_of_one();
    current = next;
  });
  end_of_one();
  return count;
}

// --- Moving ------------------------------------------------------------------------------------

bool write_out(long file, uint64_t offset, uint64_t begin, uint64_t end, uint64_t base) {
  while (begin < end) {
    const long put =
        raw::call(SYS_pwrite64, file, static_cast<long>(begin), static_cast<long>(end - begin),
                  static_cast<long>(offset + (begin - base)));
    if (put <= 0) return false;
    begin += static_cast<uint64_t>(put);
  }
  return true;
}

// Pages never touched are holes in the file: both read as zeros.
bool write_present(long pagemap, long file, uint64_t offset, const Range& range) {
  constexpr uint64_t kBatch = 512;
  constexpr uint64_t kPresentOrSwapped = uint64_t{3} << 62;
  uint64_t entries[kBatch];
  uint64_t run = 0;  // where a run of present pages began; 0: in none
  for (uint64_t at = range.begin; at < range.end;) {
    const uint64_t pages = (range.end - at) / kPage < kBatch ? (range.end - at) / kPage : kBatch;
    const long bytes = static_cast<long>(pages * sizeof entries[0]);
    if (raw::call(SYS_pread64, pagemap, raw::address(entries), bytes,
                  static_cast<long>(at / kPage * sizeof entries[0])) != bytes) {
      return false;
    }
    for (uint64_t i = 0; i < pages; ++i, at += kPage) {
      const bool present = (entries[i] & kPresentOrSwapped) != 0;
      if (present && run == 0) run = at;
      if (present || run == 0) continue;
      if (!write_out(file, offset, run, at, range.begin)) return false;
      run = 0;
    }
  }
  return run == 0 || write_out(file, offset, run, range.end, range.begin);
}

// Nothing in the range may change between the copy and the mapping: this function writes to its
// stack and to nothing else, and no other thread runs.
bool move(long pagemap, long file, uint64_t offset, const Range& range) {
  const bool copied = range.of_file ? write_out(file, offset, range.begin, range.end, range.begin)
                                    : write_present(pagemap, file, offset, range);
  if (!copied) return false;
  const long mapped = raw::call(
      SYS_mmap, static_cast<long>(range.begin), static_cast<long>(range.end - range.begin),
      range.access, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, static_cast<long>(offset));
  return mapped == static_cast<long>(range.begin);
}

// Huge page by huge page: one that cannot be made must not keep the others back.
void use_huge_pages(const Range& range) {
  for (uint64_t at = first_huge_page(range); at + kHugePage <= range.end; at += kHugePage) {
    raw::call(SYS_madvise, static_cast<long>(at), static_cast<long>(kHugePage), kCollapse);
  }
}

void close_if_open(long fd) {
  if (fd >= 0) raw::call(SYS_close, fd);
}

// --- Afterwards --------------------------------------------------------------------------------

// Writes zeros where [begin, end) meets a moved range: the file's own pages must stay as they are,
// for others see them, and other memory mapped in their place would divide the range (mremap(2)
// refuses to work on two). Not by memset: the range may be protected by now. 0 or -errno.
long zero_moved(uint64_t begin, uint64_t end) {
  static const char zeros[16 * kPage] = {};
  const long self = raw::call(SYS_getpid);
  for (uint32_t i = 0; i < g_moved_count; ++i) {
    const uint64_t last = end < g_moved[i].end ? end : g_moved[i].end;
    for (uint64_t at = begin > g_moved[i].begin ? begin : g_moved[i].begin; at < last;) {
      const uint64_t bytes = last - at < sizeof zeros ? last - at : sizeof zeros;
      const iovec from{const_cast<char*>(zeros), bytes};
      const iovec to{reinterpret_cast<void*>(at), bytes};
      const long put =
          raw::call(SYS_process_vm_writev, self, raw::address(&from), 1, raw::address(&to), 1, 0);
      if (put <= 0) return put;
      at += static_cast<uint64_t>(put);
    }
  }
  return 0;
}

// In place of mremap(2): beyond the range, its file holds what lay behind it in memory.
void* grow_moved(void* where, size_t size, size_t wanted, int flags, void* fixed) {
  if ((flags & MREMAP_MAYMOVE) == 0) return errno = ENOMEM, MAP_FAILED;
  const int placed = (flags & MREMAP_FIXED) != 0 ? MAP_FIXED : 0;
  const long made =
      raw::call(SYS_mmap, placed != 0 ? raw::address(fixed) : 0, static_cast<long>(wanted),
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | placed, -1, 0);
  if (made < 0) return errno = static_cast<int>(-made), MAP_FAILED;
  void* grown = reinterpret_cast<void*>(made);
  memcpy(grown, where, size);
  raw::call(SYS_munmap, raw::address(where), static_cast<long>(size));
  return grown;
}

}  // namespace

void move_memory_into_file() {
  raw::call(SYS_prctl, PR_SET_THP_DISABLE, 0);  // some servers ask for it: for huge pages
  const char* name = "esox-memory";
  const long file = raw::call(SYS_memfd_create, raw::address(name), 1 /* MFD_CLOEXEC */);
  const char* path = "/proc/self/pagemap";
  const long pagemap = raw::call(SYS_openat, AT_FDCWD, raw::address(path), O_RDONLY | O_CLOEXEC);
  const uint32_t count = find_ranges();
  if (file >= 0 && pagemap >= 0 &&
      raw::call(SYS_ftruncate, file, static_cast<long>(kSpacing * (count + 1))) == 0) {
    bool moved[kMaxRanges];
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t aligned_alike = g_found[i].begin % kHugePage;
      moved[i] = move(pagemap, file, kSpacing * i + aligned_alike, g_found[i]);
    }
    g_moved_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (!moved[i]) continue;
      if (is_large_constant(g_found[i])) use_huge_pages(g_found[i]);
      g_moved[g_moved_count++] = g_found[i];
    }
  }
  close_if_open(pagemap);
  if (file < 0) return;
  raw::call(SYS_dup3, file, kMovedMemoryFd, O_CLOEXEC);
  raw::call(SYS_close, file);
}

bool is_moved_file(uint64_t device, uint64_t inode) {
  struct stat status {};
  if (raw::call(SYS_fstat, kMovedMemoryFd, raw::address(&status)) != 0) return false;
  return status.st_ino == inode &&
         (uint64_t{major(status.st_dev)} << 32 | minor(status.st_dev)) == device;
}

bool is_moved(const void* where, size_t size) {
  const uint64_t begin = reinterpret_cast<uint64_t>(where);
  for (uint32_t i = 0; i < g_moved_count; ++i) {
    if (begin < g_moved[i].end && begin + size > g_moved[i].begin) return true;
  }
  return false;
}

}  // namespace esox

using namespace esox;

// MADV_FREE may be done at any time later, or never; of a file's mapping it is refused.
ESOX_HOOK int madvise(void* where, size_t size, int advice) noexcept {
  const size_t whole = (size + kPage - 1) / kPage * kPage;
  if ((advice != MADV_DONTNEED && advice != MADV_FREE) || !is_moved(where, whole)) {
    return real_madvise(where, size, advice);
  }
  if (advice == MADV_FREE) return 0;
  if (real_madvise(where, size, advice) != 0) return -1;
  const uint64_t begin = reinterpret_cast<uint64_t>(where);
  const long zeroed = zero_moved(begin, begin + whole);
  if (zeroed < 0) errno = static_cast<int>(-zeroed);
  return zeroed < 0 ? -1 : 0;
}

ESOX_HOOK void* mremap(void* where, size_t size, size_t wanted, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* fixed = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  if (wanted > size && is_moved(where, size)) return grow_moved(where, size, wanted, flags, fixed);
  return real_mremap.get()(where, size, wanted, flags, fixed);
}
