// SPDX-License-Identifier: Apache-2.0
// Digests against a plain model, and the ways a weaker digest would fail.
#include "summaries/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "summaries/component.h"

namespace esox {
namespace {

Digest element(uint64_t number) {
  return digest_of(std::to_string(number));
}

Digest bag_of(const std::vector<uint64_t>& numbers) {
  BagDigest bag;
  for (const uint64_t number : numbers) bag.add(element(number));
  return bag.result();
}

TEST(BagDigest, AgreesWithAMultisetOverRandomAddsAndRemoves) {
  std::mt19937_64 random(1);
  std::multiset<uint64_t> model;
  BagDigest bag;
  std::map<std::multiset<uint64_t>, Digest> seen;
  constexpr int kOperations = 100000;
  for (int i = 0; i < kOperations; ++i) {
    const uint64_t number = random() % 4;
    const auto found = model.find(number);
    const bool removes = found != model.end() && (random() % 2 == 0 || model.size() > 6);
    if (removes) {
      model.erase(found);
      bag.remove(element(number));
    } else {
      model.insert(number);
      bag.add(element(number));
    }
    ASSERT_EQ(bag.count(), model.size());
    const auto [at, is_new] = seen.emplace(model, bag.result());
    ASSERT_EQ(at->second, bag.result()) << "the digest depends on more than the contents";
  }
  std::set<Digest> digests;
  for (const auto& [contents, digest] : seen) digests.insert(digest);
  EXPECT_EQ(digests.size(), seen.size()) << "two contents share a digest";
  EXPECT_GT(seen.size(), 50U);
}

TEST(BagDigest, DoesNotDependOnTheOrder) {
  std::vector<uint64_t> numbers(1000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = i / 3;
  const Digest expected = bag_of(numbers);
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    ASSERT_EQ(bag_of(numbers), expected);
  }
}

TEST(BagDigest, TwoEqualElementsDoNotCancelAsWithXor) {
  EXPECT_NE(bag_of({7, 7}), bag_of({}));
  EXPECT_NE(bag_of({7, 7}), bag_of({8, 8}));
  EXPECT_NE(bag_of({7, 7, 7}), bag_of({7}));
}

TEST(BagDigest, CarriesBetweenItsHalves) {
  const Digest low_ones{0, UINT64_MAX};
  BagDigest bag;
  bag.add(low_ones);
  bag.add(Digest{5, 1});
  BagDigest other;
  other.add(Digest{6, 0});
  other.add(Digest{0, 0});
  EXPECT_EQ(bag.result(), other.result());
  bag.remove(low_ones);
  BagDigest one;
  one.add(Digest{5, 1});
  EXPECT_EQ(bag.result(), one.result());
}

TEST(SequenceDigest, DependsOnTheOrder) {
  SequenceDigest forward;
  SequenceDigest backward;
  SequenceDigest again;
  for (const uint64_t number : {1, 2, 3}) forward.add(element(number));
  for (const uint64_t number : {3, 2, 1}) backward.add(element(number));
  for (const uint64_t number : {1, 2, 3}) again.add(element(number));
  EXPECT_NE(forward.result(), backward.result());
  EXPECT_EQ(forward.result(), again.result());
}

TEST(SequenceDigest, AgreesWithAVectorOverRandomSequences) {
  std::mt19937_64 random(3);
  std::map<std::vector<uint64_t>, Digest> seen;
  std::set<Digest> digests;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint64_t> numbers(random() % 6);
    SequenceDigest sequence;
    for (uint64_t& number : numbers) sequence.add(element(number = random() % 3));
    ASSERT_EQ(seen.emplace(numbers, sequence.result()).first->second, sequence.result());
    digests.insert(sequence.result());
  }
  EXPECT_EQ(digests.size(), seen.size());
}

TEST(FieldEncoder, NoTwoListsOfFieldsGiveTheSameBytes) {
  EXPECT_NE(FieldEncoder().append("ab").append("c").bytes(),
            FieldEncoder().append("a").append("bc").bytes());
  EXPECT_NE(FieldEncoder().append("").bytes(), FieldEncoder().bytes());
  EXPECT_NE(FieldEncoder().append("").append("a").bytes(),
            FieldEncoder().append("a").append("").bytes());
  std::mt19937_64 random(4);
  std::map<std::string, std::vector<std::string>> seen;
  for (int round = 0; round < 100000; ++round) {
    std::vector<std::string> fields(random() % 4);
    FieldEncoder encoder;
    for (std::string& field : fields) {
      field.assign(random() % 4, '\0');
      for (char& c : field) c = static_cast<char>("\0\1ab"[random() % 4]);
      encoder.append(field);
    }
    ASSERT_EQ(seen.emplace(encoder.bytes(), fields).first->second, fields);
  }
}

TEST(Hex, HasThirtyTwoDigitsHighHalfFirst) {
  EXPECT_EQ(hex(Digest{0x0123456789abcdef, 1}), "0123456789abcdef0000000000000001");
}

}  // namespace
}  // namespace esox
