// SPDX-License-Identifier: Apache-2.0
// Each kind of container, sound and broken; fields; limits; and memory that is hostile.
#include <random>

#include "tests/unit/frozen/fixtures.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kKeys = ", fields: [it->key]";
const std::string kList = "kind: sequence, container: {kind: list, root: head, next: next}" + kKeys;

class ContainerTest : public FrozenTest {
 protected:
  // head -> 1 -> 2 -> 3, tail, with keys 10, 20, 30.
  void put_list() {
    memory_.put(kBase, node(1));
    memory_.put(kBase + 8, node(3));
    for (uint64_t i = 1; i <= 3; ++i) {
      put_node(i, static_cast<uint32_t>(10 * i));
      memory_.put(node(i), i < 3 ? node(i + 1) : 0);
      memory_.put(node(i) + 8, i > 1 ? node(i - 1) : 0);
    }
  }
};

TEST_F(ContainerTest, AListIsReadInItsOrder) {
  EXPECT_THAT(values(read(kList)), IsEmpty());
  put_list();
  EXPECT_THAT(values(read(kList)), ElementsAre("10", "20", "30"));
}

TEST_F(ContainerTest, MeansWhatItsDescriptionSays) {
  EXPECT_EQ(read(kList).meaning, ComponentMeaning::kContent);
  EXPECT_EQ(read("meaning: damage, " + kList).meaning, ComponentMeaning::kDamage);
}

TEST_F(ContainerTest, ABrokenListSaysWhereByNumbers) {
  put_list();
  memory_.put(node(3), node(2));
  EXPECT_THAT(values(read(kList)),
              ElementsAre("10", "20", "30", "(element 3 leads to element 2 again)"));
  memory_.put(node(3), uint64_t{0xdead});
  EXPECT_THAT(values(read(kList)),
              ElementsAre("10", "20", "30", "(element 3 leads to memory that is not there)"));
  memory_.put(kBase, uint64_t{1});
  EXPECT_THAT(values(read(kList)), ElementsAre("(the root leads to memory that is not there)"));
}

TEST_F(ContainerTest, BackLinksAndTheTailMustLeadBack) {
  const std::string text =
      "kind: sequence, container: {kind: list, root: head, next: next, previous: prev, tail: "
      "tail}" +
      kKeys;
  put_list();
  EXPECT_THAT(values(read(text)), ElementsAre("10", "20", "30"));
  memory_.put(node(3) + 8, node(1));
  memory_.put(kBase + 8, node(2));
  EXPECT_THAT(values(read(text)),
              ElementsAre("10", "20", "30", "(the link back from element 3 leads elsewhere)",
                          "(the tail is not element 3)"));
}

TEST_F(ContainerTest, AnIntrusiveRingGivesItsElements) {
  const std::string text =
      "kind: sequence, container: {kind: ring, root: ring, next: forth, previous: back, type: "
      "struct node, link: links}" +
      kKeys;
  const uint64_t ring = kBase + 32;
  memory_.put(ring, ring);
  memory_.put(ring + 8, ring);
  EXPECT_THAT(values(read(text)), IsEmpty());
  memory_.put(ring, node(1) + 64);
  memory_.put(ring + 8, node(2) + 64);
  memory_.put(node(1) + 64, node(2) + 64);
  memory_.put(node(1) + 72, ring);
  memory_.put(node(2) + 64, ring);
  memory_.put(node(2) + 72, node(1) + 64);
  put_node(1, 5);
  put_node(2, 6);
  EXPECT_THAT(values(read(text)), ElementsAre("5", "6"));
  memory_.put(ring + 8, node(1) + 64);
  EXPECT_THAT(values(read(text)),
              ElementsAre("5", "6", "(the root's link back does not lead to element 2)"));
}

