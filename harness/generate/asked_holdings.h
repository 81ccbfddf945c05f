// SPDX-License-Identifier: Apache-2.0
// What a server holds after a setup, asked of it: what a maker fills the names of requests with.
#pragma once

#include <optional>
#include <string>

#include "harness/engine/executor.h"
#include "inputs/holdings.h"
#include "inputs/input.h"

namespace esox {

// `setup` has no clients. One execution; nothing: the setup fails, or the server does not answer,
// and `why`, if given, is a line that says so. Throws ServerError if the server does not run
// without options of the setup's.
std::optional<Holdings> asked_holdings(Executor& executor, const Input& setup,
                                       std::string* why = nullptr);

}  // namespace esox
