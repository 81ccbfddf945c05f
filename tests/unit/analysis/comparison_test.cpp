// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "analysis/nondeterminism.h"
#include "analysis/rows.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::error_reply;
using test::kNoMasks;
using test::map;
using test::ok;
using test::outcome;
using test::rows_reply;
using test::sequence;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RequestComparison replies(const Output& concurrent, const Output& serial,
                          const Masks& masks = kNoMasks) {
  return compare_output(concurrent, serial, 0, 0, masks);
}

ComponentComparison components(const Component& concurrent, const Component& serial,
                               const Masks& masks = kNoMasks) {
  return compare_component(serial.name, &concurrent, &serial, masks);
}

OutputPart only_part(const RequestComparison& comparison) {
  EXPECT_EQ(comparison.differences.size(), 1u);
  return comparison.differences.empty() ? OutputPart::kAnswered
                                        : comparison.differences.front().part;
}

TEST(CompareReplies, RowsAreAMultisetUnlessOrdered) {
  const auto forward = rows_reply({{"1"}, {"2"}, {"2"}});
  const auto backward = rows_reply({{"2"}, {"2"}, {"1"}});
  EXPECT_TRUE(replies(forward, backward).equal());
  EXPECT_EQ(only_part(replies(rows_reply({{"1"}, {"2"}}, true), rows_reply({{"2"}, {"1"}}, true))),
            OutputPart::kRowOrder);
}

TEST(CompareReplies, SaysWhichRowsAreMissingAndExtra) {
  const auto result = replies(rows_reply({{"1", "a"}, {"1", "a"}, {"3", {}}}),
                              rows_reply({{"1", "a"}, {"2", "b"}, {"2", "it's"}}));
  ASSERT_EQ(only_part(result), OutputPart::kRows);
  EXPECT_THAT(result.differences[0].missing, ElementsAre("2, 'b'", "2, 'it's'"));
  EXPECT_THAT(result.differences[0].extra, ElementsAre("1, 'a'", "3, NULL"));
}

TEST(CompareReplies, NullIsNotTheTextNull) {
  EXPECT_FALSE(replies(rows_reply({{Cell{}}}), rows_reply({{"NULL"}})).equal());
  EXPECT_FALSE(replies(rows_reply({{Cell{}}}), rows_reply({{""}})).equal());
}

TEST(CompareReplies, ErrorsAreEqualByNumberStateAndMessage) {
  EXPECT_TRUE(replies(error_reply(1146, "gone"), error_reply(1146, "gone")).equal());
  const auto number = replies(error_reply(1017, "no file"), error_reply(1146, "gone"));
  ASSERT_EQ(only_part(number), OutputPart::kError);
  EXPECT_EQ(number.differences[0].serial, "error 1146 (HY000): gone");
  EXPECT_EQ(number.differences[0].concurrent, "error 1017 (HY000): no file");
  EXPECT_EQ(only_part(replies(error_reply(1146, "x"), error_reply(1146, "y"))),
            OutputPart::kMessage);
}

TEST(CompareReplies, AnErrorInsteadOfSuccessIsOneDifferenceNotMany) {
  const auto result = replies(error_reply(1146), rows_reply({{"1"}}));
  ASSERT_EQ(only_part(result), OutputPart::kError);
  EXPECT_EQ(result.differences[0].serial, "success");
}

TEST(CompareReplies, NoReplyIsNotAnEmptyReply) {
  EXPECT_EQ(only_part(replies(Output{}, ok())), OutputPart::kAnswered);
}

TEST(CompareReplies, WarningTextsCountOnlyWhereBothSidesHaveThem) {
  Output with = ok();
  with.warning_count = 1;
  with.warnings = {{"Note", 1051, "Unknown table"}};
  Output unknown = with;
  unknown.warnings.clear();
  EXPECT_TRUE(replies(with, unknown).equal());
  Output other = with;
  other.warnings[0].code = 1052;
  EXPECT_EQ(only_part(replies(with, other)), OutputPart::kWarnings);
  Output none = ok();
  EXPECT_EQ(only_part(replies(with, none)), OutputPart::kWarningCount);
}

