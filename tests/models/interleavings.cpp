// SPDX-License-Identifier: Apache-2.0
#include "tests/models/interleavings.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <vector>

namespace esox::model {
namespace {

using small::Op;
using small::Program;
using small::Step;

constexpr int16_t kNobody = -1;
constexpr int16_t kNever = INT16_MAX;
constexpr int kMutexes = small::kMutexes;
constexpr int kReadWrite = kMutexes;  // the read-write lock, held alone
constexpr int kSpin = kMutexes + 1;
constexpr int kLocks = kMutexes + 2;

enum class Doing : int16_t {
  kNotMade,
  kBegins,   // was made, and has done nothing
  kGoesOn,   // at its step
  kMade,     // has made a thread, and is to go on
  kWaits,    // on the condition
  kRelocks,  // was woken, and wants the mutex back
  kAtBarrier,
  kSleeps,
  kHasEnded
};

// All of 16 bits, without gaps: compared by its bytes.
struct ThreadState {
  Doing doing = Doing::kNotMade;
  int16_t at = 0;
  int16_t read = 0;
  int16_t deadline = kNever;
  int16_t timed_out = 0;
  int16_t since = 0;  // waits on the condition: as the how many'th
  int16_t seen = 0;
  int16_t written[small::kCells] = {};
};

struct State {
  ThreadState threads[small::kMostThreads];
  int16_t holder[kLocks] = {kNobody, kNobody, kNobody, kNobody, kNobody};
  int16_t depth[kLocks] = {};
  int16_t readers = 0;
  int16_t permits[small::kSemaphores] = {};
  int16_t cells[small::kCells] = {};
  int16_t atomics[small::kAtomics] = {};
  int16_t arrived = 0;
  int16_t once = 0;  // 1: by `once_by`; 2: done
  int16_t once_by = kNobody;
  int16_t now = 0;
  int16_t waits = 0;  // began on the condition so far
};
static_assert(kLocks == 5);

class Interpreter {
 public:
  Interpreter(const Program& program, const Grain& grain) : program_(program), grain_(grain) {}

  State beginning() const {
    State state;
    state.threads[0].doing = Doing::kBegins;
    return state;
  }

  int threads() const { return static_cast<int>(program_.threads.size()); }

  bool is_over(const State& s) const { return s.threads[0].doing == Doing::kHasEnded; }

  bool can_go_on(const State& s, int t) const {
    const ThreadState& thread = s.threads[t];
    switch (thread.doing) {
      case Doing::kBegins:
      case Doing::kMade:
        return true;
      case Doing::kRelocks:
        return s.holder[0] == kNobody;
      case Doing::kGoesOn:
        return is_possible(s, t, step_of(s, t));
      default:
        return false;
    }
  }

  void go_on(State& s, int t) const {
    ThreadState& thread = s.threads[t];
    switch (thread.doing) {
      case Doing::kRelocks:
        s.holder[0] = static_cast<int16_t>(t);
        s.depth[0] = 1;
        break;
      case Doing::kGoesOn:
        perform(s, t);
        break;
      default:
        break;
    }
    const bool goes_on = thread.doing == Doing::kBegins || thread.doing == Doing::kMade ||
                         thread.doing == Doing::kRelocks || thread.doing == Doing::kGoesOn;
    if (!goes_on) return;
    thread.doing = Doing::kGoesOn;
    while (thread.doing == Doing::kGoesOn && is_no_step(step_of(s, t).op)) perform(s, t);
    stand(s, t);
  }

  // Nobody can go on: to the next deadline; false if there is none.
  bool pass_time(State& s) const {
    int16_t next = kNever;
    for (const ThreadState& thread : s.threads) next = std::min(next, thread.deadline);
    if (next == kNever) return false;
    s.now = next;
    for (ThreadState& thread : s.threads) {
      if (thread.deadline != next) continue;
      thread.deadline = kNever;
      if (thread.doing == Doing::kSleeps) {
        thread.doing = Doing::kMade;
      } else {
        thread.timed_out = 1;
      }
    }
    return true;
  }

  std::string told(const State& s) const {
    small::Remains remains;
    std::copy(std::begin(s.cells), std::end(s.cells), remains.cells);
    if (grain_.accesses_are_steps) {
      std::copy(std::begin(s.atomics), std::end(s.atomics), remains.atomics);
    }
    for (int t = 0; t < small::kMostThreads; ++t) {
      remains.seen[t] = s.threads[t].seen;
      const auto& written = s.threads[t].written;
      std::copy(std::begin(written), std::end(written), remains.written[t]);
    }
    return small::text_of(remains);
  }

