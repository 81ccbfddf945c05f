// SPDX-License-Identifier: Apache-2.0
// Which requests to memcached an input may hold, and what the format makes of them.
#include "targets/memcached/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text/input_error.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "targets/memcached/meta_flags.h"
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

TEST(MemcachedRequest, KnowsMetaCommandsTheirDataAndFlags) {
  const MemcachedRequest set = memcached_request("ms k 3 T30 C{cas} c\nabc");
  EXPECT_TRUE(set.stores);
  EXPECT_EQ(set.data, "abc");
  EXPECT_THAT(set.keys, ElementsAre("k"));
  EXPECT_THAT(set.flags, ElementsAre("T30", "C{cas}", "c"));
  EXPECT_EQ(set.reply, MemcachedReply::kMeta);
  EXPECT_FALSE(set.quiet());
  EXPECT_TRUE(memcached_request("mg k v q").quiet());
  EXPECT_EQ(memcached_request("me k").reply, MemcachedReply::kMetaDebug);
  EXPECT_EQ(memcached_request("mn").reply, MemcachedReply::kLine);
  EXPECT_THAT(memcached_request("mn").keys, ElementsAre());
  EXPECT_THAT(memcached_request("mg Zm9v b v").keys, ElementsAre("foo"));
  EXPECT_THAT(memcached_request("ms AA== 1 b\n5").keys, ElementsAre(std::string(1, '\0')));
}

TEST(MemcachedRequest, TakesEveryFlagOfItsCommand) {
  for (const char* fine : {"mg k",
                           "mg aw== b c f h k l O123 q s t u v E5 N30 R-1 T0",
                           "ms k 1 c C5 E7 F9 I k O1 q s T-1 MS N0\n5",
                           "ms k 0 MA\n",
                           "ms k 1 ME\n5",
                           "ms k 1 MP\n5",
                           "ms k 1 MR\n5",
                           "md k",
                           "md k C{cas} E1 I k O1 q T30 x",
                           "ma k",
                           "ma k C1 E2 N0 J18446744073709551615 D3 T9 M+ O1 q t c v k",
                           "ma k MI",
                           "ma k MD",
                           "ma k M-",
                           "me k",
                           "me aw== b",
                           "mn",
                           "verbosity 1",
                           "lru_crawler crawl all",
                           "slabs reassign 1 2"}) {
    EXPECT_EQ(memcached_complaint(fine), "") << fine;
  }
  EXPECT_THAT(memcached_complaint("mg k b"), HasSubstr("base64, which it is not"));
}

TEST(MemcachedRequest, RefusesFlagsThatAServerWouldNotTake) {
  EXPECT_THAT(memcached_complaint("mg k x"), HasSubstr("mg knows no flag 'x'"));
  EXPECT_THAT(memcached_complaint("me k v"), HasSubstr("me knows no flag 'v'"));
  EXPECT_THAT(memcached_complaint("mn k"), HasSubstr("takes 0"));
  EXPECT_THAT(memcached_complaint("mg k v v"), HasSubstr("twice"));
  EXPECT_THAT(memcached_complaint("mg k v1"), HasSubstr("followed by nothing"));
  EXPECT_THAT(memcached_complaint("mg k T"), HasSubstr("a number of seconds"));
  EXPECT_THAT(memcached_complaint("mg k T99999999999"), HasSubstr("a number of seconds"));
  EXPECT_THAT(memcached_complaint("ma k D-1"), HasSubstr("a number"));
  EXPECT_THAT(memcached_complaint("ms k 1 MX\n5"), HasSubstr("modes"));
  EXPECT_THAT(memcached_complaint("ms k 1 M\n5"), HasSubstr("modes"));
  EXPECT_THAT(memcached_complaint("ms k 1 Cx\n5"), HasSubstr("{cas} or a number"));
  EXPECT_THAT(memcached_complaint("ms k 1 F4294967296\n5"), HasSubstr("32 bits"));
  EXPECT_THAT(memcached_complaint("mg k O" + std::string(32, '1')), HasSubstr("31 bytes"));
  EXPECT_THAT(memcached_complaint("ms k 2\n5"), HasSubstr("says 2 bytes, but its data has 1"));
  EXPECT_THAT(memcached_complaint("ms k S1\n5"), HasSubstr("no number of bytes"));
  EXPECT_THAT(memcached_complaint("ms k 1"), HasSubstr("no data follows"));
  EXPECT_THAT(memcached_complaint("mg k\n5"), HasSubstr("takes no data"));
}

// After these a server takes the data for the next request.
TEST(MemcachedRequest, RefusesLinesWhoseDataWouldBeTakenForARequest) {
  EXPECT_THAT(memcached_complaint("set k x 0 1\n5"), HasSubstr("no flags"));
  EXPECT_THAT(memcached_complaint("set k 0 x 1\n5"), HasSubstr("no expiry time"));
  EXPECT_THAT(memcached_complaint("cas k 0 0 1 x\n5"), HasSubstr("no unique number"));
  EXPECT_EQ(memcached_complaint("set k 4294967295 -1 1\n5"), "");
  EXPECT_EQ(memcached_complaint("set k 0 0 01\n5"), "");
}

