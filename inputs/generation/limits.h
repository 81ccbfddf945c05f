// SPDX-License-Identifier: Apache-2.0
// The limits on grammars and on what is made by them.
#pragma once

#include <cstddef>

namespace esox {

inline constexpr size_t kMostMadeClients = 4;
inline constexpr size_t kMostMadeRequests = 4;  // of a client
inline constexpr size_t kMostMadeStates = 256;
inline constexpr const char* kMadeId = "made";  // the id, title and origin of inputs made

inline constexpr size_t kMostPieces = 64;            // of a phrase
inline constexpr size_t kMostPhrases = 500;          // of a rule, of values for one type
inline constexpr size_t kMostRules = 1000;           // rules, requests, setups and so on: each
inline constexpr size_t kMostTypes = 100;            // of names
inline constexpr size_t kMostWeight = 1000;          // of a request, of a setup
inline constexpr size_t kMostIncludes = 8;           // of one grammar, one in another
inline constexpr size_t kMostSetupStatements = 100;  // of one setup
inline constexpr size_t kMostMadeBytes = 100'000;    // of one request made
inline constexpr size_t kMostHoldings = 2000;        // that are looked at
inline constexpr size_t kMostLearntTemplates = 5000;

}  // namespace esox
