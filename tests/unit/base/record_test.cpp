// SPDX-License-Identifier: Apache-2.0
// What follows from a list of fields: writing, reading, adding.
#include "base/record/record.h"

#include <gmock/gmock.h>

#include "tests/unit/base/random_record.h"

namespace esox {

struct Place {
  uint16_t module = 0;
  uint32_t offset = 0;
  auto operator<=>(const Place&) const = default;
};
template <class F>
void each_place(F& f, Of<Place>) {
  f(&Place::module);
  f(&Place::offset);
}

struct Met {
  Place place;
  std::string object;
  auto operator<=>(const Met&) const = default;
};
template <class F>
void each_place(F& f, Of<Met>) {
  f.inlined(&Met::place);
  f(&Met::object);
}

enum class Kind : uint8_t { kOne, kOther };

struct Named {
  std::string name;
  Kind kind = Kind::kOne;
  bool operator==(const Named&) const = default;
};
template <class F>
void each_field(F& f, Of<Named>) {
  f("name", &Named::name, kRequired);
  f("kind", &Named::kind);
}
template <class F>
void each_place(F& f, Of<Named>) {
  f(&Named::name);
  f(&Named::kind);
}

struct Whole : Named {
  uint64_t count = 0;
  uint64_t most = 0;
  bool all = true;
  double seconds = 0;
  std::optional<double> budget;
  std::string last;
  std::vector<Named> list;
  std::vector<Named> distinct;
  std::map<Met, uint64_t> met;
  std::map<std::string, uint64_t> reasons;
  std::map<std::string, Named> by_cause;
  std::pair<std::set<uint16_t>, std::vector<uint16_t>> order;
  std::array<Place, 2> places;
  std::filesystem::path folder;
};
template <class F>
void each_field(F& f, Of<Whole>) {
  each_field(f, Of<Named>());
  f("count", &Whole::count, kRequired | kSum);
  f("most", &Whole::most, kMost);
  f("all", &Whole::all, kLeast);
  f("seconds", &Whole::seconds, kSum);
  f("budget", &Whole::budget);
  f("last", &Whole::last, kLast);
  f("list", &Whole::list, kSum);
  f("distinct", &Whole::distinct, kUnion);
  f("met", &Whole::met, kSum);
  f.group(
      "inner",
      [](auto& inner) {
        inner("reasons", &Whole::reasons, kSum);
        inner("by_cause", &Whole::by_cause);
        inner("order", &Whole::order);
      },
      +[](const Whole& it) { return it.most % 2 == 0; });
  f("places", &Whole::places);
  f("folder", &Whole::folder);
  f.derived("twice", [](const Whole& it) { return 2 * it.count; });
  f.check(+[](const Whole& it) { return it.most == 13 ? "has bad luck" : nullptr; });
}

namespace {

std::string complaint(const std::string& json) {
  try {
    from_json<Whole>(json);
    return "";
  } catch (const RecordError& error) {
    return error.what();
  }
}

Whole read(const std::string& rest) {
  return from_json<Whole>(R"({"name": "x", "count": 1)" + rest + "}");
}

TEST(Record, ComesBackAsItWasWhateverItHolds) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    Whole whole = random_record<Whole>(random);
    if (whole.most == 13) continue;
    const std::string written = to_json(whole, -1);
    EXPECT_EQ(to_json(from_json<Whole>(written), -1), written);
    EXPECT_EQ(to_json(from_cbor<Whole>(to_cbor(whole)), -1), written);
  }
}

TEST(Record, IsWrittenInThePlainForm) {
  Whole whole;
  whole.name = "x";
  whole.list = {{"y", Kind::kOther}};
  whole.met = {{{{1, 2}, "o"}, 3}};
  whole.reasons = {{"why", 4}};
  whole.by_cause = {{"c", {"z", Kind::kOne}}};
  whole.order = {{5}, {6, 7}};
  EXPECT_EQ(to_json(whole, -1),
            R"({"name":"x","kind":0,"count":0,"most":0,"all":true,"seconds":0.0,"budget":null,)"
            R"("last":"","list":[{"name":"y","kind":1}],"distinct":[],"met":[[1,2,"o",3]],)"
            R"("inner":{"reasons":{"why":4},"by_cause":[["c",{"name":"z","kind":0}]],)"
            R"("order":[[5],[6,7]]},"places":[[0,0],[0,0]],"folder":"","twice":0})"
            "\n");
}

TEST(Record, BytesThatAreNoTextAreReplacedInJsonAndKeptInCbor) {
  Whole whole;
  whole.name = std::string("\xff\0", 2);
  EXPECT_EQ(from_cbor<Whole>(to_cbor(whole)).name, whole.name);
  EXPECT_EQ(from_json<Whole>(to_json(whole, 2)).name, std::string("\xef\xbf\xbd\0", 4));
}

TEST(Record, WhatAFileLacksKeepsItsDefaultAndWhatNobodyKnowsIsPassedOver) {
  const Whole whole = read(R"(, "all": null, "inner": null, "later": {"a": [1]}, "last": "z")");
  EXPECT_TRUE(whole.all);
  EXPECT_EQ(whole.last, "z");
  EXPECT_FALSE(whole.budget);
  EXPECT_EQ(read(R"(, "budget": 3)").budget, 3.0) << "whole numbers are real ones";
}

