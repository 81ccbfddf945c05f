// SPDX-License-Identifier: Apache-2.0
#include "preload/interpose/path_objects.h"

#include <limits.h>

#include <cstring>

#include "preload/core/control.h"
#include "preload/core/internal_lock.h"

namespace esox {
namespace {

constexpr int kMaxDescriptor = 65536;
std::atomic<uint64_t> g_object_of[kMaxDescriptor];

// Names already written, by object; a collision only means that a name is written twice.
constexpr uint32_t kSeen = 4096;
std::atomic<uint64_t> g_seen[kSeen];

}  // namespace

// Servers also walk down a path folder by folder (openat). Those on the way to the private folder
// have their place on it for a name: theirs is drawn anew by every esox.
static const char* place_on_the_way(const char* name) {
  static constexpr const char* kPlaces[] = {"/1", "/2", "/3", "/4",
                                            "/5", "/6", "/7", "/8 or deeper"};
  constexpr size_t kLast = sizeof kPlaces / sizeof *kPlaces - 1;
  const size_t length = strlen(name);
  size_t place = 0;
  for (const char* at = block().root; *at != '\0'; ++place) {
    at += strspn(at, "/");
    const size_t part = strcspn(at, "/");
    if (part == length && part > 0 && memcmp(at, name, part) == 0) {
      return kPlaces[place < kLast ? place : kLast];
    }
    at += part;
  }
  return nullptr;
}

// The same file has the same name in every execution, whatever private folder it lies in. InnoDB
// looks for a temporary table at "./tmp/FOLDER/#sql...", a path from the root behind a dot.
static const char* relative(const char* path) {
  const char* root = block().root;
  if (strchr(path, '/') == nullptr) {
    const char* place = place_on_the_way(path);
    return place != nullptr ? place : path;
  }
  const char* from_root = path[0] == '.' ? path + 1 : path;
  size_t n = 0;
  while (root[n] != '\0' && from_root[n] == root[n]) ++n;
  return n > 0 && root[n] == '\0' ? from_root + n : path;
}

uint64_t path_object(const char* path) {
  return path_object_of(relative(path));
}

uint64_t descriptor_object(int fd) {
  if (fd < 0 || fd >= kMaxDescriptor) return 0;
  return g_object_of[fd].load(std::memory_order_relaxed);
}

void note_object(int fd, uint64_t object) {
  if (fd >= 0 && fd < kMaxDescriptor) g_object_of[fd].store(object, std::memory_order_relaxed);
}

void forget_descriptor(int fd) {
  note_object(fd, 0);
}

void note_opened(int fd, const char* path) {
  if (fd < 0 || fd >= kMaxDescriptor) return;
  const uint64_t object = path_object(path);
  note_object(fd, object);
  remember_name(object, path);
}

void note_duplicated(int fd, int duplicate) {
  note_object(duplicate, descriptor_object(fd));
}

void remember_name(uint64_t object, const char* path) {
  std::atomic<uint64_t>& seen = g_seen[object % kSeen];
  if (seen.load(std::memory_order_relaxed) == object) return;
  if (t_inside != 0) return;  // a signal handler; perhaps of a thread that is just writing a name
  path = relative(path);
  const auto length = static_cast<uint32_t>(strnlen(path, PATH_MAX));
  g_hook_locks.names.acquire();
  ControlBlock& b = block();
  const uint32_t needed = sizeof object + sizeof length + length;
  if (b.name_bytes + needed <= kMaxNameBytes) {
    char* at = b.names + b.name_bytes;
    memcpy(at, &object, sizeof object);
    memcpy(at + sizeof object, &length, sizeof length);
    memcpy(at + sizeof object + sizeof length, path, length);
    b.name_bytes += needed;
    seen.store(object, std::memory_order_relaxed);
  }
  g_hook_locks.names.release();
}

}  // namespace esox
