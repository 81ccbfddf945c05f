// SPDX-License-Identifier: Apache-2.0
// Having the kernel tell which pages are written to for the first time: userfaultfd(2) that lets
// the writer go on by itself (UFFD_FEATURE_WP_ASYNC, Linux 6.7).
//
// All that a process has of its own is looked at in each life, and copied back, whether it was
// written to or not; of a large server most was not. A watched page costs its first writer half a
// microsecond, and from then on it is looked at and copied back in every life: what one life writes
// to, the next ones do as a rule. Where the kernel cannot watch, all pages are treated so.
//
// Only memory that was moved into a file (memory.h) is watched: there most pages are, and to find
// those of them that are the process's own takes the kernel longest. Of it not what could lose
// pages without a word, for the kernel tells as little of a page that was given back as of one that
// was never there. The C library gives memory back by calls that no hook sees: of stacks, and of
// heaps other than the first, both of which lie beside memory that is shut; and of any heap in
// malloc_trim.
#pragma once

#include <cstdint>

#include "preload/snapshot/mappings.h"

namespace esox {

// At birth. The descriptor stays open as kWatchFd; without it nothing is watched.
void open_page_watch();

// From now on, what can be watched is: Mapping::watched. All other threads stand still, and what is
// there is as at birth.
void watch_pages(Mappings& born);
void stop_watching(Mapping& mapping);

// How often the C library was told to give back memory of its own.
uint32_t times_trimmed();

}  // namespace esox
