// SPDX-License-Identifier: Apache-2.0
// A schedule, played by sync points: what each session says, in order. A further session, the
// conductor's, waits until a thread is held and lets it go on (SET DEBUG_SYNC = 'now ...').
//
// Traps: the server knows no "only at the k-th time" (EXECUTE k acts at each of k), so the
// conductor lets the thread go k - 1 times. A reply is not the end of a request, for some answer
// before they have finished: after each the session says DO 1, which is read only then.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/input.h"
#include "targets/mariadb/sync/points.h"
#include "targets/sync_test.h"

namespace esox {

inline constexpr size_t kConductor = ~size_t{0};

struct SyncStep {
  enum class Kind {
    kSay,      // no request of the input's
    kRun,      // a request, to its end
    kSend,     // a request, whose reply is not awaited
    kReap,     // its reply
    kBlocked,  // until that request waits for another one
  };
  Kind kind = Kind::kSay;
  size_t session = kConductor;  // or a client
  std::string text;
  size_t request = 0;  // of the client
};

struct SyncScript {
  std::vector<SyncStep> steps;
  size_t released = 0;  // the first step from which nobody is held any more
  bool possible = true;
};

// "A1"
std::string request_label(const Input& input, size_t client, size_t request);

// `points`: one for each held segment. `limit_s`: of each wait for a signal.
SyncScript sync_script(const Input& input, const std::vector<SyncSegment>& segments,
                       const std::vector<SyncPoint>& points, unsigned limit_s);

// The requests one after the other; `order`: the client of each.
std::vector<SyncSegment> serial_segments(const std::vector<uint16_t>& order);

}  // namespace esox
