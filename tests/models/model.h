// SPDX-License-Identifier: Apache-2.0
// A simulation kit: small concurrent programs, run under a strategy as the scheduler would run
// them.
//
// As in the formal model of Yuan's thesis (section 1.1), a thread is parked before its next visible
// operation; one step executes that operation and all local code up to the next one. A blocked
// operation makes its thread not enabled. A program ends when no thread is enabled; if one has
// operations left then, that is a deadlock, and counts as the bug.
//
// Beside sampling there are oracles, which know nothing of the strategies' code: they compute the
// hit probability of the random walk and the weighted one (over the tree of all schedules) and of
// PCT (over all priorities and change points) exactly.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "preload/strategy/registry.h"
#include "preload/strategy/strategy.h"

namespace esox::model {

inline constexpr int kCells = 12;
inline constexpr int kLocks = 4;
inline constexpr int kMaxModelThreads = 8;

// All that operations read and change.
struct World {
  std::array<int64_t, kCells> cell{};
  std::array<ThreadId, kLocks> holder;
  std::array<bool, kMaxModelThreads> finished{};
  size_t created = 0;  // by main
  bool bug = false;

  World() { holder.fill(kNoThread); }
};

// What a thread does after an operation: go on with the next one, or leave (return early).
enum class Flow { kGoOn, kLeave };

using Guard = std::function<bool(const World&)>;
using Effect = std::function<Flow(World&)>;
using Code = std::function<void(World&)>;  // an effect that always goes on

struct Operation {
  OpKind kind = OpKind::kNone;
  uint64_t object = 0;
  Guard enabled;  // empty: always
  std::function<Flow(World&, ThreadId)> run;
};

struct Program {
  std::string name;
  std::vector<std::vector<Operation>> threads;
};

// Rule C: main (thread 0) creates all other threads before any of them does anything. Creations are
// steps like others; then main does `main_then`.
Program with_main(std::string name, std::vector<std::vector<Operation>> created,
                  std::vector<Operation> main_then);

// Operations. `then` is the local code that follows, up to the next visible operation.
Operation lock(int mutex, Code then = {});
Operation unlock(int mutex, Code then = {});
Operation unlock_and_leave_if(int mutex, Guard leave);
Operation wait(int semaphore);    // blocked while the semaphore's cell is 0, takes one
Operation signal(int semaphore);  // adds one
Operation read(int cell, int into);
Operation write(int cell, int64_t value);
Operation access(int cell, Code then);  // any other atomic access to a cell, one that changes it
Operation start();                      // the first, dummy event of a thread
Operation join(ThreadId thread);

// A condition variable without memory: begin_wait releases the mutex and registers the one waiter,
// finish_wait is enabled once it has been signalled and the mutex is free, and takes the mutex.
// A signal without waiter is lost. The cell holds 0 = no waiter, 1 = waits, 2 = signalled.
Operation begin_wait(int condition, int mutex);
Operation finish_wait(int condition, int mutex);
Operation signal_waiter(int condition);

// Which points are offered to the strategy.
enum class Offer {
  kEveryPoint,     // as in the theses: a step is a point, with one enabled thread too
  kAsTheScheduler  // only where there is a choice, unless the strategy sees every point
};

struct RunResult {
  bool bug = false;  // the program said so, or a deadlock
  bool deadlock = false;
  bool chose_disabled = false;  // the strategy broke its contract; the run was given up
  std::vector<ThreadId> order;  // who executed each step
  std::vector<Choice> choices;  // as the scheduler records them
  uint64_t points = 0;          // steps
  uint64_t offered = 0;         // calls of choose()
};

inline constexpr uint64_t kMaxSteps = 10'000;

// Told, at each point before the choice and at the end, what all threads that have not ended are
// about to do, and which of them can.
using Watch =
    std::function<void(const std::vector<Pending>& waiting, const std::vector<Pending>& enabled)>;

RunResult run(const Program& program, Strategy& strategy, const ExecutionInfo& info, Offer offer,
              const Watch& watch = {});

bool is_enabled(const std::vector<Pending>& enabled, ThreadId thread);

// Memory for a strategy and the strategy in it.
class Holder {
 public:
  explicit Holder(const StrategySpec& spec, const StrategyTape& tape = {});
  explicit Holder(const std::string& text, const StrategyTape& tape = {});
  Strategy& operator*() { return *strategy_; }
  Strategy* operator->() { return strategy_; }

 private:
  alignas(kStrategyMemoryAlignment) std::array<std::byte, kStrategyMemoryBytes> memory_;
  Strategy* strategy_;
};

// Fraction of `samples` runs, seeds first_seed, first_seed + 1, ..., that show the bug. All steps
// are offered. n and k for the strategy are as given, the rest is the program's own.
double hit_rate(const Program& program, const char* strategy, uint32_t n, uint64_t k,
                uint32_t samples, uint64_t first_seed = 1);

// What earlier executions would have told: the operations of each thread, and those on each object
// that more than one thread uses.
std::vector<uint32_t> points_of_threads(const Program& program);
std::vector<ObjectPoints> shared_objects(const Program& program);

// Exact hit probability of the textbook's random walk.
double exact_random_walk(const Program& program);

// Exact hit probability if threads are drawn at every step, weighted by what they have left to do.
double exact_weighted_walk(const Program& program);

// Exact hit probability of PCT as the thesis states it: priorities over the program's threads,
// change points uniform on 1..k.
double exact_pct(const Program& program, uint64_t k, uint32_t depth);

// Length of the longest execution.
uint64_t longest(const Program& program);

// Four standard deviations of a rate measured on `samples` independent runs of probability p:
// a correct implementation fails such a test once in 16,000 choices of seeds.
double four_sigma(double p, double samples);

}  // namespace esox::model
