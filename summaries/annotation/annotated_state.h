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

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "summaries/annotation/region.h"
#include "summaries/annotation/region_copy.h"
#include "summaries/component.h"
#include "summaries/source.h"

namespace esox {

std::vector<Component> annotated_components(const SummaryRegion& region);

// "'key', 7, -1": the fields of an encoded element for people; exact, and safe on any bytes.
std::string element_text(const unsigned char* bytes, size_t count);

// The state of a running annotated server, read from its memory. A server in which nothing is
// recorded has no components. Nobody is asked and nothing in the server changes, so this source is
// taken before those that ask.
class AnnotatedProcess final : public SummarySource {
 public:
  // `server` gives the process to read: the server, or another fork of the same one.
  explicit AnnotatedProcess(std::function<pid_t()> server) : server_(std::move(server)) {}

  std::vector<Component> take() override;

 private:
  std::function<pid_t()> server_;
  bool nothing_recorded_ = false;  // as the server was loaded, so are its forks
  std::unique_ptr<RegionCopy> copy_;
};

}  // namespace esox