 private:
  const Step& step_of(const State& s, int t) const {
    return program_.threads[static_cast<size_t>(t)][static_cast<size_t>(s.threads[t].at)];
  }

  bool is_no_step(Op op) const {
    switch (op) {
      case Op::kRemember:
      case Op::kCreate:
      case Op::kDestructor:
      case Op::kPassIfRead:
      case Op::kBack:
      case Op::kOnceEnd:
        return true;
      case Op::kAtomicAdd:
      case Op::kAtomicLoad:
      case Op::kRead:
      case Op::kWrite:
      case Op::kWriteLess:
      case Op::kRaise:
        return !grain_.accesses_are_steps;
      default:
        return false;
    }
  }

  static int lock_of(const Step& step) {
    switch (step.op) {
      case Op::kLock:
      case Op::kUnlock:
      case Op::kTryLock:
      case Op::kTimedLock:
        return step.place;
      case Op::kSpinLock:
      case Op::kSpinUnlock:
        return kSpin;
      default:
        return kReadWrite;
    }
  }

  static bool is_free(const State& s, int t, int lock) {
    if (lock == kReadWrite && s.readers > 0) return false;
    const bool again = lock == kMutexes - 1 && s.holder[lock] == t;
    return s.holder[lock] == kNobody || again;
  }

  bool is_possible(const State& s, int t, const Step& step) const {
    switch (step.op) {
      case Op::kTimedLock:
        return s.threads[t].timed_out != 0 || is_free(s, t, step.place);
      case Op::kLock:
      case Op::kWriteLock:
      case Op::kSpinLock:
        return is_free(s, t, lock_of(step));
      case Op::kReadLock:
        return s.holder[kReadWrite] == kNobody;
      case Op::kTake:
        return s.permits[step.place] > 0;
      case Op::kOnce:
        return s.once != 1 || s.once_by == t;
      case Op::kJoin:
        return s.threads[step.place].doing == Doing::kHasEnded;
      default:
        return true;
    }
  }

  // Before its next step: a time is reckoned from here.
  void stand(State& s, int t) const {
    ThreadState& thread = s.threads[t];
    if (thread.doing != Doing::kGoesOn || step_of(s, t).op != Op::kTimedLock) return;
    thread.deadline = static_cast<int16_t>(s.now + step_of(s, t).ms);
  }

  static void acquire(State& s, int t, int lock) {
    s.holder[lock] = static_cast<int16_t>(t);
    ++s.depth[lock];
  }

  static void give_back(State& s, int lock) {
    if (--s.depth[lock] == 0) s.holder[lock] = kNobody;
  }

  static void see(ThreadState& thread, int value) {
    thread.seen = static_cast<int16_t>(small::seen_with(thread.seen, value));
  }

  static void miss(ThreadState& thread, const Step& step) {
    see(thread, small::kMissed);
    thread.at = static_cast<int16_t>(thread.at + step.skip);
  }

  void wake(State& s, bool all) const {
    while (true) {
      ThreadState* first = nullptr;
      for (ThreadState& thread : s.threads) {
        if (thread.doing != Doing::kWaits) continue;
        if (first == nullptr || thread.since < first->since) first = &thread;
      }
      if (first == nullptr) return;
      first->doing = Doing::kRelocks;
      if (!all) return;
    }
  }

  void arrive(State& s, ThreadState& thread) const {
    thread.doing = Doing::kAtBarrier;
    if (++s.arrived < program_.at_barrier) return;
    s.arrived = 0;
    for (ThreadState& one : s.threads) {
      if (one.doing == Doing::kAtBarrier) one.doing = Doing::kMade;
    }
    thread.doing = Doing::kGoesOn;
  }

  // Of those that may fail.
  bool succeeds(State& s, int t, const Step& step) const {
    ThreadState& thread = s.threads[t];
    if (step.op == Op::kTryTake) return s.permits[step.place] > 0 && s.permits[step.place]-- > 0;
    if (step.op == Op::kTryReadLock) {
      if (s.holder[kReadWrite] != kNobody) return false;
      ++s.readers;
      return true;
    }
    thread.deadline = kNever;
    const bool late = thread.timed_out != 0;
    thread.timed_out = 0;
    if (late || !is_free(s, t, lock_of(step))) return false;
    acquire(s, t, lock_of(step));
    return true;
  }

