// SPDX-License-Identifier: Apache-2.0
// The heap of controlled threads during an execution.
//
// Why: where malloc puts an object depends on what threads outside control allocate and free, and
// when. That is not harmless: servers sort locks by address, so equal schedules would take locks in
// different orders. During an execution each controlled thread therefore allocates from a region of
// its own at a fixed address, upwards, without reuse: the addresses follow from the schedule alone.
// Freeing such an object does nothing; the process is thrown away after the execution anyway. Only
// in a program under test is it filled with what no pointer is, so that whoever still uses it comes
// to grief at once, and freeing it again ends the program, as the C library does where it notices.
// A region that is full falls back to the real allocator.
//
// Outside an execution every call goes to the real allocator, whichever it is (RTLD_NEXT).
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstring>

#include "preload/core/real.h"
#include "preload/interpose/set_aside.h"
#include "preload/scheduler/scheduler.h"
#include "preload/snapshot/memory.h"

namespace esox {
namespace {

constexpr uintptr_t kHeapBase =
    0x100000000000;  // far from where the kernel maps anything by itself
constexpr size_t kRegionBytes = size_t{1} << 28;  // address space; memory only where touched
constexpr size_t kHeapBytes = kRegionBytes * kMaxSlots;
constexpr size_t kAlignment = 16;

// Before the object, so that realloc and malloc_usable_size know its size.
struct Header {
  size_t size;
  size_t freed;  // 1: in a program under test
};
static_assert(sizeof(Header) == kAlignment);

enum class Mapping : uint32_t { kNot, kDone, kRefused };
std::atomic<Mapping> g_mapping{Mapping::kNot};
size_t g_used[kMaxSlots];  // bytes of each region; only its thread touches it

bool ours(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) - kHeapBase < kHeapBytes;
}

// Null: not a controlled thread in an execution, or no room left.
void* allocate(size_t size, size_t alignment) {
  ControlledThread* t = self();
  if (t == nullptr || !execution_running() || !map_execution_heap()) return nullptr;
  size_t& used = g_used[t->id];
  const uintptr_t region = kHeapBase + t->id * kRegionBytes;
  const uintptr_t object = (region + used + sizeof(Header) + alignment - 1) & ~(alignment - 1);
  if (size > kRegionBytes || object + size > region + kRegionBytes) return nullptr;
  used = object + size - region;
  reinterpret_cast<Header*>(object)[-1].size = size;  // the rest of fresh memory is zero
  return reinterpret_cast<void*>(object);
}

size_t size_of(const void* object) {
  return static_cast<const Header*>(object)[-1].size;
}

constexpr int kFreedByte = 0xdd;  // eight of them are no address that can be

void retire(void* object) {
  if (block().mode != ControlMode::kProgram) return;
  Header& header = static_cast<Header*>(object)[-1];
  if (header.freed != 0) {
    constexpr char kTwice[] = "esox: memory was freed twice\n";
    raw::call(SYS_write, 2, raw::address(kTwice), sizeof kTwice - 1);
    abort();
  }
  header.freed = 1;
  memset(object, kFreedByte, header.size);
}

// The real allocator. dlsym may allocate while it looks for it: such requests are served from a
// small buffer and never freed.
alignas(kAlignment) char g_early[4096];
size_t g_early_used = 0;
__thread bool t_resolving __attribute__((tls_model("initial-exec"))) = false;

bool early(const void* pointer) {
  return pointer >= g_early && pointer < g_early + sizeof g_early;
}

void* allocate_early(size_t size) {
  const size_t rounded = (size + kAlignment - 1) & ~(kAlignment - 1);
  if (rounded > sizeof g_early - g_early_used) return nullptr;
  void* result = g_early + g_early_used;
  g_early_used += rounded;
  return result;
}

template <class Function>
Function real(std::atomic<Function>& cache, const char* name) {
  Function function = cache.load(std::memory_order_relaxed);
  if (__builtin_expect(function == nullptr, 0)) {
    t_resolving = true;
    function = reinterpret_cast<Function>(resolve_real(name, nullptr));
    t_resolving = false;
    cache.store(function, std::memory_order_relaxed);
  }
  return function;
}

std::atomic<decltype(&::malloc)> g_malloc;
std::atomic<decltype(&::free)> g_free;
std::atomic<decltype(&::calloc)> g_calloc;
std::atomic<decltype(&::realloc)> g_realloc;
std::atomic<decltype(&::memalign)> g_memalign;
std::atomic<decltype(&::malloc_usable_size)> g_malloc_usable_size;

// Whether the real allocator tells how large an object is: one that leaves out malloc_usable_size
// has the C library's in its place, which knows nothing of it. Such an allocator calls mremap where
// the hook sees it.
bool g_tells_sizes = false;

bool tells_sizes() {
  Dl_info sizes;
  Dl_info objects;
  return dladdr(reinterpret_cast<void*>(real(g_malloc_usable_size, "malloc_usable_size")),
                &sizes) != 0 &&
         dladdr(reinterpret_cast<void*>(real(g_realloc, "realloc")), &objects) != 0 &&
         sizes.dli_fbase == objects.dli_fbase;
}

// An object of the real allocator. See snapshot/memory.h for why some must not be grown by it:
// those that have a mapping to themselves. Nothing but the library's own notes tells which, so none
// is.
void* resize(void* object, size_t size) {
  if (g_tells_sizes && is_moved(object, 1)) {
    const size_t old_size = real(g_malloc_usable_size, "malloc_usable_size")(object);
    if (size > old_size) {
      void* grown = real(g_malloc, "malloc")(size);
      if (grown == nullptr) return nullptr;
      memcpy(grown, object, old_size);
      real(g_free, "free")(object);
      return grown;
    }
  }
  return real(g_realloc, "realloc")(object, size);
}

bool power_of_two(size_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

void* aligned(size_t alignment, size_t size) {
  if (alignment <= kAlignment) alignment = kAlignment;
  if (void* object = allocate(size, alignment)) return object;
  return real(g_memalign, "memalign")(alignment, size);
}

}  // namespace

// By the thread that has the baton, so never by two at once.
bool map_execution_heap() {
  const Mapping now = g_mapping.load(std::memory_order_relaxed);
  if (now != Mapping::kNot) return now == Mapping::kDone;
  const long result =
      raw::call(SYS_mmap, kHeapBase, kHeapBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  const bool done = result == static_cast<long>(kHeapBase);
  g_tells_sizes = tells_sizes();
  g_mapping.store(done ? Mapping::kDone : Mapping::kRefused);
  return done;
}
}  // namespace esox

using namespace esox;

ESOX_HOOK void* malloc(size_t size) noexcept {
  if (__builtin_expect(t_resolving, 0)) return allocate_early(size);
  if (void* object = allocate(size, kAlignment)) return object;
  return real(g_malloc, "malloc")(size);
}

ESOX_HOOK void free(void* object) noexcept {
  // dlsym first frees the text of an earlier error, also when it is looking for free: that is lost.
  if (early(object) || __builtin_expect(t_resolving, 0)) return;
  if (ours(object)) return retire(object);
  real(g_free, "free")(object);
}

ESOX_HOOK void* calloc(size_t count, size_t size) noexcept {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (__builtin_expect(t_resolving, 0)) return allocate_early(total);
  if (void* object = allocate(total, kAlignment)) return object;  // fresh memory is zero
  return real(g_calloc, "calloc")(count, size);
}

ESOX_HOOK void* realloc(void* object, size_t size) noexcept {
  if (object == nullptr) return malloc(size);
  if (!ours(object) && !early(object)) return resize(object, size);
  if (size == 0) {
    free(object);
    return nullptr;
  }
  const size_t old_size =
      ours(object) ? size_of(object)
                   : static_cast<size_t>(g_early + sizeof g_early - static_cast<char*>(object));
  if (size <= old_size) return object;
  void* moved = malloc(size);
  if (moved == nullptr) return nullptr;
  memcpy(moved, object, old_size);
  if (ours(object)) retire(object);
  return moved;
}

ESOX_HOOK void* reallocarray(void* object, size_t count, size_t size) noexcept {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(object, total);
}

ESOX_HOOK void* memalign(size_t alignment, size_t size) noexcept {
  return aligned(alignment, size);
}

ESOX_HOOK void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return aligned(alignment, size);
}

ESOX_HOOK int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  if (!power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* object = aligned(alignment, size);
  errno = before;
  if (object == nullptr) return ENOMEM;
  *result = object;
  return 0;
}

ESOX_HOOK size_t malloc_usable_size(void* object) noexcept {
  if (object == nullptr || early(object)) return 0;
  return ours(object) ? size_of(object) : real(g_malloc_usable_size, "malloc_usable_size")(object);
}
