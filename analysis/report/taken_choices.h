// SPDX-License-Identifier: Apache-2.0
// What calls were made to give that they seldom give (preload/protocol/data_choice.h): whoever
// reads of a violation has to know, for without it the schedule alone does not bring it about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace esox {

// Of an execution's recorded values, but for who was woken: "17 short reads or writes of files".
// Empty: none.
std::string taken_choices(const std::vector<uint64_t>& values);

}  // namespace esox
