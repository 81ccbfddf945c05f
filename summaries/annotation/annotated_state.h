// SPDX-License-Identifier: Apache-2.0
// The state of an annotated server, read from its region: one component per annotated one, named
// "annotated:NAME".
//
// Read while no thread of the server changes it: after the sessions. The elements come from playing
// the log back, the digest of a set, multiset or map from the server's own running one; where the
// two disagree (an annotation outside the structure's lock, a set of trusted inclusion given an
// element twice) the component is unavailable and says so. Elements removed though they were not
// there are listed as such and count.
#pragma once

#include <string>
#include <vector>

#include "summaries/annotation/region.h"
#include "summaries/component.h"

namespace esox {

std::vector<Component> annotated_components(const SummaryRegion& region);

// "'key', 7, -1": the fields of an encoded element for people; exact, and safe on any bytes.
std::string element_text(const unsigned char* bytes, size_t count);

}  // namespace esox
