// SPDX-License-Identifier: Apache-2.0
// The isolation level of an input's sessions, said by `isolation_level:`. It is set in each
// client's session before its own setup, and says what an execution is compared with: at a level of
// whole transactions in serial order with serial orders of transactions, at any other with serial
// orders of requests (analysis/transactions.h).
#pragma once

#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

// Why `name` is no level, in words for its author; empty if it is one, or empty itself.
std::string isolation_level_complaint(const std::string& name, const RequestLanguage& language);

// The same input with the level named, in its id too: "ID-LEVEL".
Input at_level(Input input, const std::string& level);

// The level that the input names, or nullptr.
const IsolationLevel* isolation_level_of(const Input& input);

// What is said in a client's session before its requests: what sets the level, then its own setup.
std::vector<std::string> session_setup(const Input& input, const InputClient& client);

}  // namespace esox
