// SPDX-License-Identifier: Apache-2.0
// What can be taken away of an input, and the input without it.
//
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/masks.h"
#include "analysis/serial_run.h"
#include "harness/findings/minimise/same_violation.h"
#include "inputs/input.h"

namespace esox {

// An input with parts taken away, and which requests of the whole one are left.
struct SmallerInput {
  ConcreteInput input;
  std::vector<std::vector<RequestId>> origin;  // [client][request] of `input`: in the whole one
};

SmallerInput whole(const ConcreteInput& input);

enum class PartKind { kClient, kRequest, kSetup, kSessionSetup, kObservation };

// A place in an input: which of its setup statements or observations; of which client, which.
struct Part {
  PartKind kind = PartKind::kClient;
  size_t client = 0;
  size_t index = 0;
  auto operator<=>(const Part&) const = default;  // NOLINT(modernize-use-nullptr): false
};

std::vector<Part> clients_of(const Input& input);
std::vector<Part> requests_of(const Input& input);
// All statements that are not requests: of the setup, the sessions' setups, the observations.
std::vector<Part> preparations_of(const Input& input);
// Statements of which rows can be taken away: with two rows at least, those with most rows first.
std::vector<Part> statements_with_rows(const Input& input);

// A client without requests goes too.
SmallerInput without(const SmallerInput& input, const std::vector<Part>& parts);
// `part` is one of statements_with_rows(); of its rows only these are kept.
SmallerInput with_rows(const SmallerInput& input, const Part& part,
                       const std::vector<size_t>& kept);
size_t row_count(const Input& input, const Part& part);

// What the smaller one's requests are called in the whole one.
RequestNames names_in_whole(const SmallerInput& smaller, const Input& whole);
// The whole one's masks, of what is left.
Masks masks_left(const Masks& masks, const SmallerInput& smaller);

// What is counted of an input for people.
struct InputSize {
  size_t clients = 0;
  size_t requests = 0;
  size_t setup = 0;  // statements, those of the sessions among them
  size_t observations = 0;
  size_t rows = 0;   // in VALUES lists
  size_t bytes = 0;  // of all statements
};

InputSize size_of(const Input& input);

}  // namespace esox
