// SPDX-License-Identifier: Apache-2.0
// The same violation with as few context switches, and as few data choices, as can be found.
//
// Pure but for `execute`; the same answers give the same result.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/findings/diagnosis/attempt.h"

namespace esox {

// Delta debugging over the segments (A. Zeller, R. Hildebrandt, "Simplifying and isolating
// failure-inducing input", 2002): ever smaller runs of neighbouring segments are taken away, so
// that what they did is done when their thread comes on next; then single ones are done earlier.
// Ends when no single change makes it shorter. Then each switch that is left is moved to the
// nearest beginning or end of a request at which the violation stays, since such a place needs no
// words. `start` breaks; so does the result.
Tried fewest_switches(const Tried& start, const Try& execute);

// A schedule with these values; nothing: the budget is spent.
using TryChoices =
    std::function<std::optional<Tried>(const Schedule&, const std::vector<uint64_t>&)>;

// Which of the recorded data choices (preload/protocol/data_choice.h) the violation needs. Those
// among waiters are left as they are: somebody has to be woken. First without any, then without
// each; what still breaks as `start` does is kept. Of `start` the side is kSame, as of the result.
Tried fewest_choices(const Tried& start, const TryChoices& execute);

}  // namespace esox
