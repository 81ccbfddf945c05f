// SPDX-License-Identifier: Apache-2.0
// What a digest must and must not depend on, and what a component says when it cannot tell.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "tests/unit/annotation/region_fixture.h"

namespace esox {
namespace {

class Annotation : public RegionTest {
 protected:
  Component made(esox_kind kind, esox_inclusion inclusion,
                 const std::function<void(esox_component)>& fill) {
    start_anew();
    fill(esox_component_open("it", kind, inclusion));
    return component("it");
  }
  Component of(esox_kind kind, const std::vector<uint64_t>& values) {
    return made(kind, ESOX_LISTED, [&](esox_component it) {
      for (const uint64_t value : values) {
        const esox_element element = number(value);
        esox_add(it, &element);
      }
    });
  }
};

TEST_F(Annotation, OrderCountsOnlyInASequence) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<uint64_t> values(20);
    std::iota(values.begin(), values.end(), random());
    std::vector<uint64_t> shuffled = values;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    ASSERT_NE(values, shuffled);
    EXPECT_TRUE(same(of(ESOX_SET, values), of(ESOX_SET, shuffled)));
    EXPECT_TRUE(same(of(ESOX_MULTISET, values), of(ESOX_MULTISET, shuffled)));
    EXPECT_FALSE(same(of(ESOX_SEQUENCE, values), of(ESOX_SEQUENCE, shuffled)));
  }
}

TEST_F(Annotation, EachSingleBitOfAnElementCounts) {
  const Component plain = of(ESOX_MULTISET, {5, 0});
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(same(plain, of(ESOX_MULTISET, {5, uint64_t{1} << bit}))) << bit;
  }
}

TEST_F(Annotation, EqualElementsOfAMultisetDoNotCancel) {
  EXPECT_FALSE(same(of(ESOX_MULTISET, {1, 1}), of(ESOX_MULTISET, {})));
  EXPECT_FALSE(same(of(ESOX_MULTISET, {1, 1}), of(ESOX_MULTISET, {2, 2})));
  EXPECT_FALSE(same(of(ESOX_MULTISET, {1, 1}), of(ESOX_MULTISET, {1})));
  EXPECT_EQ(of(ESOX_MULTISET, {1, 1}).count, 2u);
}

TEST_F(Annotation, ASetCountsEqualElementsOnce) {
  EXPECT_TRUE(same(of(ESOX_SET, {1, 1, 2}), of(ESOX_SET, {2, 1})));
  const Component filtered = made(ESOX_SET, ESOX_BLOOM, [](esox_component it) {
    for (const uint64_t value : {1, 1, 2}) {
      const esox_element element = number(value);
      esox_add(it, &element);
    }
  });
  EXPECT_EQ(filtered.elements.size(), 2u);
}

TEST_F(Annotation, FieldsAreKeptApart) {
  const auto pair = [&](const std::string& first, const std::string& second) {
    return made(ESOX_SET, ESOX_LISTED, [&](esox_component it) {
      esox_element element = esox_element_new();
      esox_bytes(&element, first.data(), first.size());
      esox_bytes(&element, second.data(), second.size());
      esox_add(it, &element);
    });
  };
  EXPECT_FALSE(same(pair("ab", "c"), pair("a", "bc")));
  EXPECT_FALSE(same(pair("", "x"), pair("x", "")));
  EXPECT_EQ(pair("a'b", "\n").elements.at(0).value, "'a\\'b', '\\x0a'");
}

TEST_F(Annotation, KeyAndValueOfAMapAreKeptApart) {
  const auto pair = [&](uint64_t key, uint64_t value) {
    return made(ESOX_MAP, ESOX_LISTED, [&](esox_component it) {
      const esox_element k = number(key);
      const esox_element v = number(value);
      esox_map_add(it, &k, &v);
    });
  };
  EXPECT_FALSE(same(pair(1, 2), pair(2, 1)));
  EXPECT_TRUE(same(pair(1, 2), pair(1, 2)));
}

