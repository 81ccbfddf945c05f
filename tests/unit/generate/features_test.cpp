// SPDX-License-Identifier: Apache-2.0
// Features of executions, their counts, and the energy that follows: by hand, and as properties
// over random sets.
#include "harness/generate/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/generate/energy.h"
#include "harness/generate/feature_counts.h"
#include "preload/strategy/rng.h"
#include "tests/simulated/simulated_server.h"
#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using simulated::input_of;
using test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Input two_clients() {
  return input_of("two", {{"SELECT x"}, {"UPDATE x 1"}}).input;
}

Features features_in(const TraceBuilder& trace, const Input& input) {
  const ExecutionRecord record = trace.finish();
  return features_of(
      features_shown(record, input, behaviour_of(record, input.clients.size(), {}).meetings));
}

size_t count_of(const Features& features, FeatureKind kind) {
  return static_cast<size_t>(std::count_if(features.begin(), features.end(),
                                           [&](Feature one) { return kind_of(one) == kind; }));
}

TEST(FeatureTest, KeepsItsKind) {
  for (size_t i = 0; i < kFeatureKinds; ++i) {
    const auto kind = static_cast<FeatureKind>(i);
    EXPECT_EQ(kind_of(make_feature(kind, UINT64_MAX)), kind);
    EXPECT_GT(weight_of(make_feature(kind, 7)), 0);
  }
  EXPECT_NE(make_feature(FeatureKind::kPair, 7), make_feature(FeatureKind::kError, 7));
  EXPECT_EQ(weight_of(~Feature{0}), 0) << "of no kind";
}

TEST(FeatureTest, APairIsAnotherOneInTheOtherOrder) {
  const auto one = TraceBuilder()
                       .begins(0)
                       .begins(1)
                       .locks(0, test::kMutex, 0x10)
                       .does(0, OpKind::kMutexUnlock, test::kMutex, 0x11);
  TraceBuilder forth = one;
  forth.locks(1, test::kMutex, 0x20);
  TraceBuilder back = TraceBuilder()
                          .begins(0)
                          .begins(1)
                          .locks(1, test::kMutex, 0x20)
                          .does(1, OpKind::kMutexUnlock, test::kMutex, 0x21)
                          .locks(0, test::kMutex, 0x10);
  const Features first = features_in(forth, two_clients());
  const Features second = features_in(back, two_clients());
  EXPECT_EQ(count_of(first, FeatureKind::kPair), 1U);
  EXPECT_EQ(count_of(first, FeatureKind::kPairOfKinds), 1U);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, features_in(forth, two_clients())) << "from one execution the same";
}

TEST(FeatureTest, APairDoesNotTellWhoTheClientsAre) {
  TraceBuilder forth;
  forth.begins(0).begins(1).locks(0, test::kMutex, 0x10).locks(1, test::kMutex, 0x20);
  TraceBuilder swapped;
  swapped.begins(0).begins(1).locks(1, test::kMutex, 0x10).locks(0, test::kMutex, 0x20);
  Input others = two_clients();
  std::swap(others.clients[0].requests, others.clients[1].requests);
  EXPECT_EQ(features_in(forth, two_clients()), features_in(swapped, others));
}

TEST(FeatureTest, ALockTakenUnderAnotherIsALockOrder) {
  TraceBuilder trace;
  trace.begins(0).begins(1).locks(0, 0x70, 0x10).locks(0, 0x90, 0x11);
  EXPECT_EQ(count_of(features_in(trace, two_clients()), FeatureKind::kLockOrder), 1U);
  TraceBuilder again;
  again.begins(0).begins(1).locks(0, 0x70, 0x10).locks(0, 0x70, 0x11);
  EXPECT_EQ(count_of(features_in(again, two_clients()), FeatureKind::kLockOrder), 0U)
      << "the same lock twice";
}

TEST(FeatureTest, AnErrorCountsByItsKindOfRequest) {
  ExecutionRecord record;
  record.outcome.outputs.resize(2);
  record.outcome.outputs[0].resize(1);
  record.outcome.outputs[1].resize(1);
  record.outcome.outputs[1][0].error = 5;
  const Features one = features_of(features_shown(record, two_clients(), {}));
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(kind_of(one[0]), FeatureKind::kError);
  record.outcome.outputs[1][0].error = 6;
  EXPECT_NE(features_of(features_shown(record, two_clients(), {})), one);
}

TEST(FeatureTest, RequestsBehindSomeAreThoseThatNothingElseShows) {
  const RequestId a1{0, 0};
  const RequestId a2{0, 1};
  const RequestId b1{1, 0};
  const RequestId c1{2, 0};
  // 1 shows in three places, 2 in one; 3 is not asked for.
  const std::vector<ShownFeature> shown = {
      {1, a1, b1}, {1, a2, b1}, {1, b1, c1}, {2, a2, b1}, {3, a1, c1}};
  EXPECT_THAT(requests_behind({1, 2}, shown), ElementsAre(a2, b1));
  EXPECT_THAT(requests_behind({1}, shown), SizeIs(2));
  EXPECT_THAT(requests_behind({4}, shown), IsEmpty());
}

// ---- as sets

Features random_features(Rng& random) {
  std::set<Feature> set;
  for (uint64_t i = random.below(20); i > 0; --i) {
    set.insert(
        make_feature(static_cast<FeatureKind>(random.below(kFeatureKinds)), random.below(15)));
  }
  return {set.begin(), set.end()};
}

