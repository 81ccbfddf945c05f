// SPDX-License-Identifier: Apache-2.0
// The text form of strategies: read, refused with a reason, written back.
#include "harness/search/strategy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "preload/strategy/registry.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::optional<StrategySpec> parsed(std::string_view text) {
  try {
    return strategy_from_text(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::string error_of(std::string_view text) {
  try {
    (void)strategy_from_text(text);
    ADD_FAILURE() << text;
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(StrategyFromText, ReadsEveryStrategyWithItsParameters) {
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

TEST(StrategyFromText, TakesDefaultsForWhatIsNotGiven) {
  EXPECT_EQ(parsed("pct")->depth, StrategySpec{}.depth);
  EXPECT_EQ(parsed("random")->switch_probability, StrategySpec{}.switch_probability);
}

TEST(StrategyFromText, ReadsFractionsToTheNearestDouble) {
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

TEST(StrategyFromText, RefusesUnknownNamesAndListsTheKnownOnes) {
  EXPECT_THAT(error_of("pctt:d=3"),
              StartsWith("unknown strategy 'pctt': known are serial, pct, random, replay, "));
  for (const StrategyFacts& one : known_strategies()) {
    const std::string text = strategy_text({.kind = one.kind});
    EXPECT_THAT(error_of("pctt"), HasSubstr(text.substr(0, text.find(':'))));
  }
  EXPECT_THAT(error_of(""), HasSubstr("unknown strategy ''"));
  EXPECT_THAT(error_of("PCT"), HasSubstr("known are serial"));
}

TEST(StrategyFromText, RefusesUnknownKeysAndListsTheKnownOnes) {
  EXPECT_EQ(error_of("pct:p=0.5"), "strategy pct: unknown key 'p': known keys are d");
  EXPECT_EQ(error_of("serial:d=1"), "strategy serial: takes no parameters, but got 'd=1'");
  EXPECT_THAT(error_of("replay:"), HasSubstr("takes no parameters"));
}

TEST(StrategyFromText, RefusesValuesOutOfRange) {
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

TEST(StrategyFromText, RefusesMalformedLists) {
  EXPECT_EQ(error_of("pct:d"), "strategy pct: 'd' is not KEY=VALUE: known keys are d");
  EXPECT_THAT(error_of("pct:"), HasSubstr("not KEY=VALUE"));
  EXPECT_THAT(error_of("pct:d=3,"), HasSubstr("not KEY=VALUE"));
  EXPECT_EQ(error_of("pct:d=3,d=3"), "strategy pct: d is given twice: give it once");
}

TEST(StrategyFromText, WritesErrorsAsOneShortLine) {
  const std::string nasty = "pct\n\t:" + std::string(10'000, 'x');
  EXPECT_THAT(error_of(nasty), Not(HasSubstr("\n")));
  EXPECT_LT(error_of("pct:" + std::string(10'000, 'x')).size(), 120u);
}

TEST(StrategyFromText, NeverReadsOutsideItsText) {
  Rng rng(31);
  const std::string_view alphabet = "pctrandomserialreplay:=,.d0123456789";
  for (int i = 0; i < 50'000; ++i) {
    std::string text(rng.below(20), ' ');
    for (char& c : text) c = alphabet[rng.below(alphabet.size())];
    if (rng.below(2) == 0) text.insert(0, rng.below(2) == 0 ? "pct:d=" : "random:p=");
    const std::vector<char> exact(text.begin(), text.end());  // no NUL behind it
    const std::optional<StrategySpec> direct = parsed({exact.data(), exact.size()});
    EXPECT_TRUE(!direct || parsed(strategy_text(*direct)).has_value()) << text;
  }
}

TEST(ExploringStrategy, IsThereOfThoseThatDrawSchedulesOfTheirOwn) {
  EXPECT_EQ(exploring_strategy("pct:d=7")->depth, 7u);
  for (const char* text : {"serial", "replay", "segments", "prefix", "exhaustive", "pct:d=0", ""}) {
    EXPECT_FALSE(exploring_strategy(text)) << text;
  }
}

TEST(Explores, IsTrueOfAllButThoseThatFollowWhatIsGiven) {
  for (const StrategyFacts& one : known_strategies()) {
    const std::string text = strategy_text({.kind = one.kind});
    const bool follows =
        text == "serial" || text == "replay" || text == "segments" || text == "prefix";
    EXPECT_EQ(explores(one.kind), !follows) << text;
  }
}

TEST(StrategyText, WritesWhatParseReads) {
  for (const char* text : {"serial", "replay", "pct:d=1", "pct:d=32", "random:p=1", "random:p=0.05",
                           "random:p=0.333333333333333", "random:p=0.000000000000001", "pos",
                           "pos*", "rapos", "wrw:share=1000000", "surw:objects=8"}) {
    EXPECT_EQ(strategy_text(*parsed(text)), text);
  }
  for (const StrategyFacts& one : known_strategies()) {
    const std::string text = strategy_text({.kind = one.kind});
    ASSERT_NE(text, "");
    EXPECT_EQ(parsed(text)->kind, one.kind) << text;
  }
  EXPECT_EQ(strategy_text(*parsed("random:p=.50")), "random:p=0.5");
  EXPECT_EQ(strategy_text(*parsed("pct")), "pct:d=3");
  EXPECT_EQ(strategy_text(*parsed("wrw")), "wrw:share=12");
  EXPECT_EQ(strategy_text(*parsed("surw")), "surw:objects=1");
}

TEST(StrategyText, RoundTripsEveryFractionOfFifteenDecimals) {
  Rng rng(41);
  for (int i = 0; i < 20'000; ++i) {
    StrategySpec spec{.kind = StrategyKind::kRandom};
    spec.switch_probability =
        static_cast<double>(1 + rng.below(1'000'000'000'000'000)) / 1'000'000'000'000'000;
    ASSERT_EQ(parsed(strategy_text(spec))->switch_probability, spec.switch_probability);
  }
}

TEST(StrategyText, RoundsOtherFractionsButNeverToZero) {
  StrategySpec spec{.kind = StrategyKind::kRandom};
  for (const double p : {1.0 / 3, std::nextafter(1.0, 0.0), 1e-20, 5e-324}) {
    spec.switch_probability = p;
    const std::optional<StrategySpec> back = parsed(strategy_text(spec));
    ASSERT_TRUE(back.has_value());
    EXPECT_NEAR(back->switch_probability, p, 1e-15);
  }
}

TEST(StrategyText, RefusesWhatParseCouldNotGive) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(strategy_text({static_cast<StrategyKind>(99), 3, 0.5}), "");
  EXPECT_EQ(strategy_text({StrategyKind::kPct, 0, 0.5}), "");
  EXPECT_EQ(strategy_text({StrategyKind::kPct, 33, 0.5}), "");
  EXPECT_EQ(strategy_text({StrategyKind::kRandom, 3, nan}), "");
}

}  // namespace
}  // namespace esox