TEST(Record, AnObjectMayBeAListInAnOlderFile) {
  const Whole whole = read(R"(, "list": [["y", 1, "more"], {"name": "z"}])");
  EXPECT_EQ(whole.list, (std::vector<Named>{{"y", Kind::kOther}, {"z", Kind::kOne}}));
}

TEST(Record, WhatDoesNotFitIsRefusedInOneLineWithItsPlace) {
  const std::string begin = R"({"name": "x", "count": 1, )";
  for (const auto& [json, why] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "it is array, not an object"},
           {"{}", "it has no 'name'"},
           {R"({"name": "x"})", "it has no 'count'"},
           {R"({"name": 3, "count": 1})", "'name' is number, not a string"},
           {R"({"name": "x", "count": -1})", "'count' is -1, not a number from 0 to"},
           {R"({"name": "x", "count": 1.5})", "'count' is number, not a whole number"},
           {begin + R"("all": 1})", "'all' is number, not true or false"},
           {begin + R"("seconds": "x"})", "'seconds' is string, not a number"},
           {begin + R"("list": {}})", "'list' is object, not a list"},
           {begin + R"("list": [{"name": "y"}, {}]})", "'list[1]' has no 'name'"},
           {begin + R"("kind": 256})", "'kind' is 256, not a number from 0 to 255"},
           {begin + R"("met": [[65536, 2, "o", 3]]})", "'met[0][0]' is 65536, not a number from"},
           {begin + R"("met": [[1, 2, "o"]]})", "'met[0]' is a list of 3, too short"},
           {begin + R"("inner": {"reasons": {"why": "x"}}})", "'inner.reasons.why' is string"},
           {begin + R"("inner": []})", "'inner' is array, not an object"},
           {begin + R"("most": 13})", "it has bad luck"}}) {
    EXPECT_THAT(complaint(json), testing::StartsWith(why)) << json;
    EXPECT_THAT(complaint(json), testing::Not(testing::HasSubstr("\n"))) << json;
  }
}

TEST(Record, BytesThatAreCutOffAreDamaged) {
  const Whole whole;
  const std::string json = to_json(whole, 2);
  std::vector<uint8_t> cbor = to_cbor(whole);
  cbor.pop_back();
  EXPECT_THROW(from_json<Whole>(json.substr(0, json.size() / 2)), DamagedRecord);
  EXPECT_THROW(from_json<Whole>(""), DamagedRecord);
  EXPECT_THROW(from_cbor<Whole>(cbor), DamagedRecord);
  EXPECT_THROW(from_cbor<Whole>({}), DamagedRecord);
}

// No byte of a file can do more than to be refused.
TEST(Record, DamagedBytesAreReadOrRefused) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    std::vector<uint8_t> cbor = to_cbor(random_record<Whole>(random));
    cbor[random() % cbor.size()] = static_cast<uint8_t>(random());
    try {
      from_cbor<Whole>(cbor);
    } catch (const RecordError&) {
    }
  }
}

TEST(Record, IsAddedAsItsRulesSay) {
  Whole all =
      read(R"(, "most": 6, "seconds": 1, "last": "a", "distinct": [["y", 0]], "list": [["y", 0]],
                      "met": [[1, 2, "o", 3]], "inner": {"reasons": {"why": 4}})");
  const Whole more =
      from_json<Whole>(R"({"name": "more", "count": 5, "most": 4, "all": false, "seconds": 0.5,
                           "list": [["y", 0]], "distinct": [["y", 0], ["z", 0]],
                           "met": [[1, 2, "o", 3], [1, 3, "o", 1]],
                           "inner": {"reasons": {"why": 4, "new": 1}}})");
  add_fields(all, more);
  EXPECT_EQ(all.name, "x") << "what has no rule stays";
  EXPECT_EQ(all.count, 6U);
  EXPECT_EQ(all.most, 6U);
  EXPECT_FALSE(all.all);
  EXPECT_EQ(all.seconds, 1.5);
  EXPECT_EQ(all.last, "a") << "the later one is empty";
  EXPECT_EQ(all.list.size(), 2U);
  EXPECT_EQ(all.distinct.size(), 2U);
  EXPECT_EQ(all.met, (std::map<Met, uint64_t>{{{{1, 2}, "o"}, 6}, {{{1, 3}, "o"}, 1}}));
  EXPECT_EQ(all.reasons, (std::map<std::string, uint64_t>{{"new", 1}, {"why", 8}}));
}

TEST(Record, ThreeAreAddedInAnyGroups) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const auto a = random_record<Whole>(random);
    const auto b = random_record<Whole>(random);
    const auto c = random_record<Whole>(random);
    Whole left = a;
    add_fields(left, b);
    add_fields(left, c);
    Whole right = b;
    add_fields(right, c);
    Whole all = a;
    add_fields(all, right);
    EXPECT_EQ(to_json(left, -1), to_json(all, -1));
  }
}

}  // namespace
}  // namespace esox