TEST_F(Annotation, ACacheIsAMapOfAnotherKind) {
  const auto holding = [&](uint64_t value) {
    return made(ESOX_CACHE, ESOX_LISTED, [&](esox_component it) {
      const esox_element key = text("k");
      const esox_element held = number(value);
      esox_map_add(it, &key, &held);
    });
  };
  EXPECT_EQ(holding(1).kind, ComponentKind::kCache);
  EXPECT_EQ(holding(1).elements.at(0), (Element{"'k'", "1"}));
  EXPECT_FALSE(same(holding(1), holding(2)));
}

TEST_F(Annotation, AKeyThatAMapHoldsTwiceIsSeen) {
  const Component twice = made(ESOX_MAP, ESOX_LISTED, [](esox_component it) {
    const esox_element key = text("k");
    const esox_element value = number(1);
    esox_map_add(it, &key, &value);
    esox_map_add(it, &key, &value);
  });
  ASSERT_EQ(twice.elements.size(), 2u);
  EXPECT_EQ(twice.elements[1].key, "'k' (number 2)");
}

TEST_F(Annotation, ALongFieldCountsWholeAndShowsItsBeginning) {
  const std::string bytes(5000, 'x');
  std::string other = bytes;
  other.back() = 'y';
  const auto with = [&](const std::string& value) {
    return made(ESOX_SET, ESOX_LISTED, [&](esox_component it) {
      const esox_element element = text(value);
      esox_add(it, &element);
    });
  };
  EXPECT_FALSE(same(with(bytes), with(other)));
  EXPECT_TRUE(with(bytes).elements.at(0).value.starts_with("'xxxxxxxx"));
  EXPECT_NE(with(bytes).elements.at(0).value.find("5000 bytes"), std::string::npos);
}

TEST_F(Annotation, ANestedComponentIsAField) {
  const auto outer = [&](uint64_t inside) {
    start_anew();
    const esox_component inner = esox_component_open("inner", ESOX_SET, ESOX_LISTED);
    const esox_element held = number(inside);
    esox_add(inner, &held);
    esox_element element = esox_element_new();
    esox_nested(&element, inner);
    esox_add(esox_component_open("outer", ESOX_SET, ESOX_LISTED), &element);
    return component("outer");
  };
  EXPECT_FALSE(same(outer(1), outer(2)));
  EXPECT_TRUE(same(outer(1), outer(1)));
}

TEST_F(Annotation, WhatIsRemovedThoughAbsentIsPartOfTheState) {
  for (const esox_inclusion inclusion : {ESOX_TRUSTED, ESOX_LISTED, ESOX_BLOOM}) {
    const auto emptied = [&](int removals) {
      return made(ESOX_MULTISET, inclusion, [&](esox_component it) {
        const esox_element element = number(9);
        esox_add(it, &element);
        for (int i = 0; i < removals; ++i) esox_remove(it, &element);
      });
    };
    EXPECT_FALSE(same(emptied(1), emptied(2))) << inclusion;
    EXPECT_EQ(emptied(2).elements.at(0).value, "removed though it was not there: 9");
  }
}

TEST_F(Annotation, ClearLeavesWhatAnEmptyComponentHas) {
  for (const esox_kind kind : {ESOX_SET, ESOX_MULTISET, ESOX_SEQUENCE}) {
    for (const esox_inclusion inclusion : {ESOX_TRUSTED, ESOX_LISTED, ESOX_BLOOM}) {
      const Component cleared = made(kind, inclusion, [](esox_component it) {
        const esox_element element = number(1);
        esox_add(it, &element);
        esox_clear(it);
        esox_add(it, &element);
        esox_clear(it);
      });
      EXPECT_TRUE(same(cleared, made(kind, inclusion, [](esox_component) {})));
    }
  }
}

