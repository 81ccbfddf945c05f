// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/data_choice_list.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace esox {
namespace {

using testing::HasSubstr;

DataChoiceModes parsed(const std::string& list, DataChoiceUse use = DataChoiceUse::kProgram) {
  return parse_data_choices(list, use);
}

std::string refusal(const std::string& list, DataChoiceUse use = DataChoiceUse::kProgram) {
  try {
    parse_data_choices(list, use);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(DataChoiceList, ChangesTheDefaultsItemByItem) {
  EXPECT_EQ(shipped_data_choices().spurious, DataChoiceMode::kRare);
  const DataChoiceModes modes = parsed("trylock=on,eintr=rare,trylock=rare,spurious=off");
  EXPECT_EQ(modes.trylock, DataChoiceMode::kRare) << "the last one counts";
  EXPECT_EQ(modes.eintr, DataChoiceMode::kRare);
  EXPECT_EQ(modes.spurious, DataChoiceMode::kOff);
  EXPECT_EQ(modes.signal, DataChoiceMode::kOn);
  EXPECT_EQ(modes.short_io, DataChoiceMode::kOff);
}

TEST(DataChoiceList, SetsAllOrNone) {
  EXPECT_EQ(data_choices_text(parsed("none")),
            "signal=off,spurious=off,early-timeout=off,trylock=off,short-io=off,eintr=off,"
            "start-order=off,timer=off");
  EXPECT_EQ(data_choices_text(parsed("all=rare,signal=on")),
            "signal=on,spurious=rare,early-timeout=rare,trylock=rare,short-io=rare,eintr=rare,"
            "start-order=rare,timer=rare");
  EXPECT_EQ(parsed("none,spurious=on").spurious, DataChoiceMode::kOn);
}

TEST(DataChoiceList, IsReadAsItIsWritten) {
  for (const char* list : {"none", "all=rare", "all=on", "short-io=on,start-order=rare"}) {
    EXPECT_EQ(parsed(data_choices_text(parsed(list))), parsed(list)) << list;
  }
}

TEST(DataChoiceList, StartsNoThreadsInAServer) {
  EXPECT_EQ(parsed("all=on", DataChoiceUse::kServer).start_order, DataChoiceMode::kOff);
  EXPECT_EQ(parsed("start-order=off", DataChoiceUse::kServer), shipped_data_choices());
  EXPECT_THAT(refusal("start-order=rare", DataChoiceUse::kServer), HasSubstr("esox exec"));
}

TEST(DataChoiceList, IsRefusedWithWhatIsWrongAndWhatCanBeWritten) {
  EXPECT_THAT(refusal(""), HasSubstr("nothing is named"));
  EXPECT_THAT(refusal("spurius=on"), HasSubstr("did you mean 'spurious'"));
  EXPECT_THAT(refusal("spurious"), HasSubstr("'spurious' has no mode"));
  EXPECT_THAT(refusal("spurious=often"), HasSubstr("'often' is no mode; write off, rare or on"));
  EXPECT_THAT(refusal("spurious=on,"), HasSubstr("has no mode"));
  EXPECT_THAT(refusal("=on"), HasSubstr("no kind of data choice"));
  EXPECT_THAT(refusal("none=on"), HasSubstr("no kind of data choice"));
  EXPECT_THAT(refusal("spurious=on eintr=on"), HasSubstr("is no mode"));
}

}  // namespace
}  // namespace esox
