// SPDX-License-Identifier: Apache-2.0
// A reproducer in words, and what of it gdb can do.
#include "harness/findings/export/hold_story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json at_function(const std::string& client, const std::string& function, const char* at,
                 unsigned hit) {
  return {{"client", client},
          {"request", 0},
          {"until", "place"},
          {"place", {{"function", function}, {"at", at}}},
          {"hit", hit}};
}

json until(const std::string& client, size_t request, const char* what) {
  return {{"client", client}, {"request", request}, {"until", what}};
}

json plan_of(const std::vector<json>& segments) {
  return {{"segments", segments}};
}

TEST(HoldStory, SaysWhoIsHeldWhereAndWhoGoesOn) {
  const json waits = {{"client", "B"},
                      {"request", 0},
                      {"until", "blocked"},
                      {"place", {{"text", "mariadbd+0x1c"}, {"at", "return"}}},
                      {"hit", 11}};
  EXPECT_THAT(
      hold_story(plan_of({at_function("A", "mysql_insert", "return", 1), waits,
                          until("C", 1, "blocked"), until("A", 0, "end")})),
      ElementsAre("A1 is sent, and is held as `mysql_insert` returns, called for the 1st time.",
                  "B1 is sent, and has to wait; once it has waited it is held at `mariadbd+0x1c`, "
                  "there for the 11th time.",
                  "C2 is sent, and has to wait.", "A1 goes on, and is answered."));
}

TEST(GdbHold, HoldsOneRequestAtTheHitAndTellsWhatToSendMeanwhile) {
  const GdbHold hold =
      gdb_hold(plan_of({until("A", 0, "end"), at_function("B", "mysql_rename_table", "entry", 2),
                        until("A", 1, "end"), until("B", 0, "end")}));
  EXPECT_THAT(hold.command, AllOf(HasSubstr("-ex 'tbreak mysql_rename_table' -ex 'ignore 1 1' -ex "
                                            "continue -ex bt -ex 'call (unsigned)sleep(20)'"),
                                  Not(HasSubstr("finish"))));
  EXPECT_THAT(hold.before, ElementsAre("A1"));
  EXPECT_EQ(hold.request, "B1");
  EXPECT_THAT(hold.during, ElementsAre("A2"));
}

TEST(GdbHold, AtAReturnTheFunctionIsFinishedFirst) {
  const GdbHold hold =
      gdb_hold(plan_of({at_function("A", "my_dir", "return", 1), until("B", 0, "end")}));
  EXPECT_THAT(hold.command, AllOf(HasSubstr("-ex 'tbreak my_dir' -ex continue -ex finish -ex bt"),
                                  Not(HasSubstr("ignore"))));
}

TEST(GdbHold, IsNotForTwoHoldsNorForAPlaceWithoutAName) {
  json nameless = at_function("A", "f", "entry", 1);
  nameless["place"] = {{"text", "mariadbd+0x1c"}, {"at", "call"}};
  for (const json& plan :
       {plan_of({at_function("A", "f", "entry", 1), at_function("B", "g", "entry", 1)}),
        plan_of({nameless}), plan_of({until("A", 0, "end")}),
        plan_of({until("A", 0, "blocked"), at_function("B", "g", "entry", 1)})}) {
    EXPECT_THAT(gdb_hold(plan).command, IsEmpty()) << plan;
  }
}

}  // namespace
}  // namespace esox
