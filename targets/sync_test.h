// SPDX-License-Identifier: Apache-2.0
// A schedule as a test of the server's own test suite: a build for debugging is held at sync points
// that its developers put into the source. What a target is asked for, and what it gives; plain
// data both ways.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

// A client goes on so far.
struct SyncSegment {
  enum class Until { kHeld, kBlocked, kEnd };  // kEnd: of the request
  size_t client = 0;
  size_t request = 0;
  Until until = Until::kEnd;
  // Of kHeld: in which it stands, the innermost first, as far as they have names.
  std::vector<std::string> functions;
};

// For each segment: how many sync points its thread has passed in its request when it is held, on
// this build; nothing: not known.
using PassedPoints =
    std::function<std::vector<std::optional<unsigned>>(const std::filesystem::path& program)>;

enum class SyncViolation { kOutcome, kStandstill, kCrash };

struct SyncTestRequest {
  const Input& input;
  std::string title;                 // what is wrong, in one line
  std::filesystem::path program;     // the build for debugging
  std::vector<std::string> options;  // of the server
  std::vector<SyncSegment> segments;
  PassedPoints passed;
  std::vector<std::vector<uint16_t>> orders;  // the serial ones: the client of each request
  SyncViolation violation = SyncViolation::kOutcome;
  std::vector<std::string> compared;          // "A1", and names of parts of the state ("rows")
  std::set<uint32_t> errors;                  // of the violation's replies
  std::chrono::milliseconds budget{120'000};  // of the trials; the last rounds come after them
  const std::atomic<bool>& stop;
};

// k of n.
struct SyncTally {
  unsigned count = 0;
  unsigned rounds = 0;
};

struct SyncTest {
  std::string why_not;                       // empty: there is a test
  std::map<std::string, std::string> files;  // by name
  std::string version;                       // of the server
  std::string held;                          // "B at POINT (2nd time)"
  std::string condition;                     // what the test looks at
  SyncTally failed;                          // by the server's test client, with the threads held
  SyncTally passed;                          // on the serial orders
  SyncTally failed_by_runner;                // by the runner of the server's tests
  SyncTally passed_by_runner;
  std::string runner;  // why it was not run by it; empty: it was
  unsigned trials = 0;
  std::vector<size_t> points;  // that each held request passes
  double seconds = 0;
};

}  // namespace esox