  void perform(State& s, int t) const {
    ThreadState& thread = s.threads[t];
    const Step& step = step_of(s, t);
    ++thread.at;
    switch (step.op) {
      case Op::kLock:
      case Op::kWriteLock:
      case Op::kSpinLock:
        return acquire(s, t, lock_of(step));
      case Op::kUnlock:
      case Op::kSpinUnlock:
        return give_back(s, lock_of(step));
      case Op::kTryLock:
      case Op::kTimedLock:
      case Op::kTryReadLock:
      case Op::kTryWriteLock:
      case Op::kTryTake:
        if (!succeeds(s, t, step)) miss(thread, step);
        return;
      case Op::kReadLock:
        ++s.readers;
        return;
      case Op::kRwUnlock:
        if (s.holder[kReadWrite] == t) return give_back(s, kReadWrite);
        --s.readers;
        return;
      case Op::kPost:
        ++s.permits[step.place];
        return;
      case Op::kTake:
        --s.permits[step.place];
        return;
      case Op::kSignal:
      case Op::kBroadcast:
        return wake(s, step.op == Op::kBroadcast);
      case Op::kWait:
        give_back(s, 0);
        thread.doing = Doing::kWaits;
        thread.since = s.waits++;
        return;
      case Op::kBarrier:
        return arrive(s, thread);
      case Op::kOnce:
        if (s.once == 2) {
          thread.at = static_cast<int16_t>(thread.at + step.skip);
        } else {
          s.once = 1;
          s.once_by = static_cast<int16_t>(t);
        }
        return;
      case Op::kOnceEnd:
        s.once = 2;
        s.once_by = kNobody;
        return;
      case Op::kSleep:
        thread.doing = Doing::kSleeps;
        thread.deadline = static_cast<int16_t>(s.now + step.ms);
        return;
      case Op::kAtomicAdd:
        ++s.atomics[step.place];
        return;
      case Op::kRaise:
        ++s.atomics[1];
        return;
      case Op::kAtomicLoad:
        return see(thread, s.atomics[step.place]);
      case Op::kRead:
        thread.read = s.cells[step.place];
        return;
      case Op::kRemember:
        return see(thread, thread.read);
      case Op::kWrite:
        s.cells[step.place] = static_cast<int16_t>(thread.read + 1);
        ++thread.written[step.place];
        return;
      case Op::kWriteLess:
        s.cells[step.place] = static_cast<int16_t>(thread.read - 1);
        thread.written[step.place] =
            static_cast<int16_t>(thread.written[step.place] - small::taken_of(thread.read));
        return;
      case Op::kCreate:
        s.threads[step.place].doing = Doing::kBegins;
        if (grain_.creations_are_steps) thread.doing = Doing::kMade;
        return;
      case Op::kPassIfRead:
        if (thread.read != 0) thread.at = static_cast<int16_t>(thread.at + step.skip);
        return;
      case Op::kBack:
        thread.at = static_cast<int16_t>(thread.at - step.skip);
        return;
      case Op::kEnd:
        thread.doing = Doing::kHasEnded;
        return;
      case Op::kJoin:
      case Op::kDestructor:
        return;
    }
  }

  const Program& program_;
  Grain grain_;
};

std::string bytes_of(const State& state) {
  std::string bytes(sizeof state, '\0');
  std::memcpy(bytes.data(), &state, sizeof state);
  return bytes;
}

}  // namespace

bool Outcomes::holds_failure() const {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text == "deadlock" || text.starts_with("wrong");
  });
}

Outcomes outcomes_of(const small::Program& program, const Grain& grain, uint64_t most_states) {
  static_assert(std::has_unique_object_representations_v<State>);
  const Interpreter interpreter(program, grain);
  Outcomes outcomes;
  std::vector<State> left = {interpreter.beginning()};
  std::unordered_set<std::string> known = {bytes_of(left.front())};
  const auto go_to = [&](const State& state) {
    if (known.insert(bytes_of(state)).second) left.push_back(state);
  };
  for (; !left.empty() && known.size() < most_states; ++outcomes.states) {
    const State state = left.back();
    left.pop_back();
    if (interpreter.is_over(state)) {
      outcomes.texts.insert(interpreter.told(state));
      continue;
    }
    bool somebody = false;
    for (int t = 0; t < interpreter.threads(); ++t) {
      if (!interpreter.can_go_on(state, t)) continue;
      somebody = true;
      State next = state;
      interpreter.go_on(next, t);
      go_to(next);
    }
    State later = state;
    if (somebody) continue;
    interpreter.pass_time(later) ? go_to(later) : void(outcomes.texts.insert("deadlock"));
  }
  outcomes.complete = left.empty();
  return outcomes;
}

}  // namespace esox::model
