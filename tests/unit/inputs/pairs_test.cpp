// SPDX-License-Identifier: Apache-2.0
// Pair generation: which pairs, under which ids, with which setup.
#include "inputs/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Shape shape(const std::string& name, bool writes, std::vector<std::string> setup = {}) {
  return {name, {{"DO '" + name + "'", false}}, writes, std::move(setup), "f.yaml:1"};
}

Generator generator(std::vector<Shape> shapes) {
  Generator made;
  made.id = "pairs";
  made.setup = {"CREATE TABLE t1 (a INT)"};
  made.shapes = std::move(shapes);
  return made;
}

std::vector<std::string> ids(const Generator& made) {
  std::vector<std::string> all;
  for (const Input& input : expand(made)) all.push_back(input.id);
  return all;
}

TEST(Pairs, AllUnorderedPairsWithAWriter) {
  EXPECT_THAT(
      ids(generator({shape("r", false), shape("w", true), shape("s", false), shape("v", true)})),
      ElementsAre("pairs/r--v", "pairs/r--w", "pairs/s--v", "pairs/s--w", "pairs/v--v",
                  "pairs/v--w", "pairs/w--w"));
}

TEST(Pairs, IdsDoNotDependOnTheOrderOfShapes) {
  std::vector<Shape> shapes = {shape("b", true), shape("a", false), shape("c", true)};
  const auto before = ids(generator(shapes));
  do {
    EXPECT_EQ(ids(generator(shapes)), before);
  } while (std::next_permutation(shapes.begin(), shapes.end(),
                                 [](const Shape& x, const Shape& y) { return x.name < y.name; }));
}

TEST(Pairs, TheCountIsExact) {
  for (size_t readers = 0; readers < 5; ++readers) {
    for (size_t writers = 0; writers < 5; ++writers) {
      std::vector<Shape> shapes;
      for (size_t i = 0; i < readers; ++i) shapes.push_back(shape("r" + std::to_string(i), false));
      for (size_t i = 0; i < writers; ++i) shapes.push_back(shape("w" + std::to_string(i), true));
      const Generator made = generator(shapes);
      EXPECT_EQ(expand(made).size(), readers * writers + writers * (writers + 1) / 2);
      EXPECT_EQ(input_count(made), expand(made).size());
    }
  }
}

TEST(Pairs, EachClientSendsOneRequest) {
  Generator made = generator({shape("a", true), shape("b", false)});
  made.shapes[1].requests[0].ordered = true;
  made.observations = {"SHOW TABLES"};
  const Input input = expand(made).back();
  ASSERT_EQ(input.id, "pairs/a--b");
  ASSERT_EQ(input.clients.size(), 2u);
  EXPECT_EQ(input.clients[0].name, "A");
  EXPECT_THAT(input.clients[0].requests, ElementsAre(Request{"DO 'a'", false}));
  EXPECT_THAT(input.clients[1].requests, ElementsAre(Request{"DO 'b'", true}));
  EXPECT_THAT(input.clients[0].setup, IsEmpty());
  EXPECT_THAT(input.observations, ElementsAre("SHOW TABLES"));
  EXPECT_EQ(input.origin, "f.yaml:1");
}

TEST(Pairs, ShapesBringTheirOwnSetupOnce) {
  const Generator made =
      generator({shape("a", true, {"DO 1", "DO 2"}), shape("b", true, {"DO 2", "DO 3"})});
  const auto inputs = expand(made);
  EXPECT_THAT(inputs[0].setup, ElementsAre("CREATE TABLE t1 (a INT)", "DO 1", "DO 2"));
  EXPECT_THAT(inputs[1].setup, ElementsAre("CREATE TABLE t1 (a INT)", "DO 1", "DO 2", "DO 3"));
}

TEST(Triples, AreAllUnorderedOnesWithAWriter) {
  Generator made = generator({shape("r", false), shape("w", true), shape("s", false)});
  made.clients = 3;
  EXPECT_THAT(ids(made), ElementsAre("pairs/r--r--w", "pairs/r--s--w", "pairs/r--w--w",
                                     "pairs/s--s--w", "pairs/s--w--w", "pairs/w--w--w"));
  EXPECT_EQ(input_count(made), 6u);
  const Input input = expand(made)[1];
  ASSERT_EQ(input.clients.size(), 3u);
  EXPECT_EQ(input.clients[2].name, "C");
  EXPECT_EQ(input.title, "r || s || w");
  EXPECT_EQ(longest_id_bytes(made), input.id.size());
}

TEST(Pairs, OfTransactionsHaveNumbersThatAreUniqueAtEachLevel) {
  Generator made = generator({shape("a", true)});
  made.shapes[0].requests = {
      {"BEGIN", false}, {"DO ${unique}, ${unique}", false}, {"DO '${unique}'", false}};
  made.isolation_levels = {"serializable", "read-committed"};
  EXPECT_THAT(ids(made), ElementsAre("pairs-serializable/a--a", "pairs-read-committed/a--a"));
  EXPECT_EQ(input_count(made), 2u);
  const Input input = expand(made)[1];
  EXPECT_EQ(input.isolation_level, "read-committed");
  EXPECT_THAT(
      input.clients[0].requests,
      ElementsAre(Request{"BEGIN", false}, Request{"DO 1, 2", false}, Request{"DO '3'", false}));
  EXPECT_THAT(
      input.clients[1].requests,
      ElementsAre(Request{"BEGIN", false}, Request{"DO 4, 5", false}, Request{"DO '6'", false}));
}

}  // namespace
}  // namespace esox
