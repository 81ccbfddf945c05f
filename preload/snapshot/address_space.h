// SPDX-License-Identifier: Apache-2.0
// What lies where in a rewound process's memory: brought back to what it was at its birth.
//
//   mapped since then                    unmapped
//   unmapped, or something else there    mapped anew: zeros, or what was moved into a file
//                                        (memory.h); what the process's template has written there
//                                        comes back with its pages (page_store.h)
//   protected otherwise                  protected as it was
//
// What cannot be mapped anew is a reason not to rewind: files, shared memory, and what would lack
// something if it were (Mapping::irreplaceable). Not looked at is what /proc/self/maps does not
// show: what madvise(2) and mlock(2) have asked for.
#pragma once

#include "preload/protocol/snapshot.h"
#include "preload/snapshot/mappings.h"

namespace esox {

// At birth.
void note_irreplaceable(Mappings& born);

// Room for `now` is the caller's. All other threads stand still, off their stacks; so does this
// one. False: see the reply.
bool bring_back_address_space(const Mappings& born, Mappings& now, SnapshotReply& reply);

}  // namespace esox
