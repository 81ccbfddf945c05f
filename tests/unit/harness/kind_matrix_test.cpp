// SPDX-License-Identifier: Apache-2.0
// Which kinds met: counted once over inputs, kept in files, added over shards.
#include "harness/records/kind_matrix.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

Input input_of(const std::vector<std::vector<std::string>>& clients) {
  Input input;
  for (const std::vector<std::string>& requests : clients) {
    InputClient& client = input.clients.emplace_back();
    for (const std::string& text : requests) client.requests.push_back({text});
  }
  return input;
}

Coverage met(const RequestPair& requests, const std::set<OrderedContact>& sites) {
  Coverage coverage;
  coverage.met[requests] = sites;
  return coverage;
}

const KindCell& cell(const KindMatrix& all, const std::string& first, const std::string& second) {
  for (const KindCell& one : all) {
    if (one.first == first && one.second == second) return one;
  }
  throw std::out_of_range(first + " " + second);
}

TEST(KindMatrix, CountsWhatSeveralInputsShowOnce) {
  KindMatrix all;
  const Input input = input_of({{"set a"}, {"get a"}});
  note_input(all, input, {true, 10, 1}, met({0, 0, 1, 0}, {10, 11, 20}));
  note_input(all, input, {true, 5, 0}, met({0, 0, 1, 0}, {11, 30}));
  ASSERT_EQ(all.size(), 1u);
  const KindCell both = cell(all, "GET", "SET");
  EXPECT_EQ(both.inputs, 2u);
  EXPECT_EQ(both.executions, 15u);
  EXPECT_EQ(both.findings, 1u);
  EXPECT_EQ(both.met.pairs(), 3u);
  EXPECT_EQ(both.met.pairs_both_ways(), 1u);
}

TEST(KindMatrix, PutsAMeetingWhereItsRequestsAre) {
  KindMatrix all;
  note_input(all, input_of({{"set a", "incr a"}, {"get a"}}), {true, 1, 0},
             met({0, 1, 1, 0}, {10}));
  EXPECT_EQ(cell(all, "GET", "INCR").met.pairs(), 1u);
  EXPECT_EQ(cell(all, "GET", "SET").met.pairs(), 0u);
  EXPECT_EQ(cell(all, "GET", "SET").executions, 1u);
}

TEST(KindMatrix, LeavesOutTheServersOwnThreads) {
  KindMatrix all;
  note_input(all, input_of({{"set a"}, {"get a"}}), {true, 1, 0}, met({0, 0, 9, 0}, {10}));
  EXPECT_EQ(meetings_of(all).pairs(), 0u);
}

TEST(KindMatrix, AddsShardsAsUnionsAndSurvivesAFile) {
  KindMatrix one;
  KindMatrix other;
  note_input(one, input_of({{"set a"}, {"get a"}}), {true, 3, 0}, met({0, 0, 1, 0}, {10, 20}));
  note_input(other, input_of({{"set a"}, {"get a"}}), {true, 4, 0}, met({0, 0, 1, 0}, {20, 21}));
  note_input(other, input_of({{"set a"}, {"set a"}}), {true, 1, 0}, met({0, 0, 1, 0}, {40}));
  add_value(one, other);
  ASSERT_EQ(one.size(), 2u);
  const KindCell back = from_json<KindCell>(to_json(one[0], 0));
  EXPECT_EQ(back.first, "GET");
  EXPECT_EQ(back.executions, 7u);
  EXPECT_EQ(back.met.sites, (std::set<OrderedContact>{10, 20, 21}));
  EXPECT_EQ(meetings_of(one).pairs(), 3u);
  EXPECT_EQ(meetings_of(one).pairs_both_ways(), 1u);
}

TEST(KindMatrix, RefusesWhatIsNoListOfMeetings) {
  for (const char* met : {"0000000", "0000000g", "+0000001"}) {
    EXPECT_THROW(
        from_json<KindCell>(std::string(R"({"first":"A","second":"B","met":")") + met + "\"}"),
        RecordError)
        << met;
  }
}

}  // namespace
}  // namespace esox
