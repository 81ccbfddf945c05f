// SPDX-License-Identifier: Apache-2.0
// Which of the recorded data choices (preload/protocol/data_choice.h) a violation needs. Those
// among waiters are left as they are: somebody has to be woken.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/findings/diagnosis/attempt.h"

namespace esox {

// A schedule with these values; nothing: the budget is spent.
using TryChoices =
    std::function<std::optional<Tried>(const Schedule&, const std::vector<uint64_t>&)>;

// First without any, then without each; what still breaks as `start` does is kept. Of `start` the
// side is kSame, as of the result.
Tried fewest_choices(const Tried& start, const TryChoices& execute);

}  // namespace esox