TEST(CompareReplies, AMaskedColumnHidesItsCellsAndNoOthers) {
  Masks masks;
  masks.outputs[{0, 0, OutputPart::kColumn, 0, 1}] = 1;
  const auto serial = rows_reply({{"1", "10:00"}, {"2", "10:00"}});
  const auto hidden = replies(rows_reply({{"2", "10:05"}, {"1", "10:04"}}), serial, masks);
  EXPECT_TRUE(hidden.equal());
  EXPECT_THAT(hidden.masked, ElementsAre(OutputPlace{0, 0, OutputPart::kColumn, 0, 1}));
  const auto caught = replies(rows_reply({{"3", "10:00"}, {"1", "10:00"}}), serial, masks);
  ASSERT_EQ(only_part(caught), OutputPart::kRows);
  EXPECT_THAT(caught.differences[0].extra, ElementsAre("3, '(masked)'"));
}

TEST(CompareReplies, AMaskThatHidNothingIsNotNamed) {
  Masks masks;
  masks.outputs[{0, 0, OutputPart::kInfo}] = 1;
  EXPECT_THAT(replies(ok(), ok(), masks).masked, IsEmpty());
}

TEST(CompareReplies, AMaskOfOneRequestDoesNotCoverAnother) {
  Masks masks;
  masks.outputs[{1, 0, OutputPart::kAffectedRows}] = 1;
  EXPECT_FALSE(replies(ok(1), ok(2), masks).equal());
}

TEST(CompareComponents, SayWhichElementsDiffer) {
  const auto result = components(bag("rows", {"1", "2", "2"}), bag("rows", {"1", "2", "3"}));
  EXPECT_EQ(result.match, ComponentMatch::kDifferent);
  EXPECT_THAT(result.missing, ElementsAre("3"));
  EXPECT_THAT(result.extra, ElementsAre("2"));
}

TEST(CompareComponents, OrderCountsInSequencesOnly) {
  EXPECT_EQ(components(bag("b", {"1", "2"}), bag("b", {"2", "1"})).match, ComponentMatch::kEqual);
  const auto result = components(sequence("log", {"1", "2"}), sequence("log", {"2", "1"}));
  EXPECT_EQ(result.match, ComponentMatch::kDifferent);
  EXPECT_EQ(result.note, "the same elements in another order: element 1 is 1 instead of 2");
}

TEST(CompareComponents, UnavailableIsNeitherEqualNorDifferent) {
  const auto gone = unavailable_component("rows", ComponentKind::kMultiset, "error 2013");
  for (const auto& result : {components(gone, bag("rows", {"1"})),
                             components(bag("rows", {"1"}), gone), components(gone, gone)}) {
    EXPECT_EQ(result.match, ComponentMatch::kUnavailable);
    EXPECT_THAT(result.note, HasSubstr("error 2013"));
  }
  const Comparison comparison = compare(outcome({}, {gone}), outcome({}, {gone}), kNoMasks);
  EXPECT_FALSE(comparison.state_match());
  EXPECT_FALSE(comparison.state_differs());
}

TEST(CompareComponents, OneThatExistsOnOneSideOnlyIsDifferent) {
  const Outcome with = outcome({}, {bag("rows:t1", {"1"}), bag("rows:t2", {"5"})});
  const Outcome without = outcome({}, {bag("rows:t1", {"1"})});
  const auto more = compare(with, without, kNoMasks);
  ASSERT_EQ(more.differing_components(), 1u);
  EXPECT_THAT(more.components[1].extra, ElementsAre("5"));
  const auto less = compare(without, with, kNoMasks);
  ASSERT_EQ(less.differing_components(), 1u);
  EXPECT_THAT(less.components[1].missing, ElementsAre("5"));
}

