// SPDX-License-Identifier: Apache-2.0
// Memory that a fork need not copy.
//
// A fork copies the page tables of anonymous memory, and the exit of the child takes them down
// again, whether the child touched the pages or not: with a server's 25 MiB that is a third of a
// short execution. Private mappings of a file cost neither, as long as the forked process has not
// written to them: the child's pages come when it touches them (fork(2); "vma_needs_copy" in
// Linux). So a template's writable memory is copied into a file without a name, once, and this is
// mapped in its place.
//
// Large code and constants go into huge pages of that file, for the children's sake too: one fault
// instead of one for every 16 pages. In /proc/PID/maps they are then no longer their file's.
//
// What a process could tell by it is kept from it by hooks: madvise(MADV_DONTNEED) must give zeros,
// not the file's contents, and memory that mremap(2) makes longer must go on with zeros; so must
// large objects of the C library, whose realloc makes them longer by a call that no hook sees
// (interpose/heap.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace esox {

// Moves the process's private memory, where it has pages of its own, into a file. An optimisation:
// what cannot be moved is left as it is. All other threads are parked.
void move_memory_into_file();

// Whether this is that file, as /proc/PID/maps names it (device: major << 32 | minor). It stays
// open as kMovedMemoryFd, also in children.
bool is_moved_file(uint64_t device, uint64_t inode);

// Whether any of these bytes lies in memory that was moved.
bool is_moved(const void* where, size_t size);

}  // namespace esox
