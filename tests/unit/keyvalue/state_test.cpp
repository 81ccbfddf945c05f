// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace esox {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

Output dump_of(std::vector<Row> rows) {
  Output dump;
  dump.answered = true;
  dump.results.push_back({{}, std::move(rows)});
  return dump;
}

std::vector<Element> elements(const Output& dump, const std::string& name) {
  const std::vector<Component> all = keyvalue_components(dump);
  const auto found = std::ranges::find(all, name, &Component::name);
  return found == all.end() ? std::vector<Element>{{"", "no such component"}} : found->elements;
}

TEST(KeyvalueState, IsSoundWhereAllAgrees) {
  const Output dump = dump_of({{"journal", "x"},
                               {"record", "k", "5", "2"},
                               {"slot", "0", "k"},
                               {"slot", "1"},
                               {"index", "k", "5"},
                               {"cache", "k", "5"},
                               {"reads", "3"}});
  EXPECT_THAT(elements(dump, "records"), ElementsAre(Element{"k", "5, version 2"}));
  EXPECT_THAT(elements(dump, "journal"), ElementsAre(Element{"", "x"}));
  EXPECT_THAT(elements(dump, "counters"), ElementsAre(Element{"reads", "3"}));
  EXPECT_THAT(elements(dump, "cache"), ElementsAre(Element{"k", "5"}));
  for (const char* check : {"index-check", "cache-check", "slot-check"}) {
    EXPECT_THAT(elements(dump, check), IsEmpty()) << check;
  }
}

TEST(KeyvalueState, TellsWhatDisagrees) {
  const Output dump = dump_of({{"record", "k", "5", "2"},
                               {"slot", "0", "k"},
                               {"slot", "0"},
                               {"index", "k", "4"},
                               {"cache", "k", "4"},
                               {"cache", "l", "7"}});
  EXPECT_THAT(elements(dump, "index-check"),
              ElementsAre(Element{"", "k is filed under 4, but holds 5"},
                          Element{"", "k holds 5, but is not filed under it"}));
  EXPECT_THAT(elements(dump, "cache-check"),
              ElementsAre(Element{"", "k is cached as 4, but holds 5"},
                          Element{"", "l is cached as 7, but is not there"}));
  EXPECT_THAT(elements(dump, "slot-check"), ElementsAre(Element{"", "a slot is in 2 places"}));
}

TEST(KeyvalueState, IsDamagedWhereItsChecksDiffer) {
  std::vector<std::string> damage;
  for (const Component& component : keyvalue_components(dump_of({}))) {
    if (component.meaning == ComponentMeaning::kDamage) damage.push_back(component.name);
  }
  EXPECT_THAT(damage, ElementsAre("index-check", "cache-check", "slot-check"));
}

TEST(KeyvalueState, IsUnavailableWithoutAReply) {
  Output error = dump_of({});
  error.error = 1;
  for (const Output& reply : {Output{}, error}) {
    EXPECT_THAT(keyvalue_components(reply), Each(Field(&Component::unavailable, Not(IsEmpty()))));
  }
}

}  // namespace
}  // namespace esox
