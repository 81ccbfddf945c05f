// SPDX-License-Identifier: Apache-2.0
#include "analysis/linearization.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace esox {
namespace {

std::vector<Order> orders_of(std::vector<size_t> counts) {
  return all_orders(counts).orders;
}

size_t binomial(size_t n, size_t k) {
  size_t value = 1;
  for (size_t i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

TEST(Linearization, OfTwoSingleRequestsAreTheTwoOrders) {
  EXPECT_EQ(orders_of({1, 1}), (std::vector<Order>{{0, 1}, {1, 0}}));
}

TEST(Linearization, AreAsManyAsThereAreInterleavings) {
  for (size_t n = 1; n <= 4; ++n) {
    EXPECT_EQ(orders_of({n, n}).size(), binomial(2 * n, n)) << n;
  }
  EXPECT_EQ(orders_of({2, 2, 2}).size(), 90u);  // 6! / (2! 2! 2!)
  EXPECT_EQ(orders_of({3}).size(), 1u);
}

TEST(Linearization, AreSortedAndWithoutRepetition) {
  const auto orders = orders_of({3, 2, 1});
  EXPECT_TRUE(std::is_sorted(orders.begin(), orders.end()));
  EXPECT_EQ(std::set<Order>(orders.begin(), orders.end()).size(), orders.size());
}

TEST(Linearization, OfNothingIsTheOrderInWhichNothingIsDone) {
  EXPECT_EQ(orders_of({}), (std::vector<Order>{{}}));
  EXPECT_EQ(orders_of({0, 0}), (std::vector<Order>{{}}));
}

TEST(Linearization, SaysWhenThereAreMoreThanTheLimit) {
  const std::vector<size_t> counts = {3, 3};  // 20 orders
  const auto cut = all_orders(counts, 19);
  EXPECT_TRUE(cut.too_many);
  EXPECT_EQ(cut.orders.size(), 19u);
  const auto whole = all_orders(counts, 20);
  EXPECT_FALSE(whole.too_many);
  EXPECT_EQ(whole.orders.size(), 20u);
}

TEST(Linearization, ARequestAnsweredBeforeAnotherBeganComesFirst) {
  const Stamps stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_EQ(linearizations(stamps).orders, (std::vector<Order>{{0, 1}}));
}

TEST(Linearization, RequestsThatTouchAtOnePointAreConcurrent) {
  const Stamps stamps = {{{0, 10}}, {{10, 20}}};
  EXPECT_EQ(linearizations(stamps).orders.size(), 2u);
}

TEST(Linearization, ARequestNeverAnsweredIsBeforeNothing) {
  const Stamps stamps = {{{0, kNever}}, {{500, 600}}};
  EXPECT_EQ(linearizations(stamps).orders.size(), 2u);
}

TEST(Linearization, ARequestAnsweredBeforeItBeganIsABrokenRecording) {
  const Stamps stamps = {{{20, 10}}, {{0, 100}}};
  EXPECT_TRUE(linearizations(stamps).orders.empty());
}

TEST(Linearization, StampsThatContradictEachOtherEndInNoOrderNotInALongWait) {
  // Each client's second request claims to have been answered before the other's first began.
  Stamps stamps(2, std::vector<Stamp>(12, Stamp{0, kNever}));
  stamps[0][11] = {.invocation = 100, .response = 1};
  stamps[1][11] = {.invocation = 100, .response = 1};
  const auto result = linearizations(stamps, 100);
  EXPECT_TRUE(result.orders.empty() || result.too_many);
}

// --- Against brute force: all permutations of all requests, checked pair by pair ----------------

struct Step {
  size_t client, request;
};

bool allowed_by_definition(const std::vector<Step>& steps, const Stamps& stamps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    for (size_t j = i + 1; j < steps.size(); ++j) {
      const Step& before = steps[i];
      const Step& after = steps[j];
      if (before.client == after.client && before.request > after.request) return false;
      if (stamps[after.client][after.request].response <
          stamps[before.client][before.request].invocation) {
        return false;
      }
    }
  }
  return true;
}

std::set<Order> by_brute_force(const Stamps& stamps) {
  std::vector<Step> steps;
  for (size_t c = 0; c < stamps.size(); ++c) {
    for (size_t r = 0; r < stamps[c].size(); ++r) steps.push_back({c, r});
  }
  std::vector<size_t> permutation(steps.size());
  for (size_t i = 0; i < permutation.size(); ++i) permutation[i] = i;
  std::set<Order> orders;
  do {
    std::vector<Step> permuted;
    Order order;
    for (size_t i : permutation) {
      permuted.push_back(steps[i]);
      order.push_back(static_cast<uint16_t>(steps[i].client));
    }
    if (allowed_by_definition(permuted, stamps)) orders.insert(order);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return orders;
}

Stamps random_history(std::mt19937_64& random) {
  const auto below = [&](uint64_t bound) { return random() % bound; };
  Stamps stamps(2 + below(2));
  for (auto& client : stamps) {
    uint64_t now = below(6);
    const size_t requests = 1 + below(2);
    for (size_t i = 0; i < requests; ++i) {
      Stamp stamp;
      stamp.invocation = now;
      stamp.response = now + below(8);
      now = stamp.response + 1 + below(3);
      if (i + 1 == requests && below(8) == 0) stamp.response = kNever;
      client.push_back(stamp);
    }
  }
  return stamps;
}

TEST(Linearization, AgreesWithBruteForceOnRandomHistories) {
  std::mt19937_64 random(20150101);
  size_t pruned = 0;
  for (int round = 0; round < 400; ++round) {
    const Stamps stamps = random_history(random);
    const auto found = linearizations(stamps, 1000);
    const std::set<Order> expected = by_brute_force(stamps);
    ASSERT_FALSE(found.too_many);
    ASSERT_EQ(std::vector<Order>(expected.begin(), expected.end()), found.orders) << round;
    ASSERT_FALSE(found.orders.empty());  // a history always has a linearization

    std::vector<size_t> counts;
    for (const auto& client : stamps) counts.push_back(client.size());
    for (const Order& order : all_orders(counts, 1000).orders) {
      ASSERT_EQ(keeps_real_time(order, stamps), expected.contains(order));
      pruned += !expected.contains(order);
    }
  }
  EXPECT_GT(pruned, 100u);  // the histories do exercise real time
}

TEST(Linearization, AnOrderOfOtherRequestsKeepsNothing) {
  const Stamps stamps = {{{0, 9}}, {{0, 9}}};
  EXPECT_TRUE(keeps_real_time({0, 1}, stamps));
  EXPECT_FALSE(keeps_real_time({0}, stamps));
  EXPECT_FALSE(keeps_real_time({0, 1, 1}, stamps));
  EXPECT_FALSE(keeps_real_time({0, 2}, stamps));
}

TEST(OrderName, CountsEachClientsRequests) {
  EXPECT_EQ(order_name({0, 1, 0}), "A1 B1 A2");
  EXPECT_EQ(order_name(Order{1, 0}, std::vector<std::string>{"reader", "writer"}),
            "writer1 reader1");
  EXPECT_EQ(request_name(26, 0), "C261");
}

}  // namespace
}  // namespace esox
