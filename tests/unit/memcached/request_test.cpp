// SPDX-License-Identifier: Apache-2.0
// Which requests to memcached an input may hold, and what the format makes of them.
#include "targets/memcached/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text/input_error.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string input_with(const std::string& request) {
  return "id: m\nserver: memcached\nclients:\n  - requests: [\"get k\", \"" + request + "\"]\n";
}

std::string error_of(const std::string& yaml) {
  try {
    parse_inputs(yaml, "m.yaml", languages());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MemcachedRequest, KnowsCommandKeysDataAndReply) {
  const MemcachedRequest set = memcached_request("set k 5 0 3\na\nb");
  EXPECT_EQ(set.command, "set");
  EXPECT_TRUE(set.stores);
  EXPECT_EQ(set.data, "a\nb");
  EXPECT_THAT(set.keys, ElementsAre("k"));
  EXPECT_EQ(memcached_complaint("set k 5 0 3\na\nb"), "");
  EXPECT_THAT(memcached_request("gat 10 a b c").keys, ElementsAre("a", "b", "c"));
  EXPECT_EQ(memcached_request("gets a").reply, MemcachedReply::kValues);
  EXPECT_EQ(memcached_request("stats items").reply, MemcachedReply::kStatistics);
  EXPECT_THAT(memcached_request("flush_all").keys, ElementsAre());
}

TEST(MemcachedRequest, RefusesWhatWouldLeaveARequestWithoutEndOrReachTooFar) {
  EXPECT_THAT(memcached_complaint("delete k noreply"), HasSubstr("without a reply"));
  EXPECT_THAT(memcached_complaint("set k 0 0 1 noreply\n5"), HasSubstr("without a reply"));
  EXPECT_THAT(memcached_complaint("quit"), HasSubstr("no memcached command"));
  EXPECT_THAT(memcached_complaint("shutdown"), HasSubstr("no memcached command"));
  EXPECT_THAT(memcached_complaint("inc k 1"), HasSubstr("incr"));
  EXPECT_THAT(memcached_complaint(""), HasSubstr("empty"));
}

TEST(MemcachedRequest, RefusesDataOfAnotherLengthThanSaid) {
  EXPECT_THAT(memcached_complaint("set k 0 0 2\n5"), HasSubstr("says 2 bytes, but its data has 1"));
  EXPECT_THAT(memcached_complaint("set k 0 0 1"), HasSubstr("no data follows"));
  EXPECT_THAT(memcached_complaint("set k 0 0 x\n5"), HasSubstr("no number"));
  EXPECT_THAT(memcached_complaint("get k\n5"), HasSubstr("takes no data"));
  EXPECT_THAT(memcached_complaint("incr k"), HasSubstr("takes 2"));
}

TEST(MemcachedRequest, IsSafeOnAnyBytes) {
  std::mt19937 random(1);
  const std::string letters = "get set cas \n\0 0123k\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t n = random() % 40; n > 0; --n) text += letters[random() % letters.size()];
    if (memcached_complaint(text).empty()) {
      EXPECT_FALSE(memcached_request(text).command.empty());
    }
  }
}

TEST(MemcachedInput, IsReadWithItsServerAndOrderedReplies) {
  const Input input =
      parse_inputs(input_with("cas k 0 0 1 {cas}\\n5"), "m.yaml", languages()).at(0);
  EXPECT_EQ(input.server(), "memcached");
  EXPECT_EQ(input.clients[0].requests[1].text, "cas k 0 0 1 {cas}\n5");
  EXPECT_TRUE(input.clients[0].requests[0].ordered);
}

TEST(MemcachedInput, IsTheSameWrittenAndReadAgain) {
  Input input = parse_inputs(input_with("cas k 0 0 1 {cas}\\n5"), "m.yaml", languages()).at(0);
  Input again = parse_inputs(to_yaml(input), "m.yaml", languages()).at(0);
  again.origin = input.origin;
  EXPECT_EQ(again, input);
}

TEST(MemcachedInput, FailsWithTheRequestAndTheRemedy) {
  EXPECT_THAT(error_of(input_with("delete k noreply")), HasSubstr("delete k noreply"));
  EXPECT_THAT(error_of(input_with("SELECT 1")), HasSubstr("SELECT"));
  EXPECT_THAT(error_of("id: m\nserver: memcache\nclients: [{requests: [get k]}]\n"),
              HasSubstr("memcached"));
}

TEST(MemcachedInput, OfAGeneratorHasTheGeneratorsServer) {
  const std::vector<Input> inputs = parse_inputs(
      "generate: pairs\nserver: memcached\nshapes:\n"
      "  - {name: incr, writes: true, sql: incr k 1}\n  - {name: get, writes: false, sql: get k}\n",
      "m.yaml", languages());
  ASSERT_EQ(inputs.size(), 2u);
  for (const Input& input : inputs) EXPECT_EQ(input.server(), "memcached");
}

}  // namespace
}  // namespace esox