TEST_F(Annotation, AFullLogLeavesTheDigestButNoSequence) {
  const auto churned = [&](uint64_t last) {
    start_anew();
    const esox_component set = esox_component_open("set", ESOX_SET, ESOX_LISTED);
    const esox_component order = esox_component_open("order", ESOX_SEQUENCE, ESOX_TRUSTED);
    const esox_element element = number(1);
    esox_add(order, &element);
    for (uint64_t used = 0; used <= kOperationLogBytes; used += 64) {
      esox_add(set, &element);
      esox_remove(set, &element);
    }
    const esox_element end = number(last);
    esox_add(set, &end);
  };
  churned(5);
  const Component first = component("set");
  EXPECT_EQ(component("order").unavailable, "more operations than the log holds");
  churned(6);
  const Component second = component("set");
  churned(5);
  ASSERT_EQ(first.unavailable, "");
  EXPECT_FALSE(same(first, second));
  EXPECT_TRUE(same(first, component("set")));
  EXPECT_TRUE(same(first, of(ESOX_SET, {5})));
}

TEST_F(Annotation, MoreElementsThanCanBeListedMakeTheComponentUnavailable) {
  const Component full = made(ESOX_SET, ESOX_LISTED, [](esox_component it) {
    for (uint64_t i = 0; i <= kListedSlots; ++i) {
      const esox_element element = number(i);
      esox_add(it, &element);
    }
  });
  EXPECT_NE(full.unavailable.find("use ESOX_BLOOM"), std::string::npos) << full.unavailable;
}

TEST_F(Annotation, AnElementThatIsTooLongMakesTheComponentUnavailable) {
  const Component long_one = made(ESOX_SET, ESOX_LISTED, [](esox_component it) {
    esox_element element = esox_element_new();
    for (int i = 0; i < 40; ++i) esox_uint(&element, 1);
    esox_add(it, &element);
  });
  EXPECT_NE(long_one.unavailable.find("longer than 248 bytes"), std::string::npos);
}

TEST_F(Annotation, AComponentThatCannotBeOpenedIsSaid) {
  EXPECT_NE(esox_component_open("a", ESOX_SET, ESOX_LISTED), 0u);
  EXPECT_EQ(esox_component_open("a", ESOX_MAP, ESOX_LISTED), 0u);
  EXPECT_EQ(esox_component_open("", ESOX_MAP, ESOX_LISTED), 0u);
  EXPECT_EQ(esox_component_open(std::string(64, 'n').c_str(), ESOX_MAP, ESOX_LISTED), 0u);
  EXPECT_NE(component("(refused)").unavailable.find("3 components"), std::string::npos);
}

TEST_F(Annotation, ARenamedComponentKeepsWhatItHolds) {
  const esox_component table = esox_component_open("data:old", ESOX_MULTISET, ESOX_LISTED);
  const esox_element row = number(1);
  esox_add(table, &row);
  esox_component_rename(table, "data:new");
  esox_add(table, &row);
  EXPECT_EQ(component("data:old").unavailable, "missing");
  EXPECT_EQ(component("data:new").count, 2u);
  EXPECT_EQ(esox_component_open("data:new", ESOX_MULTISET, ESOX_LISTED), table);
}

TEST_F(Annotation, WhoTakesANameOverClosesItsOwner) {
  const esox_component old = esox_component_open("data:t", ESOX_MULTISET, ESOX_LISTED);
  const esox_component fresh = esox_component_open("data:copy", ESOX_MULTISET, ESOX_LISTED);
  const esox_element one = number(1);
  const esox_element two = number(2);
  esox_add(old, &one);
  esox_add(fresh, &two);
  esox_component_rename(fresh, "data:t");
  EXPECT_EQ(take().components.size(), 1u);
  ASSERT_EQ(component("data:t").count, 1u);
  EXPECT_EQ(component("data:t").elements.at(0).value, "2");
}