TEST(MemcachedRequest, TellsWhatItDoesToItems) {
  const auto is = [](bool (*what)(const MemcachedRequest&), const char* text) {
    return what(memcached_request(text));
  };
  for (const char* text : {"get k", "gets k", "mg k v c", "me k", "mn", "stats", "verbosity 1"}) {
    EXPECT_FALSE(is(changes_items, text)) << text;
  }
  for (const char* text : {"set k 0 0 1\n5", "gat 9 k", "touch k 1", "mg k T30", "mg k N0",
                           "mg k R9", "ms k 1\n5", "md k", "ma k", "flush_all"}) {
    EXPECT_TRUE(is(changes_items, text)) << text;
  }
  for (const char* text : {"set k 0 0 1\n5", "ms k 1\n5", "ms k 1 MS T3\n5"}) {
    EXPECT_TRUE(is(replaces_item, text)) << text;
  }
  for (const char* text : {"add k 0 0 1\n5", "ms k 1 MA\n5", "ms k 1 C5\n5", "cas k 0 0 1 5\n5"}) {
    EXPECT_FALSE(is(replaces_item, text)) << text;
  }
  for (const char* text : {"delete k", "md k", "md k k q"}) EXPECT_TRUE(is(removes_item, text));
  for (const char* text : {"md k I", "md k x", "md k C5", "mg k"}) {
    EXPECT_FALSE(is(removes_item, text)) << text;
  }
  for (const char* text : {"gets k", "gats 1 k", "me k", "mg k c", "ma k c", "ms k 1 c\n5"}) {
    EXPECT_TRUE(is(gives_unique, text)) << text;
  }
  EXPECT_FALSE(is(gives_unique, "mg k C5"));
  for (const char* text : {"cas k 0 0 1 5\n5", "ms k 1 C5\n5", "md k C5", "ma k C{cas}"}) {
    EXPECT_TRUE(is(compares_unique, text)) << text;
  }
  for (const char* text : {"mg k h", "mg k l", "me k"}) EXPECT_TRUE(is(tells_reads, text)) << text;
  EXPECT_FALSE(is(tells_reads, "mg k v t c"));
  for (const char* text : {"set k 0 9 1\n5", "touch k 9", "gat 9 k", "mg k T9", "ms k 1 N9 MA\n5",
                           "md k I", "ma k N9"}) {
    EXPECT_TRUE(is(limits_lifetime, text)) << text;
  }
  for (const char* text : {"set k 0 0 1\n5", "ms k 1 F9\n5", "mg k t", "md k"}) {
    EXPECT_FALSE(is(limits_lifetime, text)) << text;
  }
}

TEST(MetaFlags, Base64IsReadAndWritten) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (size_t n = random() % 20; n > 0; --n) bytes += static_cast<char>(random());
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("k"), "aw==");
  for (const char* none : {"k", "aw=", "a===", "====", "aw==aw==", "a\n=="}) {
    EXPECT_EQ(from_base64(none), "") << none;
  }
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

TEST(MemcachedRequest, OfASetupMayStandForMany) {
  EXPECT_THAT(memcached_requests("set k{9..11} 0 0 1\n5"),
              ElementsAre("set k9 0 0 1\n5", "set k10 0 0 1\n5", "set k11 0 0 1\n5"));
  EXPECT_THAT(memcached_request("set k{1..6143} 0 0 1\n5").keys, ElementsAre());
  EXPECT_EQ(memcached_setup_complaint("set k{1..6143} 0 0 1\n5"), "");
  EXPECT_EQ(memcached_setup_complaint("set k{3..3}x 0 0 1\n5"), "");
  EXPECT_THAT(memcached_complaint("set k{1..3} 0 0 1\n5"), HasSubstr("only a setup"));
  EXPECT_THAT(memcached_setup_complaint("set k{1..99999} 0 0 1\n5"), HasSubstr("at most 10000"));
  EXPECT_THAT(memcached_setup_complaint("set k{3..1} 0 0 1\n5"), HasSubstr("smaller"));
  EXPECT_THAT(memcached_setup_complaint("set k{1..3} 0 0 2\n5"), HasSubstr("says 2 bytes"));
  EXPECT_THAT(error_of("id: m\nserver: memcached\nsetup: [\"set k{1..3} 0 0 1\\n5\"]\nclients:\n"
                       "  - requests: [\"set k{1..3} 0 0 1\\n5\"]\n"),
              HasSubstr("m.yaml:5"));
  EXPECT_THAT(error_of("id: m\nserver: memcached\nobservations: [\"set k{1..3} 0 0 1\\n5\"]\n"
                       "clients:\n  - requests: [\"get k\"]\n"),
              HasSubstr("only a setup"));
}

TEST(MemcachedRequest, ThatLooksLikeManyIsOne) {
  for (const char* one : {"set k{1..} 0 0 1\n5", "set k{a..b} 0 0 1\n5", "get k{1..3}",
                          "set k 0 0 6\n{1..3} ", "set {1..3", "set }{ .."}) {
    EXPECT_THAT(memcached_requests(one), ElementsAre(one));
  }
}

TEST(MemcachedRequest, IsSafeOnAnyBytes) {
  std::mt19937 random(1);
  constexpr char kLetters[] = "get set cas ms mg md ma me mn bcvqTNMCIO={} \n\0 0123k\xff";
  const std::string letters(kLetters, sizeof kLetters - 1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t n = random() % 40; n > 0; --n) text += letters[random() % letters.size()];
    const MemcachedRequest request = memcached_request(text);
    if (memcached_setup_complaint(text).empty()) {
      EXPECT_LE(memcached_requests(text).size(), 10'000u);
    }
    if (!memcached_complaint(text).empty()) continue;
    EXPECT_FALSE(request.command.empty());
    for (const auto what : {gives_unique, compares_unique, tells_reads, changes_items,
                            replaces_item, removes_item, limits_lifetime}) {
      what(request);
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
