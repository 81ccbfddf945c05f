// SPDX-License-Identifier: Apache-2.0
// The text form of strategies: read, refused with a reason, written back; and making them.
#include "preload/strategy/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "preload/strategy/rng.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::optional<StrategySpec> parsed(std::string_view text) {
  StrategySpec spec;
  std::array<char, kStrategyErrorBytes> error;
  if (!parse_strategy(text, &spec, error.data(), error.size())) return std::nullopt;
  EXPECT_STREQ(error.data(), "");
  return spec;
}

std::string error_of(std::string_view text) {
  StrategySpec spec;
  std::array<char, kStrategyErrorBytes> error;
  EXPECT_FALSE(parse_strategy(text, &spec, error.data(), error.size())) << text;
  return error.data();
}

std::string formatted(const StrategySpec& spec) {
  std::array<char, kStrategyTextBytes> text;
  const size_t length = format_strategy(spec, text.data(), text.size());
  EXPECT_EQ(length, std::strlen(text.data()));
  return text.data();
}

TEST(ParseStrategy, ReadsEveryStrategyWithItsParameters) {
  EXPECT_EQ(parsed("serial")->kind, StrategyKind::kSerial);
  EXPECT_EQ(parsed("replay")->kind, StrategyKind::kReplay);
  EXPECT_EQ(parsed("pct:d=7")->kind, StrategyKind::kPct);
  EXPECT_EQ(parsed("pct:d=7")->depth, 7u);
  EXPECT_EQ(parsed("pct:d=1")->depth, 1u);
  EXPECT_EQ(parsed("pct:d=32")->depth, 32u);
  EXPECT_EQ(parsed("random:p=0.05")->kind, StrategyKind::kRandom);
  EXPECT_EQ(parsed("random:p=0.05")->switch_probability, 0.05);
  EXPECT_EQ(parsed("random:p=.5")->switch_probability, 0.5);
  EXPECT_EQ(parsed("random:p=1")->switch_probability, 1.0);
  EXPECT_EQ(parsed("random:p=1.00")->switch_probability, 1.0);
  EXPECT_EQ(parsed("pos")->kind, StrategyKind::kPos);
  EXPECT_EQ(parsed("pos*")->kind, StrategyKind::kPosStar);
  EXPECT_EQ(parsed("rapos")->kind, StrategyKind::kRapos);
  EXPECT_EQ(parsed("wrw:share=7")->kind, StrategyKind::kWeightedWalk);
  EXPECT_EQ(parsed("wrw:share=7")->share, 7u);
  EXPECT_EQ(parsed("surw:objects=0")->kind, StrategyKind::kSurw);
  EXPECT_EQ(parsed("surw:objects=0")->objects, 0u);
}

TEST(ParseStrategy, TakesDefaultsForWhatIsNotGiven) {
  EXPECT_EQ(parsed("pct")->depth, StrategySpec{}.depth);
  EXPECT_EQ(parsed("random")->switch_probability, StrategySpec{}.switch_probability);
}

TEST(ParseStrategy, ReadsFractionsToTheNearestDouble) {
  Rng rng(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string digits = std::to_string(1 + rng.below(999'999'999'999'999));
    digits.insert(0, 15 - digits.size(), '0');
    const std::string text = "random:p=0." + digits.substr(0, 1 + rng.below(15));
    const double expected = std::strtod(text.c_str() + 9, nullptr);
    if (expected == 0) continue;
    ASSERT_EQ(parsed(text)->switch_probability, expected) << text;
  }
}

TEST(ParseStrategy, RefusesUnknownNamesAndListsTheKnownOnes) {
  EXPECT_THAT(error_of("pctt:d=3"),
              StartsWith("unknown strategy 'pctt': known are serial, pct, random, replay, "));
  for (const StrategyKind kind : strategy_kinds()) {
    const std::string text = formatted({.kind = kind});
    EXPECT_THAT(error_of("pctt"), HasSubstr(text.substr(0, text.find(':'))));
  }
  EXPECT_THAT(error_of(""), HasSubstr("unknown strategy ''"));
  EXPECT_THAT(error_of("PCT"), HasSubstr("known are serial"));
}

TEST(ParseStrategy, RefusesUnknownKeysAndListsTheKnownOnes) {
  EXPECT_EQ(error_of("pct:p=0.5"), "strategy pct: unknown key 'p': known keys are d");
  EXPECT_EQ(error_of("serial:d=1"), "strategy serial: takes no parameters, but got 'd=1'");
  EXPECT_THAT(error_of("replay:"), HasSubstr("takes no parameters"));
}

