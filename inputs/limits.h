// SPDX-License-Identifier: Apache-2.0
// The limits on inputs, beside those on YAML files (base/yaml/limits.h). Each is far above what a
// test of concurrency needs: PIKE's 1550 inputs had two clients and fewer than ten requests each
// (P. Fonseca, Effective testing for concurrency bugs, 2015), and the number of serial orders grows
// with the factorial of the requests.
#pragma once

#include <cstddef>

namespace esox {

inline constexpr size_t kMaxInputClients = 8;
inline constexpr size_t kMaxRequestsPerClient = 64;
inline constexpr size_t kMaxStatementsPerList = 4096;  // setup, observations, session setup
inline constexpr size_t kMaxStatementBytes = 1 << 20;
inline constexpr size_t kMaxServerOptions = 64;
inline constexpr size_t kMaxStructures = 16;      // descriptions of one input
inline constexpr size_t kMaxShapeNameBytes = 40;  // two of them and a short id fit an id
inline constexpr size_t kMaxTitleBytes = 300;
inline constexpr size_t kMaxShapes = 200;               // 20,100 pairs
inline constexpr size_t kMaxGeneratedBytes = 64 << 20;  // all texts of a generator's inputs
inline constexpr size_t kMaxFiles = 20000;              // of one call of read_inputs
inline constexpr size_t kMaxInputs = 200000;            // of one call of read_inputs

}  // namespace esox
