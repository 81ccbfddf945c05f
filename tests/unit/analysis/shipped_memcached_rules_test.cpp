// SPDX-License-Identifier: Apache-2.0
// The rules for memcached that come with esox: each forgives what it is argued for, and a seeded
// fault in the same place stays. What keys-one-by-one does to whole executions is in
// tests/unit/harness/part_orders_test.cpp.
#include <gtest/gtest.h>

#include "analysis/verdict.h"
#include "filters/reader.h"
#include "targets/memcached/language.h"
#include "targets/registry.h"
#include "tests/unit/analysis/builders.h"
#include "tests/unit/servers.h"

namespace esox::test {
namespace {

ConcreteInput two_requests(const std::string& a, const std::string& b) {
  ConcreteInput input = pair_input(a, b);
  input.engine = "";
  input.input.language = &memcached_language();
  return input;
}

// The outcome of A beside B, where both orders give another one.
bool is_forgiven(const ConcreteInput& input, const Outcome& seen, const Outcome& serial) {
  const auto set = std::make_shared<const RuleSet>(
      read_rules({*target_named("memcached").filters_file()}, known_servers()));
  const RulesInForce rules(set, circumstances_of(input, {"1.6.18", {}}));
  const ExecutionRecord execution = record(seen);
  const std::vector<SerialRun> runs = {test::serial({0, 1}, serial), test::serial({1, 0}, serial)};
  return !judge(execution, runs, {}, Orders::kAsGiven, Forgiveness(rules, execution.stamps))
              .violation();
}

Outcome got(const std::string& value) {
  Output reply = rows_reply({{"k", "0", value}});
  const char* const names[] = {"key", "flags", "value"};
  for (size_t i = 0; i < 3; ++i) reply.results[0].columns[i].name = names[i];
  return outcome({reply, ok()}, {});
}

Outcome left(Component component) {
  return outcome({ok(), ok()}, {std::move(component)});
}

Component map_of(const std::string& name, const std::string& key, const std::string& value) {
  return make_component(name, ComponentKind::kMap, {{key, value}});
}

TEST(ShippedMemcachedRules, ANumberMayBePaddedInAReplyAndMayNotBeAnother) {
  const ConcreteInput input = two_requests("get k", "decr k 1");
  EXPECT_TRUE(is_forgiven(input, got("9"), got("9 ")));
  EXPECT_FALSE(is_forgiven(input, got("10"), got("9 ")));
  EXPECT_FALSE(is_forgiven(input, got("9"), got(" 9"))) << "only behind it";
  EXPECT_FALSE(is_forgiven(input, got("ab"), got("ab "))) << "only numbers are padded";
}

TEST(ShippedMemcachedRules, ANumberMayBePaddedInAnItemAndMayNotBeLost) {
  const ConcreteInput input = two_requests("get k", "decr k 1");
  for (const char* where : {"items", "annotated:table", "frozen:table"}) {
    const auto item = [&](const char* value) { return left(map_of(where, "k", value)); };
    EXPECT_TRUE(is_forgiven(input, item("'0', '9', unique a"), item("'0', '9 ', unique a")));
    EXPECT_FALSE(is_forgiven(input, item("'0', '8', unique a"), item("'0', '9 ', unique a")));
    EXPECT_FALSE(is_forgiven(input, item("'0', '9', unique a"), item("'0', '9 ', unique b")));
    const ConcreteInput other = two_requests("get k", "append k 0 0 1\n5");
    EXPECT_FALSE(is_forgiven(other, item("'0', '9', unique a"), item("'0', '9 ', unique a")));
  }
}

TEST(ShippedMemcachedRules, ACrawlerMayCrawlAlreadyAndMayNotBeSwitchedOff) {
  const auto told = [](const std::string& line) {
    Output reply = ok();
    reply.info = line;
    return outcome({reply, ok()}, {});
  };
  const std::string busy = "BUSY currently processing crawler request";
  const ConcreteInput crawl = two_requests("lru_crawler crawl all", "get k");
  EXPECT_TRUE(is_forgiven(crawl, told(busy), told("OK")));
  EXPECT_FALSE(is_forgiven(crawl, told("NOTSTARTED"), told("OK")));
  EXPECT_FALSE(is_forgiven(two_requests("flush_all", "get k"), told(busy), told("OK")));
}

TEST(ShippedMemcachedRules, BytesMayFollowThePaddingAndItemsMayNotGo) {
  const ConcreteInput input = two_requests("set k 0 0 2\n10", "decr k 1");
  const auto counters = [](const char* key, const char* value) {
    return left(map_of("counters", key, value));
  };
  EXPECT_TRUE(is_forgiven(input, counters("bytes", "70"), counters("bytes", "71")));
  EXPECT_FALSE(is_forgiven(input, counters("curr_items", "1"), counters("curr_items", "2")));
  const ConcreteInput other = two_requests("set k 0 0 2\n10", "delete k");
  EXPECT_FALSE(is_forgiven(other, counters("bytes", "70"), counters("bytes", "71")));
}

TEST(ShippedMemcachedRules, AChangedNumberMayComeFirstInItsListAndMayNotLeaveIt) {
  const ConcreteInput input = two_requests("get k", "incr k 1");
  const auto list = [](std::vector<Element> keys) {
    return left(make_component("annotated:lru:1", ComponentKind::kSequence, std::move(keys)));
  };
  EXPECT_TRUE(is_forgiven(input, list({{"", "k"}, {"", "l"}}), list({{"", "l"}, {"", "k"}})));
  EXPECT_FALSE(is_forgiven(input, list({{"", "l"}}), list({{"", "l"}, {"", "k"}})));
  EXPECT_FALSE(is_forgiven(input, list({{"", "k"}, {"", "k"}}), list({{"", "k"}})));
}

TEST(ShippedMemcachedRules, SeveralKeysAreTakenApartOneByOneAndBesideWritersOnly) {
  const RequestLanguage& language = memcached_language();
  const auto parts = language.parts("gats 100 k l", "keys");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].text, "gats 100 k");
  EXPECT_EQ(parts[1].text, "gats 100 l");
  EXPECT_EQ(parts[1].subject, "l");
  EXPECT_TRUE(language.parts("set k 0 0 1\n5", "keys").empty());
  const auto set = std::make_shared<const RuleSet>(
      read_rules({*target_named("memcached").filters_file()}, known_servers()));
  const auto splits = [&](const std::string& a, const std::string& b) {
    const ConcreteInput input = two_requests(a, b);
    const RulesInForce rules(set, circumstances_of(input, {"1.6.18", {}}));
    const Stamps together = {{{0, 9}}, {{1, 8}}};
    return !Forgiveness(rules, together).splitting(0, 0).empty();
  };
  EXPECT_TRUE(splits("get k l", "flush_all"));
  EXPECT_FALSE(splits("get k l", "get l k"));
  EXPECT_FALSE(splits("incr k 1", "flush_all"));
}

}  // namespace
}  // namespace esox::test