TEST(ParseStrategy, RefusesValuesOutOfRange) {
  const std::string depth = "write a whole number from 1 to 32";
  for (const char* text : {"pct:d=0", "pct:d=33", "pct:d=-1", "pct:d=", "pct:d=3x", "pct:d= 3",
                           "pct:d=2.5", "pct:d=4294967297", "pct:d=99999999999999999999999"}) {
    EXPECT_THAT(error_of(text), HasSubstr(depth)) << text;
  }
  EXPECT_THAT(error_of("wrw:share=0"), HasSubstr("write a whole number from 1 to 1000000"));
  EXPECT_THAT(error_of("surw:objects=9"), HasSubstr("write a whole number from 0 to 8"));
  const std::string fraction = "above 0 and at most 1";
  for (const char* text :
       {"random:p=0", "random:p=0.0", "random:p=1.01", "random:p=2", "random:p=-0.5",
        "random:p=", "random:p=.", "random:p=nan", "random:p=inf", "random:p=1e-3", "random:p=0,5",
        "random:p=0.5.5", "random:p=00.5", "random:p=0.0000000000000001"}) {
    EXPECT_THAT(error_of(text), HasSubstr(fraction)) << text;
  }
}

TEST(ParseStrategy, RefusesMalformedLists) {
  EXPECT_EQ(error_of("pct:d"), "strategy pct: 'd' is not KEY=VALUE: known keys are d");
  EXPECT_THAT(error_of("pct:"), HasSubstr("not KEY=VALUE"));
  EXPECT_THAT(error_of("pct:d=3,"), HasSubstr("not KEY=VALUE"));
  EXPECT_EQ(error_of("pct:d=3,d=3"), "strategy pct: d is given twice: give it once");
}