TEST(FeatureTest, UnionAndRestAreThoseOfSets) {
  Rng random(1);
  for (int i = 0; i < 2'000; ++i) {
    const Features a = random_features(random);
    const Features b = random_features(random);
    Features both = a;
    add_features(both, b);
    std::set<Feature> expected(a.begin(), a.end());
    expected.insert(b.begin(), b.end());
    EXPECT_EQ(both, Features(expected.begin(), expected.end()));
    for (const Feature one : b) expected.erase(one);
    EXPECT_EQ(features_beside(a, b), Features(expected.begin(), expected.end()));
    EXPECT_NEAR(weight_of(both), weight_of(b) + weight_of(features_beside(a, b)), 1e-9);
  }
}

// ---- counts

TEST(FeatureCountsTest, GainIsWeightByHowManyShowedIt) {
  const Feature pair = make_feature(FeatureKind::kPair, 1);
  const Feature order = make_feature(FeatureKind::kLockOrder, 1);
  FeatureCounts counts;
  EXPECT_DOUBLE_EQ(counts.gain({pair, order}), weight_of(pair) + weight_of(order));
  counts.add({pair});
  counts.add({pair});
  counts.add({pair});
  EXPECT_DOUBLE_EQ(counts.gain({pair, order}), weight_of(pair) / 4 + weight_of(order));
  EXPECT_THAT(counts.unseen({pair, order}), ElementsAre(order));
  EXPECT_THAT(counts.unseen({}), IsEmpty());
}

TEST(FeatureCountsTest, NoGainGrowsByWhatIsSeen) {
  Rng random(2);
  for (int i = 0; i < 300; ++i) {
    FeatureCounts base;
    for (int k = 0; k < 5; ++k) base.add(random_features(random));
    FeatureCounts over(&base);
    FeatureCounts all;
    base.each([&](Feature one, uint64_t count) { all.add(one, count); });
    const Features wanted = random_features(random);
    double before = over.gain(wanted);
    for (int k = 0; k < 10; ++k) {
      const Features seen = random_features(random);
      over.add(seen);
      all.add(seen);
      const double now = over.gain(wanted);
      EXPECT_LE(now, before + 1e-12);
      EXPECT_NEAR(now, all.gain(wanted), 1e-12) << "a base counts as if it were one's own";
      EXPECT_GE(now, 0);
      before = now;
    }
  }
}

TEST(FeatureCountsTest, EstimatesWhatWasNotSeen) {
  // Of 1,000 things an input shows each with a small probability of its own.
  Rng random(3);
  constexpr uint64_t kThings = 1'000;
  FeatureCounts counts;
  for (int input = 0; input < 60; ++input) {
    Features shown;
    for (uint64_t thing = 0; thing < kThings; ++thing) {
      const double probability = thing % 2 == 0 ? 0.05 : 0.01;
      if (random.unit() < probability) shown.push_back(make_feature(FeatureKind::kPair, thing));
    }
    std::sort(shown.begin(), shown.end());
    counts.add(shown);
  }
  const double seen = static_cast<double>(counts.distinct());
  const double estimate = counts.estimate(FeatureKind::kPair);
  EXPECT_LT(seen, 800);
  EXPECT_GT(estimate, seen + 50);
  EXPECT_LT(estimate, 1'100);
  EXPECT_EQ(counts.estimate(FeatureKind::kError), 0);
}

// ---- energy

Vitality showing(Features features) {
  Vitality vitality;
  vitality.features = std::move(features);
  return vitality;
}

TEST(EnergyTest, RareBeatsCommonFreshBeatsTiredShortBeatsLong) {
  const Feature rare = make_feature(FeatureKind::kPair, 1);
  const Feature common = make_feature(FeatureKind::kPair, 2);
  FeatureCounts counts;
  counts.add({rare});
  for (int i = 0; i < 100; ++i) counts.add({common});
  const double best = energy_of(showing({rare}), counts);
  EXPECT_GT(best, 10 * energy_of(showing({common}), counts));
  Vitality tired = showing({rare});
  tired.fruitless = static_cast<uint64_t>(kHalvedBy);
  EXPECT_NEAR(energy_of(tired, counts), best / 2, 1e-9);
  Vitality lengthy = showing({rare});
  lengthy.points = static_cast<uint64_t>(8 * kUsualPoints);
  EXPECT_NEAR(energy_of(lengthy, counts), best / 4, 1e-9);
  Vitality known = showing({rare});
  known.known = true;
  EXPECT_NEAR(energy_of(known, counts), best * kKnownCauseFactor, 1e-9);
}

TEST(EnergyTest, NobodyStarvesAndSharesAreAsEnergies) {
  const EnergyWheel wheel({6, 3, 0, 0});
  Rng random(4);
  std::map<size_t, int> drawn;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) ++drawn[wheel.draw(random)];
  const double least = 9.0 / 4 * kLeastShare;
  EXPECT_NEAR(drawn[2], kDraws * least / (9 + 2 * least), 400);
  EXPECT_NEAR(static_cast<double>(drawn[0]) / drawn[1], 2, 0.1);
}

TEST(EnergyTest, WithoutAnyEnergyAllAreAlike) {
  const EnergyWheel wheel({0, 0, 0});
  Rng random(5);
  std::set<size_t> drawn;
  for (int i = 0; i < 200; ++i) drawn.insert(wheel.draw(random));
  EXPECT_THAT(drawn, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace esox
