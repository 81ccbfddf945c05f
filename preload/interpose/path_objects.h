// SPDX-License-Identifier: Apache-2.0
// Files as objects of operations: a stable 64-bit hash of the path, and the path itself written
// once to the control block's names region so that a trace can be read.
#pragma once

#include <cstdint>

namespace esox {

// Hash of the path (FNV-1a, 64 bits); never 0. Of a path that does not lie in the private folder:
constexpr uint64_t path_object_of(const char* path) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *path != '\0'; ++path) hash = (hash ^ static_cast<uint8_t>(*path)) * 0x100000001b3u;
  return hash | 1;
}
// Of any other: that of its name in there.
uint64_t path_object(const char* path);

// What an open descriptor refers to; 0 if unknown. Descriptors opened before an execution are known
// too: opens are noted always.
uint64_t descriptor_object(int fd);
void note_opened(int fd, const char* path);
void note_object(int fd, uint64_t object);
void note_duplicated(int fd, int duplicate);  // < 0: it was not
void forget_descriptor(int fd);

// Writes `path` to the names region, once per execution and object.
void remember_name(uint64_t object, const char* path);

}  // namespace esox
