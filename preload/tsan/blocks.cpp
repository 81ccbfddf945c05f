// SPDX-License-Identifier: Apache-2.0
// Copies and fills of blocks by the C library: memcpy, memmove, memset.
//
// The compilers call these by their own names and tell nothing of what they touch, as the
// sanitizer's runtime stands in their place too; recent clangs call __tsan_memcpy and so on. All of
// a block counts as one access, told before any of it happens: first the read, then the write; and
// only if instrumented code asks for it (instrumented.h).
#include <dlfcn.h>

#include "preload/tsan/instrumented.h"
#include "preload/tsan/tell.h"

namespace esox {
namespace {

using Copy = void* (*)(void*, const void*, size_t);
using Fill = void* (*)(void*, int, size_t);

// The C library's, once we are loaded; before that, the libraries that are loaded first get by with
// the processor's own instruction.
std::atomic<Copy> g_memcpy{nullptr};
std::atomic<Copy> g_memmove{nullptr};
std::atomic<Fill> g_memset{nullptr};

__attribute__((constructor)) void find_functions() {
  g_memcpy = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "memcpy"));
  g_memmove = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "memmove"));
  g_memset = reinterpret_cast<Fill>(dlsym(RTLD_NEXT, "memset"));
}

void copy_upwards(void* to, const void* from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void copy_downwards(void* to, const void* from, size_t bytes) {
  auto* last_to = static_cast<char*>(to) + bytes - 1;
  const auto* last_from = static_cast<const char*>(from) + bytes - 1;
  asm volatile("std\n\trep movsb\n\tcld"
               : "+D"(last_to), "+S"(last_from), "+c"(bytes)
               :
               : "memory");
}

// Asked first, since mostly nobody listens.
bool is_told(size_t bytes, uint64_t site) {
  return bytes != 0 && g_gate.plain.load(std::memory_order_relaxed) != PlainAccesses::kUntold &&
         is_instrumented(site);
}

void tell_copy(void* to, const void* from, size_t bytes, uint64_t site) {
  if (!is_told(bytes, site)) return;
  tell_plain(OpKind::kMemoryRead, from, bytes, site);
  tell_plain(OpKind::kMemoryWrite, to, bytes, site);
}

void* copy(void* to, const void* from, size_t bytes) {
  if (const Copy real = g_memcpy.load(std::memory_order_relaxed)) return real(to, from, bytes);
  copy_upwards(to, from, bytes);
  return to;
}

void* move(void* to, const void* from, size_t bytes) {
  if (const Copy real = g_memmove.load(std::memory_order_relaxed)) return real(to, from, bytes);
  if (address_of(to) - address_of(from) < bytes) {
    copy_downwards(to, from, bytes);
  } else {
    copy_upwards(to, from, bytes);
  }
  return to;
}

void* fill(void* object, int value, size_t bytes) {
  if (const Fill real = g_memset.load(std::memory_order_relaxed)) return real(object, value, bytes);
  void* at = object;
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
  return object;
}

void* told_fill(void* object, int value, size_t bytes, uint64_t site) {
  if (is_told(bytes, site)) tell_plain(OpKind::kMemoryWrite, object, bytes, site);
  return fill(object, value, bytes);
}

}  // namespace
}  // namespace esox

ESOX_TSAN void* memcpy(void* to, const void* from, size_t bytes) noexcept {
  esox::tell_copy(to, from, bytes, ESOX_CALLER());
  return esox::copy(to, from, bytes);
}
ESOX_TSAN void* memmove(void* to, const void* from, size_t bytes) noexcept {
  esox::tell_copy(to, from, bytes, ESOX_CALLER());
  return esox::move(to, from, bytes);
}
ESOX_TSAN void* memset(void* object, int value, size_t bytes) noexcept {
  return esox::told_fill(object, value, bytes, ESOX_CALLER());
}
ESOX_TSAN void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  esox::tell_copy(to, from, bytes, ESOX_CALLER());
  return esox::copy(to, from, bytes);
}
ESOX_TSAN void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  esox::tell_copy(to, from, bytes, ESOX_CALLER());
  return esox::move(to, from, bytes);
}
ESOX_TSAN void* __tsan_memset(void* object, int value, size_t bytes) {
  return esox::told_fill(object, value, bytes, ESOX_CALLER());
}
