// SPDX-License-Identifier: Apache-2.0
// Properties that must hold on any bytes: an input or an InputError, nothing else; and on any
// accepted text: the invariants of input.h, and a round trip through the writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "base/text/spelling.h"
#include "base/text/utf8.h"
#include "base/yaml/document.h"
#include "inputs/limits.h"
#include "inputs/writer.h"
#include "targets/sql/statement.h"
#include "tests/unit/inputs/fixtures.h"
#include "tests/unit/mutator.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing_inputs::kValid;
using testing_inputs::kValidGenerator;
using testing_mutations::Mutator;
using testing_mutations::rounds;

constexpr std::string_view kBytes = "\n\t :-[]{}#&*!|>'\"%@`,?\\$\x01\x7f\x80\xff\xef\xc3 aA0~";

void expect_invariants(const Input& input) {
  EXPECT_FALSE(input.id.empty());
  EXPECT_LE(input.clients.size(), kMaxInputClients);
  ASSERT_GE(input.clients.size(), 1u);
  for (const InputClient& client : input.clients) {
    EXPECT_FALSE(client.name.empty());
    ASSERT_GE(client.requests.size(), 1u);
    EXPECT_LE(client.requests.size(), kMaxRequestsPerClient);
    for (const Request& request : client.requests) {
      EXPECT_FALSE(statement_kind(request.text).empty());
      EXPECT_EQ(trim_statement(request.text), request.text);
      EXPECT_EQ(find_invalid_utf8(request.text), std::string::npos);
    }
  }
}

void expect_round_trip(const Input& input) {
  auto again = parse_inputs(to_yaml(input), "again.yaml", languages());
  ASSERT_EQ(again.size(), 1u);
  again[0].origin = input.origin;
  EXPECT_EQ(again[0], input) << to_yaml(input);
}

TEST(Robustness, MutatedFilesAreReadOrRefusedInOneLine) {
  Mutator mutator(20151, kBytes);
  size_t accepted = 0;
  for (size_t i = 0; i < rounds(10000); ++i) {
    const std::string yaml = mutator.mutate(i % 2 ? kValid : kValidGenerator);
    try {
      for (const Input& input : parse_inputs(yaml, "f.yaml", languages())) {
        expect_invariants(input);
        expect_round_trip(input);
      }
      ++accepted;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("f.yaml")) << message;
      for (const char c : message) {
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << message;
      }
    }
  }
  // Both happen often, so both are tested.
  EXPECT_GT(accepted, rounds(10000) / 20);
  EXPECT_LT(accepted, rounds(10000) / 20 * 19);
}

TEST(Robustness, RandomBytesAreRefused) {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string yaml;
    for (size_t n = random() % 200; n > 0; --n) yaml += static_cast<char>(random() % 128);
    EXPECT_NE(testing_inputs::message_of(yaml), "");
  }
}

// An input or one line, and never a part of a statement: the file's end is an end of a text too.
TEST(Robustness, FilesCutOffAnywhereAreReadOrRefused) {
  for (const std::string& whole : {kValid, kValidGenerator}) {
    for (size_t end = 0; end < whole.size(); ++end) {
      try {
        for (const Input& input : parse_inputs(whole.substr(0, end), "f.yaml", languages())) {
          expect_invariants(input);
          expect_round_trip(input);
        }
      } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("f.yaml")) << error.what();
      }
    }
  }
}

TEST(Robustness, AForeignByteAnywhereIsRefusedWithItsLine) {
  for (const std::string& byte : {std::string("\xff"), std::string(1, '\0')}) {
    for (size_t at = 0; at <= kValid.size(); ++at) {
      const std::string text = std::string(kValid).insert(at, byte);
      const auto line =
          std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n') + 1;
      const std::string message = testing_inputs::message_of(text);
      EXPECT_TRUE(message.starts_with("f.yaml:" + std::to_string(line) + ": byte 0x")) << message;
    }
  }
}

TEST(Robustness, ALiteralOfSixteenMegabytesIsRefusedInOneLine) {
  const std::string literal(size_t{16} << 20, 'x');
  const std::string yaml =
      testing_inputs::replaced(kValid, "VALUES (1)", "VALUES ('" + literal + "')");
  EXPECT_EQ(testing_inputs::message_of(yaml), "f.yaml: is larger than 4 MB; split it");
  const std::string shorter = testing_inputs::replaced(
      kValid, "VALUES (1)", "VALUES ('" + literal.substr(0, 2 << 20) + "')");
  EXPECT_NE(testing_inputs::message_of(shorter).find("longer than 1 MB"), std::string::npos);
}

TEST(Robustness, DeepNestingIsRefused) {
  for (const std::string& open : {std::string("["), std::string("{a: "), std::string("- ")}) {
    std::string yaml;
    for (int i = 0; i < 20000; ++i) yaml += open;
    EXPECT_NE(testing_inputs::message_of(yaml), "");
  }
}

TEST(Utf8, KnowsTheBorders) {
  for (const char* good : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(find_invalid_utf8(good), std::string::npos);
  }
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(find_invalid_utf8(std::string("ok") + bad), 2u);
  }
  EXPECT_EQ(find_invalid_utf8(std::string("a\0b", 3)), 1u);
}

TEST(Spelling, FindsTheNearestName) {
  constexpr std::string_view kNames[] = {"requests", "setup", "name"};
  EXPECT_EQ(nearest_name("reqests", kNames), "requests");
  EXPECT_EQ(nearest_name("nmae", kNames), "name");
  EXPECT_EQ(nearest_name("SETUP", kNames), "setup");
  EXPECT_EQ(nearest_name("clients", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'x'), kNames), "");
}

TEST(Document, AliasesAreCountedAsCopiesButShared) {
  const auto documents = parse_documents("a: &x [1, 2]\nb: *x\n", "f.yaml");
  const Node& root = *documents.at(0);
  EXPECT_EQ(root.fields[0].value, root.fields[1].value);
  EXPECT_EQ(root.node_count, 9u);  // the mapping, two keys, twice a list of two
  EXPECT_EQ(root.text_bytes, 6u);
}

}  // namespace
}  // namespace esox