TEST(CompareComponents, AMaskedKeyHidesItsValueAndNoOther) {
  Masks masks;
  masks.state[{"status", "Uptime"}] = 1;
  masks.state[{"variables", "Tables"}] = 1;
  const auto serial = map("status", {{"Uptime", "1"}, {"Tables", "2"}});
  const auto hidden = components(map("status", {{"Uptime", "9"}, {"Tables", "2"}}), serial, masks);
  EXPECT_EQ(hidden.match, ComponentMatch::kEqual);
  EXPECT_THAT(hidden.masked, ElementsAre(StatePlace{"status", "Uptime"}));
  const auto caught = components(map("status", {{"Uptime", "9"}, {"Tables", "3"}}), serial, masks);
  EXPECT_EQ(caught.match, ComponentMatch::kDifferent);
  EXPECT_THAT(caught.missing, ElementsAre("Tables = 2"));
  EXPECT_THAT(caught.extra, ElementsAre("Tables = 3"));
}

Component partly_listed(int from, int to, size_t listed) {
  ComponentBuilder builder("rows", ComponentKind::kMultiset, listed);
  for (int i = from; i < to; ++i) builder.add(std::to_string(1000 + i));
  return std::move(builder).build();
}

// Thesis, section 5.5.3: a server may decide not to keep what it could.
TEST(CompareComponents, ACacheMayLackElementsButHoldNoOthers) {
  const auto cache = [](std::vector<Element> elements) {
    return make_component("cache", ComponentKind::kCache, std::move(elements));
  };
  const Component both = cache({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(components(cache({{"b", "2"}}), both).match, ComponentMatch::kEqual);
  EXPECT_EQ(components(cache({{"b", "2"}}), both).note, "lacks 1 elements, as a cache may");
  EXPECT_EQ(components(cache({}), both).match, ComponentMatch::kEqual);
  EXPECT_EQ(components(both, cache({{"b", "2"}})).match, ComponentMatch::kDifferent);
  const ComponentComparison stale = components(cache({{"a", "0"}}), both);
  EXPECT_EQ(stale.match, ComponentMatch::kDifferent);
  EXPECT_THAT(stale.extra, ElementsAre("a = 0"));
}

TEST(CompareComponents, WhatIsNotListedIsNotInventedAsADifference) {
  // 0..49 against 1..49: the lists hold the ten smallest, so the second reaches one further.
  const auto result = components(partly_listed(0, 50, 10), partly_listed(1, 50, 10));
  EXPECT_EQ(result.match, ComponentMatch::kDifferent);
  EXPECT_THAT(result.extra, ElementsAre("1000"));
  EXPECT_THAT(result.missing, IsEmpty());
  EXPECT_THAT(result.note, HasSubstr("of 50 elements 10 are listed"));
}

TEST(CompareComponents, WhatIsMissingBesideAnUnavailableOneIsUndecided) {
  const auto rows = make_component("rows:test.t1", ComponentKind::kMultiset, {{"", "(1)"}});
  Outcome whole;
  whole.state = make_summary({make_component("tables", ComponentKind::kSet, {{"", "t1"}}), rows});
  Outcome cut = whole;
  cut.state = make_summary({unavailable_component("tables", ComponentKind::kSet, "error 2013")});
  for (const auto& comparison : {compare(whole, cut, {}), compare(cut, whole, {})}) {
    EXPECT_EQ(comparison.components[0].match, ComponentMatch::kUnavailable);
    EXPECT_FALSE(comparison.state_differs());
    EXPECT_FALSE(comparison.state_match());
  }
  Outcome dropped = whole;
  dropped.state = make_summary({make_component("tables", ComponentKind::kSet, {})});
  EXPECT_EQ(compare(whole, dropped, {}).differing_components(), 2U);
}

TEST(CompareComponents, ALargeMapWithMaskedKeysIsUnavailableRatherThanGuessed) {
  Masks masks;
  masks.state[{"m", "k1"}] = 1;
  const auto large = [](const std::string& value) {
    ComponentBuilder builder("m", ComponentKind::kMap, 2);
    for (int i = 0; i < 5; ++i) builder.add(Element{"k" + std::to_string(i), value});
    return std::move(builder).build();
  };
  EXPECT_EQ(components(large("x"), large("y"), masks).match, ComponentMatch::kUnavailable);
}

// --- Properties over random outcomes ------------------------------------------------------------

TEST(CompareProperties, EveryOutcomeEqualsItself) {
  test::RandomOutcomes random(1);
  for (int round = 0; round < 500; ++round) {
    const Outcome value = random.any();
    ASSERT_TRUE(compare(value, value, kNoMasks).fully_matches());
  }
}

TEST(CompareProperties, PermutingUnorderedRowsNeverMatters) {
  test::RandomOutcomes random(2);
  for (int round = 0; round < 500; ++round) {
    const Outcome value = random.any();
    Outcome permuted = value;
    for (auto& client : permuted.outputs) {
      for (Output& output : client) {
        if (output.ordered) continue;
        for (ResultSet& result : output.results) {
          std::shuffle(result.rows.begin(), result.rows.end(), random.engine());
        }
      }
    }
    ASSERT_TRUE(compare(permuted, value, kNoMasks).fully_matches());
  }
}

using Change = std::function<bool(Outcome&, test::RandomOutcomes&)>;  // false: not applicable

Output& some_output(Outcome& value, test::RandomOutcomes& random) {
  auto& client = value.outputs[random.below(value.outputs.size())];
  return client[random.below(client.size())];
}

// Sets a component's elements; its digest follows.
void remake(Component& component, std::vector<Element> elements) {
  component = make_component(component.name, component.kind, std::move(elements));
}

const std::vector<std::pair<const char*, Change>>& single_changes() {
  static const std::vector<std::pair<const char*, Change>> kChanges = {
      {"answered", [](Outcome& o, auto& r) { return some_output(o, r).answered ^= true, true; }},
      {"error", [](Outcome& o, auto& r) { return some_output(o, r).error += 7, true; }},
      {"state", [](Outcome& o, auto& r) { return some_output(o, r).sql_state += "x", true; }},
      {"message", [](Outcome& o, auto& r) { return some_output(o, r).message += "x", true; }},
      {"affected", [](Outcome& o, auto& r) { return ++some_output(o, r).affected_rows, true; }},
      {"insert id", [](Outcome& o, auto& r) { return ++some_output(o, r).insert_id, true; }},
      {"info", [](Outcome& o, auto& r) { return some_output(o, r).info += "x", true; }},
      {"warnings", [](Outcome& o, auto& r) { return ++some_output(o, r).warning_count, true; }},
      {"warning text",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (output.warnings.empty()) return false;
         output.warnings[0].message += "x";
         return true;
       }},
      {"cell",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (output.results.empty()) return false;
         auto& rows = output.results[0].rows;
         Cell& cell = rows[r.below(rows.size())].back();
         cell = cell ? Cell{*cell + "x"} : Cell{"x"};
         return true;
       }},
      {"row twice",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (output.results.empty()) return false;
         output.results[0].rows.push_back(output.results[0].rows.front());
         return true;
       }},
      {"row lost",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (output.results.empty()) return false;
         output.results[0].rows.pop_back();
         return true;
       }},
      {"column type",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (output.results.empty()) return false;
         output.results[0].columns[0].type += "x";
         return true;
       }},
      {"result lost",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (output.results.empty()) return false;
         output.results.pop_back();
         return true;
       }},
      {"reply lost",
       [](Outcome& o, auto& r) {
         Output& output = some_output(o, r);
         if (!output.answered) return false;
         output = Output{};
         return true;
       }},
      {"element changed",
       [](Outcome& o, auto& r) {
         Component& c = o.state.components[r.below(o.state.components.size())];
         auto elements = c.elements;
         elements.back().value += "x";
         remake(c, std::move(elements));
         return true;
       }},
      {"element lost",
       [](Outcome& o, auto& r) {
         Component& c = o.state.components[r.below(o.state.components.size())];
         auto elements = c.elements;
         elements.pop_back();
         remake(c, std::move(elements));
         return true;
       }},
      {"component lost",
       [](Outcome& o, auto&) {
         o.state.components.pop_back();
         return true;
       }},
      {"component unavailable",
       [](Outcome& o, auto&) {
         o.state.components.back().unavailable = "no answer";
         return true;
       }},
  };
  return kChanges;
}