TEST_F(Annotation, AClosedComponentIsGoneAndItsPlaceIsUsedAgain) {
  for (uint32_t i = 0; i < 3 * kMaxAnnotatedComponents; ++i) {
    const std::string name = "data:" + std::to_string(i);
    const esox_kind kind = i % 2 == 0 ? ESOX_MULTISET : ESOX_SEQUENCE;
    const esox_component table = esox_component_open(name.c_str(), kind, ESOX_TRUSTED);
    ASSERT_NE(table, 0u) << i;
    const esox_element row = number(i);
    esox_add(table, &row);
    esox_component_close(table);
  }
  EXPECT_TRUE(take().components.empty());
  const esox_component last = esox_component_open("last", ESOX_SEQUENCE, ESOX_TRUSTED);
  const esox_element row = number(7);
  esox_add(last, &row);
  EXPECT_EQ(component("last").unavailable, "");
  EXPECT_EQ(component("last").elements.size(), 1u);
}

TEST_F(Annotation, ThreadsThatNameAtOnceAgree) {
  std::vector<std::thread> threads;
  std::atomic<int> disagreed{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5'000; ++i) {
        const std::string name = "n" + std::to_string(i % 50);
        const auto once = esox_component_open(name.c_str(), ESOX_SET, ESOX_TRUSTED);
        const auto twice = esox_component_open(name.c_str(), ESOX_SET, ESOX_TRUSTED);
        disagreed += once != twice || once == 0 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disagreed.load(), 0);
  EXPECT_EQ(take().components.size(), 50u);
}

TEST_F(Annotation, TheLogsEndInTheMiddleOfAWriteMakesTheListUnavailable) {
  const esox_component set = esox_component_open("set", ESOX_SET, ESOX_LISTED);
  const esox_element element = number(1);
  esox_add(set, &element);
  memory_.region().log_used.fetch_add(32);
  EXPECT_EQ(component("set").unavailable, "a thread is still writing to it");
}

TEST_F(Annotation, ThreadsAtOnceLoseNothing) {
  constexpr int kThreads = 4;
  constexpr uint64_t kEach = 20'000;
  const esox_component bag = esox_component_open("bag", ESOX_MULTISET, ESOX_LISTED);
  const esox_component set = esox_component_open("set", ESOX_SET, ESOX_LISTED);
  const esox_component order = esox_component_open("order", ESOX_SEQUENCE, ESOX_TRUSTED);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([=] {
      for (uint64_t i = 0; i < kEach; ++i) {
        const esox_element element = number(i % 100);
        esox_add(bag, &element);
        esox_add(set, &element);
        esox_add(order, &element);
        if (i % 2 == 1) esox_remove(bag, &element);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Component taken = component("bag");
  EXPECT_EQ(taken.unavailable, "");
  EXPECT_EQ(taken.count, kThreads * kEach / 2);
  EXPECT_EQ(component("set").unavailable, "");
  EXPECT_EQ(component("set").count, 100u);
  EXPECT_EQ(component("order").count, kThreads * kEach);
}

TEST(ElementText, IsSafeOnAnyBytes) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<unsigned char> bytes(random() % 60);
    for (unsigned char& byte : bytes) {
      byte = random() % 3 == 0 ? static_cast<unsigned char>("uibsBSn"[random() % 7])
                               : static_cast<unsigned char>(random() % 40);
    }
    EXPECT_EQ(element_text(bytes.data(), bytes.size()).empty(), bytes.empty());
  }
}

TEST(SummaryHeader, IsSilentWhenNobodyListens) {
  g_listener = nullptr;
  const esox_component component = esox_component_open("x", ESOX_SET, ESOX_LISTED);
  EXPECT_EQ(component, 0u);
  const esox_element element = number(1);
  esox_add(component, &element);
  EXPECT_FALSE(esox_recording(component));
}

}  // namespace
}  // namespace esox