TEST_F(ContainerTest, AHashTableIsTheSameInAnyOrder) {
  const std::string text =
      "kind: map, container: {kind: hash, root: buckets, next: next}, key: [it->key], fields: "
      "[index]";
  memory_.put(kBase + 64 + 8 * 2, node(1));
  memory_.put(node(1), node(2));
  memory_.put(kBase + 64 + 8 * 7, node(3));
  for (uint64_t i = 1; i <= 3; ++i) put_node(i, static_cast<uint32_t>(i));
  const Component one = read(text);
  EXPECT_THAT(values(one), ElementsAre("1=2", "2=2", "3=7"));
  memory_.put(kBase + 64 + 8 * 2, node(2));
  memory_.put(node(2), node(1));
  memory_.put(node(1), uint64_t{0});
  EXPECT_TRUE(same(one, read(text)));
  put_node(1, 2);
  EXPECT_THAT(values(read(text)), ElementsAre("2=2", "2 (number 2)=2", "3=7"));
}

TEST_F(ContainerTest, ATreeIsReadInOrderHoweverItIsShaped) {
  const std::string text =
      "kind: sequence, container: {kind: tree, root: root, left: left, right: right}" + kKeys;
  for (uint64_t i = 1; i <= 3; ++i) put_node(i, static_cast<uint32_t>(i));
  memory_.put(kBase + 16, node(2));
  memory_.put(node(2) + 16, node(1));
  memory_.put(node(2) + 24, node(3));
  const Component balanced = read(text);
  EXPECT_THAT(values(balanced), ElementsAre("1", "2", "3"));
  memory_.put(kBase + 16, node(1));
  memory_.put(node(1) + 24, node(2));
  memory_.put(node(2) + 16, uint64_t{0});
  EXPECT_TRUE(same(balanced, read(text)));
  memory_.put(node(3) + 24, node(1));
  EXPECT_THAT(values(read(text)),
              ElementsAre("1", "2", "3", "(a branch leads to element 1 again)"));
}

TEST_F(ContainerTest, ArraysGiveTheirElementsAndPositions) {
  for (int i = 0; i < 4; ++i) memory_.put<int32_t>(kBase + 128 + 4 * static_cast<uint64_t>(i), i);
  EXPECT_THAT(values(read("kind: map, container: {kind: array, root: numbers}, where: it % 2, key: "
                          "[index], fields: [it * 10]")),
              ElementsAre("1=10", "3=30"));
  EXPECT_THAT(read("kind: set, container: {kind: array, root: many}, fields: [it]").unavailable,
              HasSubstr("say 'count'"));
  EXPECT_THAT(
      values(read("kind: set, container: {kind: array, root: many, count: 2}, fields: [it]")),
      ElementsAre("0"));
}

TEST_F(ContainerTest, FieldsOfAllKinds) {
  memory_.put(kBase, node(1));
  memory_.put<uint32_t>(node(1) + 36, 1);
  memory_.put_text(node(1) + 48, "it's");
  memory_.put(node(1) + 56, node(5));
  memory_.put_text(node(5), std::string(100, 'x'));
  memory_.put(kBase + 160, 2.5);
  const std::string text =
      "kind: set, container: {kind: value, root: head}, let: {c: it->color}, fields: [{enum: c}, "
      "{string: it->name}, {bytes: it->name, length: 2}, {string: it->text}, {string: it->text, "
      "length: 3}, {real: ratio}, {integer: c, names: {1: one}}, c, {string: it->next->text}]";
  EXPECT_THAT(
      values(read(text)),
      ElementsAre("green, 'it\\'s', 'it', '" + std::string(32, 'x') + "'... (100 bytes, " +
                  hex(digest_of(std::string(100, 'x'))) + "), 'xxx', 2.5, 'one', 1, (unreadable)"));
  memory_.put<uint32_t>(node(1) + 36, 7);
  EXPECT_THAT(values(read("kind: set, container: {kind: value, root: head}, fields: [{enum: "
                          "it->color}]")),
              ElementsAre("(7)"));
}

TEST_F(ContainerTest, WhatFailsIsUnavailableAndNeverEqual) {
  put_list();
  const Component limited = read(kList + ", limit: 2");
  EXPECT_THAT(limited.unavailable, HasSubstr("test.yaml:1: it has more than 2 elements"));
  EXPECT_FALSE(same(limited, limited));
  const Component large = read(
      "kind: set, container: {kind: value, root: head}, fields: [{bytes: it, length: 1 << 40}]");
  EXPECT_THAT(large.unavailable, HasSubstr("more than 1048576 (line 1)"));
  EXPECT_THAT(read("kind: set, container: {kind: list, root: head, next: nxt}" + kKeys).unavailable,
              HasSubstr("struct node has no member 'nxt'"));
  EXPECT_THAT(read("kind: set, container: {kind: list, root: 'numbers[0]', next: next}" + kKeys)
                  .unavailable,
              HasSubstr("say the elements' 'type'"));
}