TEST(CompareProperties, AnySingleChangeIsCaught) {
  test::RandomOutcomes random(3);
  for (const auto& [name, change] : single_changes()) {
    int applied = 0;
    for (int round = 0; round < 200; ++round) {
      const Outcome value = random.any();
      Outcome changed = value;
      if (!change(changed, random)) continue;
      ++applied;
      ASSERT_FALSE(compare(changed, value, kNoMasks).fully_matches()) << name;
      ASSERT_FALSE(compare(value, changed, kNoMasks).fully_matches()) << name;
    }
    EXPECT_GT(applied, 20) << name;
  }
}

TEST(CompareProperties, AChangeBesideAMaskIsCaught) {
  test::RandomOutcomes random(4);
  int caught = 0;
  for (int round = 0; round < 3000; ++round) {
    const Outcome value = random.any();
    const auto& changes = single_changes();
    Outcome masked_change = value;
    Outcome other_change = value;
    if (!changes[random.below(changes.size())].second(masked_change, random)) continue;
    if (!changes[random.below(changes.size())].second(other_change, random)) continue;
    const Masks masks = differing_places(value, masked_change);
    const Masks needed = differing_places(value, other_change);
    const bool covered =
        std::any_of(needed.outputs.begin(), needed.outputs.end(), [&](auto& place) {
          return masks.hides(place.first) ||
                 std::any_of(masks.outputs.begin(), masks.outputs.end(), [&](auto& mask) {
                   return mask.first.client == place.first.client &&
                          mask.first.request == place.first.request;
                 });
        });
    const bool state_covered =
        std::any_of(needed.state.begin(), needed.state.end(), [&](auto& place) {
          return masks.hides_component(place.first.component) ||
                 !masks.hidden_keys(place.first.component).empty();
        });
    if (covered || state_covered || needed.empty()) continue;
    ASSERT_FALSE(compare(other_change, value, masks).fully_matches());
    ++caught;
  }
  EXPECT_GT(caught, 500);
}

