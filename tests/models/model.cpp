// SPDX-License-Identifier: Apache-2.0
#include "tests/models/model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "harness/search/strategy_text.h"

namespace esox::model {
namespace {

Operation simple(OpKind kind, uint64_t object, Code code) {
  return {kind, object, {}, [code = std::move(code)](World& world, ThreadId) {
            if (code) code(world);
            return Flow::kGoOn;
          }};
}

// Accesses to cells are told as reads and writes of files: the kinds that say which is which.
uint64_t object_of(int cell) {
  return static_cast<uint64_t>(100 + cell);
}

// Where every thread is, and the world they share.
class State {
 public:
  explicit State(const Program& program) : program_(&program), next_(program.threads.size(), 0) {
    for (size_t i = 0; i < next_.size(); ++i) world_.finished[i] = program.threads[i].empty();
  }

  const Operation* pending(ThreadId thread) const {
    return world_.finished[thread] ? nullptr : &program_->threads[thread][next_[thread]];
  }

  std::vector<Pending> enabled() const {
    std::vector<Pending> result;
    for (ThreadId i = 0; i < next_.size(); ++i) {
      const Operation* operation = pending(i);
      if (operation == nullptr) continue;
      if (operation->enabled && !operation->enabled(world_)) continue;
      result.push_back({i, operation->kind, operation->object, next_[i]});
    }
    return result;
  }

  std::vector<Pending> waiting() const {
    std::vector<Pending> result;
    for (ThreadId i = 0; i < next_.size(); ++i) {
      const Operation* operation = pending(i);
      if (operation != nullptr) result.push_back({i, operation->kind, operation->object, next_[i]});
    }
    return result;
  }

  void step(ThreadId thread) {
    const Flow flow = pending(thread)->run(world_, thread);
    ++next_[thread];
    world_.finished[thread] =
        flow == Flow::kLeave || next_[thread] == program_->threads[thread].size();
  }

  bool all_finished() const {
    for (ThreadId i = 0; i < next_.size(); ++i) {
      if (!world_.finished[i]) return false;
    }
    return true;
  }

  bool bug() const { return world_.bug; }

