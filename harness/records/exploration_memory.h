// SPDX-License-Identifier: Apache-2.0
// What an exploration has to know of its earlier executions so that the next one comes out as if
// nobody had been killed in between.
//
// An execution follows from the hunt's seed, the input and its number, and from little else: the
// serial orders known by then (they say how many scheduling points to expect, and what differs
// between equal runs), and which causes were looked into. Outcomes are not kept: serial orders are
// executed again, which is cheap and gives the same.
//
// Plain data; to and from bytes (CBOR, since names may hold any bytes). Reading throws
// RecordError if they are none of ours.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/coverage.h"
#include "analysis/execution_record.h"
#include "analysis/masks.h"
#include "analysis/serial_failure.h"
#include "analysis/serial_run.h"
#include "base/record/record.h"
#include "harness/search/exhaustive/preemption_pass.h"
#include "harness/search/input_search.h"
#include "harness/search/learning.h"
#include "harness/search/portfolio.h"
#include "harness/search/prediction.h"
#include "harness/search/variation.h"

namespace esox {

void each_place(auto& f, Of<StableSite>) {
  f(&StableSite::module, &StableSite::offset);
}

struct ExplorationMemory {
  using PartialOrder = std::pair<RequestSet, Order>;  // an order of all requests but some

  // Why a violation is not believed, by its cause.
  struct Doubt {
    std::string text;
    unsigned attempts = 0;
  };

  // Of a search of all schedules, which is made again by the executions that it had.
  struct SearchMemory {
    uint64_t left_out = 0;         // of the input's executions, those that were not the search's
    std::set<uint64_t> violating;  // of the search's, by number from 1
    ExpectedExecutions expected;
  };

  struct Systematic {
    exhaustive::PreemptionPass::Kept pass;
    ArmRecord arm;
  };

  std::vector<PartialOrder> executed;  // in this order
  std::vector<PartialOrder> without_luck;
  std::vector<PartialOrder> repeated;
  std::vector<std::pair<Order, uint16_t>> steps;  // of the graph of serial states
  std::vector<SerialFailure> serial_failures;
  bool serial_failure_untold = false;
  Masks masks;
  uint64_t expected_points = 0;
  std::vector<uint64_t> expected_points_of;
  uint64_t serial_executions = 0;
  bool patient = false;   // no step is given up early any more
  bool contexts = false;  // threads of the server's own are scheduled, too
  uint64_t replays = 0;
  std::map<std::string, Doubt> doubts;
  std::set<std::string> causes;
  Lessons lessons;
  Coverage coverage;
  PortfolioRecord portfolio;
  std::vector<Exemplar> exemplars;
  std::vector<Prediction> predictions;
  uint64_t last = 0;  // number of the last execution
  SearchMemory search;
  Systematic systematic;
};

// What holds beyond one hunt, for a later one to begin with (`esox hunt --learn-from OUT`): the
// places that conflict, the strategies that paid, the schedules that showed something.
struct Experience {
  Lessons lessons;
  PortfolioRecord portfolio;
  std::vector<Exemplar> exemplars;
};

// Of an arm's earnings only so many executions' worth is passed on: what the next hunt sees soon
// weighs more.
inline constexpr uint64_t kRememberedExecutions = 50;

Experience experience_of(const ExplorationMemory& memory);

std::vector<uint8_t> to_bytes(const Experience& experience);
Experience experience_of(const std::vector<uint8_t>& bytes);

std::vector<uint8_t> to_bytes(const ExplorationMemory& memory);

ExplorationMemory exploration_memory_of(const std::vector<uint8_t>& bytes);

}  // namespace esox