TEST(ParseStrategy, WritesErrorsAsOneLineWithinTheBuffer) {
  const std::string nasty = "pct\n\t:" + std::string(10'000, 'x');
  EXPECT_THAT(error_of(nasty), Not(HasSubstr("\n")));
  EXPECT_LT(error_of("pct:" + std::string(10'000, 'x')).size(), 120u);

  std::array<char, 8> small;
  small.fill('#');
  StrategySpec spec;
  EXPECT_FALSE(parse_strategy("nope", &spec, small.data(), 6));
  EXPECT_STREQ(small.data(), "unkno");
  EXPECT_EQ(small[6], '#');
  EXPECT_FALSE(parse_strategy("nope", &spec, nullptr, 0));
}

TEST(ParseStrategy, LeavesTheSpecAloneOnBadInput) {
  StrategySpec spec{StrategyKind::kRandom, 9, 0.25};
  std::array<char, kStrategyErrorBytes> error;
  EXPECT_FALSE(parse_strategy("pct:d=4,d=5", &spec, error.data(), error.size()));
  EXPECT_EQ(spec.kind, StrategyKind::kRandom);
  EXPECT_EQ(spec.depth, 9u);
  EXPECT_EQ(spec.switch_probability, 0.25);
}

TEST(ParseStrategy, NeverReadsOutsideItsText) {
  Rng rng(31);
  const std::string_view alphabet = "pctrandomserialreplay:=,.d0123456789";
  for (int i = 0; i < 50'000; ++i) {
    std::string text(rng.below(20), ' ');
    for (char& c : text) c = alphabet[rng.below(alphabet.size())];
    if (rng.below(2) == 0) text.insert(0, rng.below(2) == 0 ? "pct:d=" : "random:p=");
    const std::vector<char> exact(text.begin(), text.end());  // no NUL behind it
    const std::optional<StrategySpec> direct = parsed({exact.data(), exact.size()});
    EXPECT_TRUE(!direct || parsed(formatted(*direct)).has_value()) << text;
  }
}

TEST(Explores, IsTrueOfAllButThoseThatFollowWhatIsGiven) {
  for (const StrategyKind kind : strategy_kinds()) {
    const std::string text = formatted({.kind = kind});
    const bool follows =
        text == "serial" || text == "replay" || text == "segments" || text == "prefix";
    EXPECT_EQ(explores(kind), !follows) << text;
  }
}

TEST(FormatStrategy, WritesWhatParseReads) {
  for (const char* text : {"serial", "replay", "pct:d=1", "pct:d=32", "random:p=1", "random:p=0.05",
                           "random:p=0.333333333333333", "random:p=0.000000000000001", "pos",
                           "pos*", "rapos", "wrw:share=1000000", "surw:objects=8"}) {
    EXPECT_EQ(formatted(*parsed(text)), text);
  }
  for (const StrategyKind kind : strategy_kinds()) {
    const std::string text = formatted({.kind = kind});
    ASSERT_NE(text, "");
    EXPECT_EQ(parsed(text)->kind, kind) << text;
  }
  EXPECT_EQ(formatted(*parsed("random:p=.50")), "random:p=0.5");
  EXPECT_EQ(formatted(*parsed("pct")), "pct:d=3");
  EXPECT_EQ(formatted(*parsed("wrw")), "wrw:share=12");
  EXPECT_EQ(formatted(*parsed("surw")), "surw:objects=1");
}

TEST(FormatStrategy, RoundTripsEveryFractionOfFifteenDecimals) {
  Rng rng(41);
  for (int i = 0; i < 20'000; ++i) {
    StrategySpec spec{.kind = StrategyKind::kRandom};
    spec.switch_probability =
        static_cast<double>(1 + rng.below(1'000'000'000'000'000)) / 1'000'000'000'000'000;
    ASSERT_EQ(parsed(formatted(spec))->switch_probability, spec.switch_probability);
  }
}

TEST(FormatStrategy, RoundsOtherFractionsButNeverToZero) {
  StrategySpec spec{.kind = StrategyKind::kRandom};
  for (const double p : {1.0 / 3, std::nextafter(1.0, 0.0), 1e-20, 5e-324}) {
    spec.switch_probability = p;
    const std::optional<StrategySpec> back = parsed(formatted(spec));
    ASSERT_TRUE(back.has_value());
    EXPECT_NEAR(back->switch_probability, p, 1e-15);
  }
}

TEST(FormatStrategy, RefusesWhatParseCouldNotGive) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(formatted({static_cast<StrategyKind>(99), 3, 0.5}), "");
  EXPECT_EQ(formatted({StrategyKind::kPct, 0, 0.5}), "");
  EXPECT_EQ(formatted({StrategyKind::kPct, 33, 0.5}), "");
  EXPECT_EQ(formatted({StrategyKind::kRandom, 3, nan}), "");
  std::array<char, 4> small;
  EXPECT_EQ(format_strategy({StrategyKind::kPct, 3, 0.5}, small.data(), small.size()), 0u);
  EXPECT_STREQ(small.data(), "");
}

class MakeStrategy : public testing::Test {
 protected:
  alignas(kStrategyMemoryAlignment) std::array<std::byte, kStrategyMemoryBytes + 1> memory_;
  std::span<std::byte> whole() { return std::span(memory_).first<kStrategyMemoryBytes>(); }
};

TEST_F(MakeStrategy, PlacesEachKindIntoTheMemoryGiven) {
  for (const StrategyKind kind : strategy_kinds()) {
    Strategy* strategy = make_strategy({.kind = kind}, {}, whole());
    ASSERT_NE(strategy, nullptr) << static_cast<int>(kind);
    EXPECT_EQ(static_cast<void*>(strategy), static_cast<void*>(memory_.data()));
    strategy->begin({.seed = 1, .threads = 1, .expected_points = 1});
    const Pending only{4, OpKind::kMutexLock, 1, 1};
    EXPECT_EQ(strategy->choose({&only, 1}, 4), 4);
  }
}

TEST_F(MakeStrategy, RefusesMemoryThatDoesNotSuffice) {
  EXPECT_EQ(make_strategy({}, {}, whole().first(kStrategyMemoryBytes - 1)), nullptr);
  EXPECT_EQ(make_strategy({}, {}, std::span(memory_).subspan(1)), nullptr) << "not aligned";
}

TEST_F(MakeStrategy, RefusesSpecsThatAreNotValid) {
  EXPECT_EQ(make_strategy({static_cast<StrategyKind>(99), 3, 0.5}, {}, whole()), nullptr);
  EXPECT_EQ(make_strategy({StrategyKind::kPct, 33, 0.5}, {}, whole()), nullptr);
  EXPECT_EQ(make_strategy({StrategyKind::kRandom, 3, 0}, {}, whole()), nullptr);
}

}  // namespace
}  // namespace esox