TEST_F(ContainerTest, ARepeatMakesAComponentForEachNumber) {
  memory_.put(kBase + 64, node(1));
  memory_.put(kBase + 64 + 8 * 3, node(2));
  const auto descriptions = parse_structures(
      "components: [{name: 'b:{i}', kind: set, repeat: {name: i, count: 8, where: 'buckets[i]'}, "
      "container: {kind: list, root: 'buckets[i]', next: next}, fields: [it->key]}]",
      "test.yaml");
  const auto all = read_structures(descriptions, program_, memory_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "frozen:b:0");
  EXPECT_EQ(all[1].name, "frozen:b:3");
}

TEST_F(ContainerTest, CheckingNeedsNoMemoryAndSeesEveryExpression) {
  const auto check = [&](const std::string& text) {
    const auto descriptions =
        parse_structures("components: [{name: c, " + text + "}]", "test.yaml");
    return check_structures(descriptions, program_).at(0).unavailable;
  };
  EXPECT_EQ(check(kList), "");
  EXPECT_EQ(check("kind: set, container: {kind: tree, root: root, left: left, right: right}, "
                  "where: it->key, fields: [{string: it->text, length: it->key - 1}]"),
            "");
  EXPECT_THAT(check("kind: set, container: {kind: hash, root: buckets, next: next}, where: "
                    "it->keys, fields: [1]"),
              HasSubstr("no member 'keys'"));
  EXPECT_THAT(
      check("kind: set, container: {kind: array, root: numbers}, fields: ['0 ? it->x : 1']"),
      HasSubstr("is no pointer"));
}

// Every word of the memory is a pointer into it, slightly beside, or anything.
TEST_F(ContainerTest, HostileMemoryGivesAnAnswerAndAlwaysTheSame) {
  const auto descriptions = parse_structures(R"(
components:
  - {name: list, kind: sequence, limit: 500, container: {kind: list, root: head, next: next, previous: prev, tail: tail}, fields: [it->key, {string: it->text}]}
  - {name: ring, kind: multiset, limit: 500, container: {kind: ring, root: ring, next: forth, previous: back, type: struct node, link: links}, fields: [{enum: it->color}]}
  - {name: hash, kind: map, limit: 500, container: {kind: hash, root: buckets, next: next}, key: [{string: it->name, length: it->low}], fields: [{bytes: it->text, length: it->key}]}
  - {name: tree, kind: set, limit: 500, container: {kind: tree, root: root, left: left, right: right}, where: it->next->key / it->key, fields: [it->high, it->prev->prev->key]}
  - {name: far, kind: set, limit: 500, container: {kind: array, root: head, count: head->key}, fields: [it.key, it.next->low]}
)",
                                             "hostile.yaml");
  uint64_t taken = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    std::mt19937_64 random(seed);
    for (uint64_t at = 0; at + 8 <= kMemoryBytes; at += 8) {
      const uint64_t any = random();
      const uint64_t sort = any % 8;
      uint64_t word = kBase + any / 8 % kMemoryBytes;
      if (sort < 5) word = node(any / 8 % 40);
      if (sort == 5) word = any;
      if (sort == 6) word = any / 8 % 64;
      memory_.put(kBase + at, word);
    }
    const auto once = read_structures(descriptions, program_, memory_);
    const auto again = read_structures(descriptions, program_, memory_);
    ASSERT_EQ(once.size(), 5u);
    for (size_t i = 0; i < once.size(); ++i) {
      EXPECT_EQ(once[i].unavailable, again[i].unavailable);
      EXPECT_EQ(once[i].unavailable.empty(), same(once[i], again[i]));
      taken += once[i].unavailable.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 5000u);
}

}  // namespace
}  // namespace esox
