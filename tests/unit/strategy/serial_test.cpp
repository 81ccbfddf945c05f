// SPDX-License-Identifier: Apache-2.0
// Serial: exactly the order asked for, and never an unnoticed violation of it.
#include "preload/strategy/serial.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "preload/strategy/rng.h"
#include "tests/models/model.h"

namespace esox::model {
namespace {

using Ids = std::vector<ThreadId>;

StrategyTape tape_of(const Ids& order) {
  return {.serial_order = order.data(), .serial_length = static_cast<uint32_t>(order.size())};
}

Pending begin_of(ThreadId thread) {
  return {thread, OpKind::kRequestBegin, 0, 0};
}
Pending end_of(ThreadId thread) {
  return {thread, OpKind::kRequestEnd, 0, 0};
}
Pending lock_of(ThreadId thread) {
  return {thread, OpKind::kMutexLock, 1, 1};
}

// A strategy and what it is asked, in short form.
class Asked {
 public:
  explicit Asked(Ids order) : order_(std::move(order)), serial_("serial", tape_of(order_)) {
    serial_->begin({});
  }
  ThreadId choose(const std::vector<Pending>& enabled) {
    return current_ = serial_->choose(enabled, current_);
  }
  void pass_over(ThreadId thread) { serial_->pass_over(thread); }
  void ended(ThreadId thread) { serial_->ended(thread); }
  uint32_t violations() { return serial_->diverged(); }

 private:
  Ids order_;
  Holder serial_;
  ThreadId current_ = kNoThread;
};

// Clients with sessions of requests, each of some lock operations; runs them to the end.
class Sessions {
 public:
  Sessions(std::vector<uint32_t> requests, bool with_end_points, Rng* rng)
      : left_(std::move(requests)), inside_(left_.size(), 0), ends_(with_end_points), rng_(rng) {}

  // Starts and ends of requests as they happened: the client at its start, ~client at its end.
  std::vector<int> run(Strategy& serial) {
    std::vector<int> events;
    ThreadId current = kNoThread;
    for (;;) {
      const std::vector<Pending> enabled = pending();
      if (enabled.empty()) return events;
      current = serial.choose(enabled, current);
      step(current, events);
    }
  }

 private:
  std::vector<Pending> pending() const {
    std::vector<Pending> result;
    for (size_t thread = 0; thread < left_.size(); ++thread) {
      const auto i = static_cast<ThreadId>(thread);
      if (inside_[i] > 1) {
        result.push_back(lock_of(i));
      } else if (inside_[i] == 1) {
        result.push_back(ends_ ? end_of(i) : lock_of(i));
      } else if (left_[i] > 0) {
        result.push_back(begin_of(i));
      }
    }
    return result;
  }

  void step(ThreadId thread, std::vector<int>& events) {
    if (inside_[thread] == 0) {
      --left_[thread];
      inside_[thread] = 1 + static_cast<int>(rng_->below(4));
      events.push_back(thread);
    } else if (--inside_[thread] == 0) {
      events.push_back(~thread);
    }
  }

  std::vector<uint32_t> left_;
  std::vector<int> inside_;  // operations left of the open request
  bool ends_;
  Rng* rng_;
};

TEST(Serial, RunsRandomSessionsInExactlyTheOrderGiven) {
  Rng rng(1);
  for (int round = 0; round < 2'000; ++round) {
    const auto clients = static_cast<ThreadId>(1 + rng.below(4));
    std::vector<uint32_t> requests(clients);
    Ids order;
    for (ThreadId i = 0; i < clients; ++i) {
      requests[i] = static_cast<uint32_t>(rng.below(4));
      order.insert(order.end(), requests[i], i);
    }
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    std::vector<int> expected;
    for (const ThreadId client : order) expected.insert(expected.end(), {client, ~client});

    Holder serial("serial", tape_of(order));
    serial->begin({});
    Sessions sessions(requests, round % 2 == 0, &rng);
    EXPECT_EQ(sessions.run(*serial), expected);
    EXPECT_EQ(serial->diverged(), 0u);
  }
}

// A's connection is closed in its first request: the second one never comes.
TEST(Serial, GoesOnWithoutTheRequestsOfAThreadThatHasEnded) {
  Asked serial({0, 0, 1});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1)}), 0);
  serial.ended(0);
  EXPECT_EQ(serial.choose({begin_of(1)}), 1);
  EXPECT_EQ(serial.violations(), 0U);
}

TEST(Serial, StaysWithinARequestWhateverElseIsEnabled) {
  Asked serial({1, 0});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 1);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(serial.choose({begin_of(0), lock_of(1)}), 1);
  EXPECT_EQ(serial.choose({begin_of(0)}), 0);
  EXPECT_EQ(serial.violations(), 0u);
}