TEST(CompareComponent, MeansWhatTheOneOfTheExecutionMeansIfThereIsOne) {
  Component sound = test::bag("check:t", {"OK"});
  Component bad = test::bag("check:t", {"corrupt"});
  bad.meaning = ComponentMeaning::kDamage;
  EXPECT_EQ(compare_component("check:t", &bad, &sound, {}).meaning, ComponentMeaning::kDamage);
  EXPECT_EQ(compare_component("check:t", &sound, &bad, {}).meaning, ComponentMeaning::kContent);
  EXPECT_EQ(compare_component("check:t", &bad, nullptr, {}).meaning, ComponentMeaning::kDamage);
  EXPECT_EQ(compare_component("check:t", nullptr, &bad, {}).meaning, ComponentMeaning::kDamage);
}

TEST(RowText, IsOnePrintableLine) {
  EXPECT_EQ(row_text({"10", {}, "a b", "", "x\ny\xff", "1.5e3"}),
            "10, NULL, 'a b', '', 'x\\ny\\xff', 1.5e3");
  const std::string text = row_text({std::string(10000, 'x')});
  EXPECT_LT(text.size(), 4200u);
  EXPECT_THAT(text, HasSubstr("10000 bytes, digest "));
}

TEST(RowText, TellsLongCellsApartThatDifferAtTheirEnd) {
  EXPECT_NE(row_text({std::string(10000, 'x') + "a"}), row_text({std::string(10000, 'x') + "b"}));
}

}  // namespace
}  // namespace esox
