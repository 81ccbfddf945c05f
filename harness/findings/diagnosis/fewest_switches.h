// SPDX-License-Identifier: Apache-2.0
// The same violation with as few context switches as can be found.
//
// Delta debugging over the segments (A. Zeller, R. Hildebrandt, "Simplifying and isolating
// failure-inducing input", 2002): ever smaller runs of neighbouring segments are taken away, so
// that what they did is done when their thread comes on next; then single ones are done earlier.
// Ends when no single change makes it shorter. Then each switch that is left is moved to the
// nearest beginning or end of a request at which the violation stays, since such a place needs no
// words.
//
// Pure but for `execute`; the same answers give the same result.
#pragma once

#include "harness/findings/diagnosis/attempt.h"

namespace esox {

// `start` breaks; so does the result.
Tried fewest_switches(const Tried& start, const Try& execute);

}  // namespace esox
