// SPDX-License-Identifier: Apache-2.0
// Inputs with parts taken away: what is left, and what it is called.
#include "harness/findings/minimise/parts.h"

#include <gmock/gmock.h>

#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ConcreteInput three_clients() {
  ConcreteInput input;
  input.input.language = &mariadb_language();
  input.input.id = "some/input";
  input.input.setup = {"CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1),(2),(3)"};
  input.input.clients = {{"A", {"SET NAMES utf8"}, {{"SELECT 1"}, {"SELECT 2"}}},
                         {"B", {}, {{"INSERT INTO t VALUES (1),(2)"}}},
                         {"C", {}, {{"SELECT 3"}, {"SELECT 4"}}}};
  input.input.observations = {"SELECT a FROM t"};
  return input;
}

TEST(Parts, OfAnInputAreAllItsStatements) {
  const Input input = three_clients().input;
  EXPECT_THAT(clients_of(input), SizeIs(3));
  EXPECT_THAT(requests_of(input), SizeIs(5));
  EXPECT_THAT(preparations_of(input), SizeIs(4));
  EXPECT_THAT(statements_with_rows(input),
              ElementsAre(Part{PartKind::kSetup, 0, 1}, Part{PartKind::kRequest, 1, 0}));
}

TEST(Parts, TakenAwayLeaveTheRestInItsOrder) {
  const SmallerInput all = whole(three_clients());
  const SmallerInput smaller = without(all, {{PartKind::kRequest, 0, 0},
                                             {PartKind::kSetup, 0, 0},
                                             {PartKind::kSessionSetup, 0, 0},
                                             {PartKind::kObservation, 0, 0}});
  const Input& left = smaller.input.input;
  EXPECT_THAT(left.setup, ElementsAre("INSERT INTO t VALUES (1),(2),(3)"));
  EXPECT_THAT(left.observations, IsEmpty());
  EXPECT_THAT(left.clients[0].setup, IsEmpty());
  EXPECT_EQ(left.clients[0].requests.front().text, "SELECT 2");
  EXPECT_EQ(left.clients[2].requests.size(), 2u);
}

TEST(Parts, RequestsKeepTheirOriginThroughSeveralSteps) {
  const SmallerInput all = whole(three_clients());
  const SmallerInput once = without(all, {{PartKind::kRequest, 0, 0}, {PartKind::kRequest, 1, 0}});
  ASSERT_THAT(once.input.input.clients, SizeIs(2)) << "a client without requests goes too";
  EXPECT_EQ(once.input.input.clients[1].name, "C");
  const SmallerInput twice = without(once, {{PartKind::kRequest, 1, 0}});
  EXPECT_EQ(names_in_whole(twice, all.input.input), (RequestNames{{"A1", "A2"}, {"C1", "C2"}}));
  EXPECT_EQ(twice.origin[1].front(), (RequestId{2, 1}));
}

TEST(Parts, RowsAreTakenWhereTheyStand) {
  const SmallerInput all = whole(three_clients());
  EXPECT_EQ(with_rows(all, {PartKind::kSetup, 0, 1}, {2}).input.input.setup[1],
            "INSERT INTO t VALUES (3)");
  EXPECT_EQ(with_rows(all, {PartKind::kRequest, 1, 0}, {0}).input.input.clients[1].requests[0].text,
            "INSERT INTO t VALUES (1)");
}

TEST(Parts, MasksFollowTheirRequests) {
  const SmallerInput all = whole(three_clients());
  Masks masks;
  masks.outputs[{0, 1, OutputPart::kRows}] = 1;
  masks.outputs[{1, 0, OutputPart::kInfo}] = 2;
  masks.state[{"rows", std::nullopt}] = 3;
  const SmallerInput smaller =
      without(all, {{PartKind::kRequest, 0, 0}, {PartKind::kClient, 1, 0}});
  Masks expected;
  expected.outputs[{0, 0, OutputPart::kRows}] = 1;
  expected.state[{"rows", std::nullopt}] = 3;
  EXPECT_EQ(masks_left(masks, smaller), expected);
}

TEST(Parts, AreCountedForPeople) {
  const InputSize size = size_of(three_clients().input);
  EXPECT_EQ(size.clients, 3u);
  EXPECT_EQ(size.requests, 5u);
  EXPECT_EQ(size.setup, 3u);
  EXPECT_EQ(size.observations, 1u);
  EXPECT_EQ(size.rows, 5u);
}

}  // namespace
}  // namespace esox