 private:
  const Program* program_;
  std::vector<size_t> next_;
  World world_;
};

// `weight` of a thread, given where it is.
template <class Weight>
double walk_from(const State& state, const Weight& weight) {
  const std::vector<Pending> enabled = state.enabled();
  if (enabled.empty()) return state.bug() || !state.all_finished() ? 1 : 0;
  double hits = 0;
  double sum = 0;
  for (const Pending& pending : enabled) {
    State next = state;
    next.step(pending.thread);
    const double own = weight(pending);
    hits += own * walk_from(next, weight);
    sum += own;
  }
  return hits / sum;
}

uint64_t longest_from(const State& state) {
  uint64_t most = 0;
  for (const Pending& pending : state.enabled()) {
    State next = state;
    next.step(pending.thread);
    most = std::max(most, 1 + longest_from(next));
  }
  return most;
}

// One run of PCT with everything given, straight from the thesis's three rules.
bool pct_hits(const Program& program, std::vector<int> priority,
              const std::vector<uint64_t>& change_points) {
  State state(program);
  for (uint64_t step = 1;; ++step) {
    const std::vector<Pending> enabled = state.enabled();
    if (enabled.empty()) return state.bug() || !state.all_finished();
    const auto best =
        std::max_element(enabled.begin(), enabled.end(), [&](const Pending& a, const Pending& b) {
          return priority[a.thread] < priority[b.thread];
        });
    state.step(best->thread);
    for (size_t i = 0; i < change_points.size(); ++i) {
      if (change_points[i] == step) priority[best->thread] = -static_cast<int>(i + 1);
    }
  }
}

// The next of all tuples over 1..k, like an odometer; false after the last.
bool advance(std::vector<uint64_t>& tuple, uint64_t k) {
  for (uint64_t& digit : tuple) {
    if (digit < k) {
      ++digit;
      return true;
    }
    digit = 1;
  }
  return false;
}

}  // namespace

Program with_main(std::string name, std::vector<std::vector<Operation>> created,
                  std::vector<Operation> main_then) {
  const size_t count = created.size();
  const Operation create = simple(OpKind::kThreadCreate, 0, [](World& world) { ++world.created; });
  std::vector<Operation> main(count, create);
  main.insert(main.end(), main_then.begin(), main_then.end());
  for (std::vector<Operation>& thread : created) {
    if (thread.empty()) continue;
    const auto own = thread.front().enabled;
    thread.front().enabled = [count, own](const World& world) {
      return world.created == count && (!own || own(world));
    };
  }
  created.insert(created.begin(), std::move(main));
  return {std::move(name), std::move(created)};
}

Operation lock(int mutex, Code then) {
  return {OpKind::kMutexLock, static_cast<uint64_t>(1 + mutex),
          [mutex](const World& world) { return world.holder[mutex] == kNoThread; },
          [mutex, then = std::move(then)](World& world, ThreadId self) {
            world.holder[mutex] = self;
            if (then) then(world);
            return Flow::kGoOn;
          }};
}

Operation unlock(int mutex, Code then) {
  return simple(OpKind::kMutexUnlock, static_cast<uint64_t>(1 + mutex),
                [mutex, then = std::move(then)](World& world) {
                  world.holder[mutex] = kNoThread;
                  if (then) then(world);
                });
}

Operation unlock_and_leave_if(int mutex, Guard leave) {
  return {OpKind::kMutexUnlock,
          static_cast<uint64_t>(1 + mutex),
          {},
          [mutex, leave = std::move(leave)](World& world, ThreadId) {
            world.holder[mutex] = kNoThread;
            return leave(world) ? Flow::kLeave : Flow::kGoOn;
          }};
}

Operation wait(int semaphore) {
  return {OpKind::kSemWait, static_cast<uint64_t>(100 + semaphore),
          [semaphore](const World& world) { return world.cell[semaphore] > 0; },
          [semaphore](World& world, ThreadId) {
            --world.cell[semaphore];
            return Flow::kGoOn;
          }};
}

Operation signal(int semaphore) {
  return simple(OpKind::kSemPost, static_cast<uint64_t>(100 + semaphore),
                [semaphore](World& world) { ++world.cell[semaphore]; });
}

Operation read(int cell, int into) {
  return simple(OpKind::kFileRead, object_of(cell),
                [cell, into](World& world) { world.cell[into] = world.cell[cell]; });
}

Operation write(int cell, int64_t value) {
  return access(cell, [cell, value](World& world) { world.cell[cell] = value; });
}

Operation access(int cell, Code then) {
  return simple(OpKind::kFileWrite, object_of(cell), std::move(then));
}

Operation start() {
  return simple(OpKind::kThreadStart, 0, {});
}

Operation join(ThreadId thread) {
  Operation operation = simple(OpKind::kThreadJoin, thread, {});
  operation.enabled = [thread](const World& world) { return world.finished[thread]; };
  return operation;
}

Operation begin_wait(int condition, int mutex) {
  return simple(OpKind::kCondWait, static_cast<uint64_t>(100 + condition),
                [condition, mutex](World& world) {
                  world.holder[mutex] = kNoThread;
                  world.cell[condition] = 1;
                });
}

Operation finish_wait(int condition, int mutex) {
  Operation operation = lock(mutex);
  operation.enabled = [condition, mutex](const World& world) {
    return world.cell[condition] == 2 && world.holder[mutex] == kNoThread;
  };
  return operation;
}

Operation signal_waiter(int condition) {
  return simple(OpKind::kCondSignal, static_cast<uint64_t>(100 + condition),
                [condition](World& world) {
                  if (world.cell[condition] == 1) world.cell[condition] = 2;
                });
}

bool is_enabled(const std::vector<Pending>& enabled, ThreadId thread) {
  return std::any_of(enabled.begin(), enabled.end(),
                     [&](const Pending& pending) { return pending.thread == thread; });
}

RunResult run(const Program& program, Strategy& strategy, const ExecutionInfo& info, Offer offer,
              const Watch& watch) {
  RunResult result;
  State state(program);
  ThreadId current = kNoThread;
  strategy.begin(info);
  const bool every_point = offer == Offer::kEveryPoint || strategy.sees_every_point();
  for (uint64_t point = 0; point < kMaxSteps; ++point) {
    const std::vector<Pending> enabled = state.enabled();
    if (watch) watch(state.waiting(), enabled);
    if (enabled.empty()) break;
    ThreadId chosen = enabled.front().thread;
    if (every_point || enabled.size() > 1) {
      chosen = strategy.choose(enabled, current);
      ++result.offered;
    }
    result.chose_disabled = !is_enabled(enabled, chosen);
    if (result.chose_disabled) break;
    if (chosen != current) {
      result.choices.push_back({static_cast<uint32_t>(point), chosen, 0});
      current = chosen;
    }
    state.step(chosen);
    result.order.push_back(chosen);
  }
  result.points = result.order.size();
  result.deadlock = state.enabled().empty() && !state.all_finished();
  result.bug = state.bug() || result.deadlock;
  strategy.end({result.points, result.choices.size()});
  return result;
}

Holder::Holder(const StrategySpec& spec, const StrategyTape& tape)
    : strategy_(make_strategy(spec, tape, memory_)) {
  if (strategy_ == nullptr) throw std::invalid_argument("make_strategy refused the spec");
}

Holder::Holder(const std::string& text, const StrategyTape& tape)
    : Holder(strategy_from_text(text), tape) {}

double hit_rate(const Program& program, const char* strategy, uint32_t n, uint64_t k,
                uint32_t samples, uint64_t first_seed) {
  Holder holder(strategy);
  const std::vector<uint32_t> points = points_of_threads(program);
  const std::vector<ObjectPoints> objects = shared_objects(program);
  uint32_t hits = 0;
  for (uint32_t i = 0; i < samples; ++i) {
    const ExecutionInfo info{.seed = first_seed + i,
                             .threads = n,
                             .expected_points = k,
                             .points_of_thread = points,
                             .objects = objects};
    hits += run(program, *holder, info, Offer::kEveryPoint).bug;
  }
  return static_cast<double>(hits) / samples;
}

std::vector<uint32_t> points_of_threads(const Program& program) {
  std::vector<uint32_t> points;
  for (const auto& thread : program.threads) points.push_back(static_cast<uint32_t>(thread.size()));
  return points;
}

std::vector<ObjectPoints> shared_objects(const Program& program) {
  std::map<uint64_t, ObjectPoints> all;
  for (size_t thread = 0; thread < program.threads.size(); ++thread) {
    for (const Operation& operation : program.threads[thread]) {
      if (!is_release(operation.kind)) ++all[operation.object].of_thread[thread];
    }
  }
  std::vector<ObjectPoints> shared;
  for (auto& [object, points] : all) {
    points.object = object;
    const auto users = std::count_if(std::begin(points.of_thread), std::end(points.of_thread),
                                     [](uint32_t count) { return count > 0; });
    if (object != 0 && users > 1) shared.push_back(points);
  }
  return shared;
}

double exact_random_walk(const Program& program) {
  return walk_from(State(program), [](const Pending&) { return 1.0; });
}

// A pending operation's site is its number within its thread.
double exact_weighted_walk(const Program& program) {
  return walk_from(State(program), [&](const Pending& pending) {
    return static_cast<double>(program.threads[pending.thread].size() - pending.site);
  });
}

double exact_pct(const Program& program, uint64_t k, uint32_t depth) {
  std::vector<int> priority(program.threads.size());
  std::iota(priority.begin(), priority.end(), 1);
  uint64_t hits = 0;
  uint64_t runs = 0;
  do {
    std::vector<uint64_t> change_points(depth - 1, 1);
    do {
      hits += pct_hits(program, priority, change_points);
      ++runs;
    } while (advance(change_points, k));
  } while (std::next_permutation(priority.begin(), priority.end()));
  return static_cast<double>(hits) / static_cast<double>(runs);
}

uint64_t longest(const Program& program) {
  return longest_from(State(program));
}

double four_sigma(double p, double samples) {
  return 4 * std::sqrt(p * (1 - p) / samples);
}

}  // namespace esox::model
