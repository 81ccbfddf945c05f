// SPDX-License-Identifier: Apache-2.0
// elements.txt leaves nothing out that is known, and says where something is.
#include "analysis/report/elements_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/nondeterminism.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::ok;
using test::outcome;
using test::record;
using test::serial;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Verdict verdict(const Component& seen, const Component& expected) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1), ok()}, {expected}))};
  return judge(record(outcome({ok(1), ok()}, {seen})), runs, find_nondeterminism(runs));
}

std::vector<std::string> numbers(size_t from, size_t to) {
  std::vector<std::string> values;
  for (size_t i = from; i < to; ++i) values.push_back(fmt::format("('{:04}')", i));
  return values;
}

TEST(ElementsText, NamesEveryElementOfLongLists) {
  const std::string text = elements_text(
      verdict(bag("rows:test.t1", numbers(500, 800)), bag("rows:test.t1", numbers(0, 500))), {});
  EXPECT_THAT(text, HasSubstr("Compared with the order A1 B1:\n"
                              "  rows:test.t1: 500 missing, 300 extra\n"));
  for (size_t i = 0; i < 800; ++i) {
    const char* mark = i < 500 ? "-" : "+";
    EXPECT_THAT(text, HasSubstr(fmt::format("    {} ('{:04}')\n", mark, i)));
  }
}

TEST(ElementsText, SaysWhereNotAllElementsAreListed) {
  ComponentBuilder many("rows:test.t1", ComponentKind::kMultiset);
  for (const std::string& value : numbers(0, kListedElements + 1)) many.add(value);
  const std::string text =
      elements_text(verdict(std::move(many).build(), bag("rows:test.t1", {"('0')"})), {});
  EXPECT_THAT(text, HasSubstr("of 1001 elements 1000 are listed"));
}

TEST(ElementsText, OfALimitedSizeSaysThatItEnds) {
  const Verdict long_one = verdict(bag("rows:test.t1", {}), bag("rows:test.t1", numbers(0, 500)));
  const std::string text = elements_text(long_one, {}, 400);
  EXPECT_LT(text.size(), 800U);
  EXPECT_THAT(text, HasSubstr("... and more"));
  EXPECT_THAT(elements_text(long_one, {}), Not(HasSubstr("... and more")));
}

TEST(ElementsText, IsEmptyIfTheStateIsTheSame) {
  EXPECT_THAT(elements_text(verdict(bag("t", {"a", "b"}), bag("t", {"b", "a"})), {}), IsEmpty());
}

}  // namespace
}  // namespace esox
