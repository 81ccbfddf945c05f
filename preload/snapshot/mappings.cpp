// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/mappings.h"

#include <errno.h>

#include "preload/core/proc_text.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

// "begin-end rwxp offset device inode   path"
Mapping parse(const char* line) {
  Mapping mapping{};
  mapping.begin = take_number(line, 16);
  ++line;
  mapping.end = take_number(line, 16);
  ++line;
  mapping.access =
      (line[0] == 'r' ? Mapping::kMayRead : 0) | (line[1] == 'w' ? Mapping::kMayWrite : 0) |
      (line[2] == 'x' ? Mapping::kMayExecute : 0) | (line[3] == 's' ? Mapping::kIsShared : 0);
  line += 5;
  mapping.offset = take_number(line, 16);
  ++line;
  while (*line != ' ' && *line != '\0') ++line;  // the device
  while (*line == ' ') ++line;
  mapping.inode = take_number(line, 10);
  return mapping;
}

// Whether `now` has at this address what `then` had there.
bool is_the_same(const Mapping& now, const Mapping& then, uint64_t at) {
  if (now.inode != then.inode) return false;
  constexpr uint32_t kWritten = Mapping::kMayRead | Mapping::kMayWrite;
  const bool grown = now.inode == 0 && then.access == 0 && now.access == kWritten;
  if (now.access != then.access && !grown) return false;
  return now.inode == 0 || now.offset + (at - now.begin) == then.offset + (at - then.begin);
}

uint64_t size_of(const Mappings& mappings) {
  uint64_t sum = 0;
  for (const Mapping& mapping : mappings) sum += mapping.end - mapping.begin;
  return sum;
}

}  // namespace

bool Mappings::read() {
  count_ = 0;
  bool fits = true;
  const bool could = for_each_line("/proc/self/maps", [&](const char* line) {
    if (count_ == kMost) {
      fits = false;
    } else {
      mappings_[count_++] = parse(line);
    }
  });
  return could && fits;
}

// Neighbours that are alike are one mapping: so `now` may lie in several of then.
bool Mappings::is_part_of(const Mapping& now, const Mapping*& then, const Mapping* then_end) const {
  for (uint64_t at = now.begin; at < now.end;) {
    while (then != then_end && then->end <= at) ++then;
    if (then == then_end || at < then->begin || !is_the_same(now, *then, at)) return false;
    at = now.end < then->end ? now.end : then->end;
  }
  return true;
}

// Each lies within those of then; so if they are as large together, nothing is missing.
bool Mappings::are_those_of(const Mappings& then, SnapshotReply& reply) const {
  const Mapping* place = then.begin();
  for (const Mapping& now : *this) {
    if (is_part_of(now, place, then.end())) continue;
    refuse(reply, SnapshotStep::kMemory, ENOTSUP, "memory was mapped or is protected otherwise: ")
        .number((now.end - now.begin) >> 10)
        .text(" KiB");
    return false;
  }
  if (size_of(*this) == size_of(then)) return true;
  refuse(reply, SnapshotStep::kMemory, ENOTSUP, "memory was given back: ")
      .number((size_of(then) - size_of(*this)) >> 10)
      .text(" KiB");
  return false;
}

}  // namespace esox