TEST(Serial, GivesTwoRequestsInARowToOneClient) {
  Asked serial({0, 0, 1});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({begin_of(1)}), 1);
  EXPECT_EQ(serial.violations(), 0u);
}

TEST(Serial, CountsARequestThatWasBlockedWhileAnotherOneRan) {
  Asked serial({0, 1});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({begin_of(1)}), 1) << "0 is blocked, which cannot be known yet";
  EXPECT_EQ(serial.violations(), 0u);
  EXPECT_EQ(serial.choose({lock_of(0), lock_of(1)}), 1);
  EXPECT_EQ(serial.violations(), 1u);
  EXPECT_EQ(serial.choose({lock_of(0), lock_of(1)}), 1);
  EXPECT_EQ(serial.choose({lock_of(0)}), 0) << "so that the execution can end";
  EXPECT_EQ(serial.violations(), 1u) << "counted once";
}

TEST(Serial, FinishesABlockedRequestBeforeTheNextOneStarts) {
  Asked serial({0, 1, 2});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1), begin_of(2)}), 0);
  EXPECT_EQ(serial.choose({begin_of(1), begin_of(2)}), 1);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(2)}), 0);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(2)}), 0);
  EXPECT_EQ(serial.choose({begin_of(2)}), 2);
  EXPECT_EQ(serial.violations(), 1u);
}

TEST(Serial, CountsARequestStartedOutOfTurn) {
  Asked serial({1, 0, 2});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(2)}), 0) << "1 is not there; lowest id";
  EXPECT_EQ(serial.violations(), 1u);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1), begin_of(2)}), 0);
  EXPECT_EQ(serial.choose({begin_of(1), begin_of(2)}), 1);
  EXPECT_EQ(serial.choose({begin_of(2)}), 2) << "0's turn was used before";
  EXPECT_EQ(serial.violations(), 1u);
}

TEST(Serial, UsesUpOnlyOneTurnPerRequestStartedOutOfTurn) {
  Asked serial({1, 0, 0});
  EXPECT_EQ(serial.choose({begin_of(0)}), 0) << "out of turn";
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 1);
  EXPECT_EQ(serial.choose({begin_of(0)}), 0) << "its second request, in turn";
  EXPECT_EQ(serial.violations(), 1u);
}

TEST(Serial, CountsARequestThatIsNotOnTheTape) {
  Asked serial({0});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({begin_of(1)}), 1);
  EXPECT_EQ(serial.violations(), 1u);
}

// A thread whose last operation was kRequestEnd was not blocked; what it does then is its own.
TEST(Serial, DoesNotCountAThreadThatEndedItsRequestForCertain) {
  Asked serial({0, 1});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({end_of(0), begin_of(1)}), 0);
  EXPECT_EQ(serial.choose({begin_of(1)}), 1);
  EXPECT_EQ(serial.choose({lock_of(0), lock_of(1)}), 1);
  EXPECT_EQ(serial.violations(), 0u);
}

TEST(Serial, RunsThreadsWithoutRequestsToTheirEnd) {
  Asked serial({});
  EXPECT_EQ(serial.choose({lock_of(3), lock_of(4)}), 3);
  EXPECT_EQ(serial.choose({lock_of(2), lock_of(3), lock_of(4)}), 3);
  EXPECT_EQ(serial.choose({lock_of(2), lock_of(4)}), 2);
  EXPECT_EQ(serial.violations(), 0u);
}

TEST(Serial, SurvivesIdsBeyondTheLimit) {
  Asked serial({kMaxThreads, 0});
  EXPECT_EQ(serial.choose({begin_of(kMaxThreads)}), kMaxThreads);
  EXPECT_EQ(serial.choose({begin_of(0), lock_of(kMaxThreads)}), kMaxThreads);
  EXPECT_EQ(serial.choose({begin_of(0)}), 0);
}

TEST(Serial, GivesAContextItsTurnWhereTheOpenRequestIsPassedOver) {
  constexpr ThreadId kContext = kMaxClients;
  Asked serial({0, 1});
  EXPECT_EQ(serial.choose({begin_of(0), begin_of(1)}), 0);
  serial.pass_over(0);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1)}), 0) << "another request is no context";
  serial.pass_over(0);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1), lock_of(kContext)}), kContext);
  EXPECT_EQ(serial.choose({lock_of(0), begin_of(1), lock_of(kContext)}), 0) << "for one turn";
  EXPECT_EQ(serial.violations(), 0);
}

TEST(Serial, ChoosesTheFirstForEveryDataChoice) {
  Holder serial("serial");
  serial->begin({.seed = 5});
  EXPECT_EQ(serial->value(1), 0u);
  EXPECT_EQ(serial->value(100), 0u);
}

}  // namespace
}  // namespace esox::model
