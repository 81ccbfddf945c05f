// SPDX-License-Identifier: Apache-2.0
// Random operations against a plain model. ESOX_MODEL_OPERATIONS sets how many (make soak: 10^7).
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "tests/unit/annotation/region_fixture.h"

namespace esox {
namespace {

constexpr uint64_t kUniverse = 500;
constexpr uint64_t kCheckEvery = 20'000;

uint64_t operations() {
  const char* wanted = std::getenv("ESOX_MODEL_OPERATIONS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 300'000;
}

// The sum of the elements' digests, made anew from the model.
struct Lanes {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Lanes&) const = default;
};

Lanes lanes_of(const std::multiset<uint64_t>& model) {
  Lanes lanes;
  for (const uint64_t value : model) {
    const esox_element element = number(value);
    const ElementDigest digest = element_digest(nullptr, 0, element.bytes, element.used);
    lanes.low += digest.low;
    lanes.high += digest.high;
  }
  return lanes;
}

struct Case {
  const char* name;
  esox_kind kind;
  esox_inclusion inclusion;
};

class Model : public RegionTest, public testing::WithParamInterface<Case> {
 protected:
  Lanes recorded(esox_component component) {
    const AnnotatedComponent& state = memory_.region().components[component - 1];
    return {low_lane(state.lanes), high_lane(state.lanes)};
  }
};

TEST_P(Model, DigestAgreesWithTheModelOverRandomOperations) {
  const auto [name, kind, inclusion] = GetParam();
  const esox_component component = esox_component_open(name, kind, inclusion);
  ASSERT_NE(component, 0u);
  std::mt19937_64 random(7);
  std::multiset<uint64_t> model;
  uint64_t removals = 0;
  const uint64_t total = operations();
  for (uint64_t i = 1; i <= total; ++i) {
    const uint64_t value = random() % kUniverse;
    const esox_element element = number(value);
    const auto held = model.find(value);
    const uint64_t action = random() % 1000;
    if (action == 0 && random() % 50 == 0) {
      esox_clear(component);
      model.clear();
    } else if (held != model.end() && action < 500) {
      esox_remove(component, &element);
      model.erase(held);
      ++removals;
    } else if (kind != ESOX_SET || held == model.end() || inclusion != ESOX_TRUSTED) {
      esox_add(component, &element);
      if (kind != ESOX_SET || held == model.end()) model.insert(value);
    }
    if (i % kCheckEvery == 0) {
      ASSERT_EQ(recorded(component), lanes_of(model)) << "after " << i << " operations";
    }
  }
  EXPECT_GT(removals, total / 8);
  EXPECT_EQ(recorded(component), lanes_of(model));
  EXPECT_EQ(memory_.region().components[component - 1].absent.load(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Model,
                         testing::Values(Case{"set_listed", ESOX_SET, ESOX_LISTED},
                                         Case{"set_bloom", ESOX_SET, ESOX_BLOOM},
                                         Case{"set_trusted", ESOX_SET, ESOX_TRUSTED},
                                         Case{"multiset_listed", ESOX_MULTISET, ESOX_LISTED},
                                         Case{"multiset_bloom", ESOX_MULTISET, ESOX_BLOOM},
                                         Case{"multiset_trusted", ESOX_MULTISET, ESOX_TRUSTED}),
                         [](const auto& test) { return test.param.name; });

// 0.5 % at 4,000 (esox_summary.h); 20,000 tries are 100 errors, and 10 more or less as a rule.
TEST_F(RegionTest, ABloomFilterErrsAsOftenAsStated) {
  constexpr uint64_t kHeld = 4'000;
  constexpr uint64_t kTries = 20'000;
  const esox_component set = esox_component_open("set", ESOX_SET, ESOX_BLOOM);
  const auto is_added = [&](uint64_t value) {
    const AnnotatedComponent& state = memory_.region().components[0];
    const unsigned __int128 before = state.lanes;
    const esox_element element = number(value);
    esox_add(set, &element);
    if (state.lanes == before) return false;
    if (value >= kHeld) esox_remove(set, &element);
    return true;
  };
  for (uint64_t i = 0; i < kHeld; ++i) is_added(i);
  uint64_t errors = 0;
  for (uint64_t i = 0; i < kTries; ++i) errors += is_added(kHeld + i) ? 0 : 1;
  EXPECT_GT(errors, 50u);
  EXPECT_LT(errors, 150u);
}

TEST_F(RegionTest, ElementsOfAMapAgreeWithTheModelOverRandomOperations) {
  const esox_component map = esox_component_open("map", ESOX_MAP, ESOX_LISTED);
  std::mt19937_64 random(11);
  std::map<uint64_t, uint64_t> model;
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t key = random() % 200;
    const esox_element encoded = number(key);
    const esox_element fresh = number(random() % 100);
    const auto held = model.find(key);
    uint64_t value;
    memcpy(&value, fresh.bytes + 1, sizeof value);
    if (held == model.end()) {
      esox_map_add(map, &encoded, &fresh);
      model[key] = value;
      continue;
    }
    const esox_element before = number(held->second);
    if (random() % 2 == 0) {
      esox_map_remove(map, &encoded, &before);
      model.erase(held);
    } else {
      esox_map_replace(map, &encoded, &before, &fresh);
      held->second = value;
    }
  }
  const Component taken = component("map");
  ASSERT_EQ(taken.unavailable, "");
  std::vector<Element> expected;
  for (const auto& [key, value] : model) {
    expected.push_back({std::to_string(key), std::to_string(value)});
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(taken.elements, expected);
  EXPECT_EQ(taken.count, model.size());
}

TEST_F(RegionTest, ElementsOfASequenceAgreeWithTheModelOverRandomOperations) {
  const esox_component sequence = esox_component_open("order", ESOX_SEQUENCE, ESOX_TRUSTED);
  std::mt19937_64 random(13);
  std::vector<uint64_t> model;
  for (int i = 0; i < 50'000; ++i) {
    const uint64_t value = random() % 100;
    const esox_element element = number(value);
    const auto held = std::find(model.begin(), model.end(), value);
    if (held != model.end()) {
      esox_remove(sequence, &element);
      model.erase(held);
    } else if (random() % 2 == 0) {
      esox_add(sequence, &element);
      model.push_back(value);
    } else {
      esox_prepend(sequence, &element);
      model.insert(model.begin(), value);
    }
  }
  const Component taken = component("order");
  ASSERT_EQ(taken.unavailable, "");
  ASSERT_EQ(taken.elements.size(), model.size());
  for (size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(taken.elements[i].value, std::to_string(model[i]));
  }
}

}  // namespace
}  // namespace esox
