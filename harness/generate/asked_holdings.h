// SPDX-License-Identifier: Apache-2.0
// What a server holds after a setup, asked of it in one execution (Target::holdings_questions).
#pragma once

#include <optional>

#include "harness/engine/executor.h"
#include "inputs/holdings.h"

namespace esox {

// Nothing: the setup fails, or the server does not answer. `setup`: without clients. Throws
// ServerError, Executor::Interrupted.
std::optional<Holdings> asked_holdings(Executor& executor, const Input& setup);

}  // namespace esox
