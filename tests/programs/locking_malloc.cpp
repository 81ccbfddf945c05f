// SPDX-License-Identifier: Apache-2.0
// No bug: the program brings a malloc of its own that takes a pthread mutex, as allocators do that
// replace the C library's. So there are locks inside pthread_create, inside dlsym, in threads that
// are on their way out, and before everything else; a hook that allocated would call itself.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace {

// Memory is handed out once and never taken back; each piece is preceded by its size.
constexpr size_t kAlignment = 16;
constexpr size_t kArena = size_t{16} << 20;
alignas(kAlignment) char g_arena[kArena];
size_t g_used = 0;  // guarded by g_arena_lock
pthread_mutex_t g_arena_lock = PTHREAD_MUTEX_INITIALIZER;

size_t rounded(size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

size_t size_of(void* piece) {
  return *reinterpret_cast<size_t*>(static_cast<char*>(piece) - kAlignment);
}

void* take(size_t size) {
  const size_t needed = kAlignment + rounded(size);
  if (size > kArena) return nullptr;
  pthread_mutex_lock(&g_arena_lock);
  void* piece = nullptr;
  if (kArena - g_used >= needed) {
    *reinterpret_cast<size_t*>(g_arena + g_used) = size;
    piece = g_arena + g_used + kAlignment;
    g_used += needed;
  }
  pthread_mutex_unlock(&g_arena_lock);
  return piece;
}

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_failures = 0;  // guarded by g_lock
int g_ended = 0;     // guarded by g_lock

// Is destroyed when its thread ends, after all of the thread's own code; and locks then, too.
struct Cache {
  void* piece = nullptr;
  ~Cache() {
    pthread_mutex_lock(&g_lock);
    free(piece);
    ++g_ended;
    pthread_mutex_unlock(&g_lock);
  }
};
thread_local Cache t_cache;

void* allocate(void* fill) {
  const auto value = static_cast<unsigned char>(reinterpret_cast<uintptr_t>(fill));
  t_cache.piece = malloc(8);
  for (size_t size = 1; size <= 64; size *= 2) {
    pthread_mutex_lock(&g_lock);
    auto* piece = static_cast<unsigned char*>(malloc(size));  // takes the one lock under the other
    pthread_mutex_unlock(&g_lock);
    memset(piece, value, size);
    bool intact = true;
    for (size_t i = 0; i < size; ++i) intact = intact && piece[i] == value;
    free(piece);
    pthread_mutex_lock(&g_lock);
    g_failures += !intact;
    pthread_mutex_unlock(&g_lock);
  }
  return nullptr;
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
  return take(size);
}

void free(void*) {
  // Frees lock as well, in real allocators.
  pthread_mutex_lock(&g_arena_lock);
  pthread_mutex_unlock(&g_arena_lock);
}

void* calloc(size_t count, size_t size) {
  if (size != 0 && count > kArena / size) return nullptr;
  return take(count * size);  // never used before: zero
}

void* realloc(void* old, size_t size) {
  void* piece = take(size);
  if (old == nullptr || piece == nullptr) return piece;
  const size_t kept = size_of(old) < size ? size_of(old) : size;
  return memcpy(piece, old, kept);
}
}

int main() {
  pthread_t threads[3];
  uintptr_t value = 1;
  for (pthread_t& thread : threads) {
    pthread_create(&thread, nullptr, allocate, reinterpret_cast<void*>(value++));
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return g_failures == 0 && g_ended == 3 ? 0 : 42;
}
