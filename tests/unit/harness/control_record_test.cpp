// SPDX-License-Identifier: Apache-2.0
#include "harness/records/control_record.h"

#include <gmock/gmock.h>

#include "analysis/finding.h"

namespace esox {
namespace {

ControlSettings unusual() {
  ControlSettings settings;
  settings.step_limit = 1;
  settings.release_point_odds = 2;
  settings.starvation_limit = 3;
  settings.grace_ms = 4;
  settings.deadlock_grace_ms = 5;
  settings.request_wait_ms = 6;
  settings.data_choices = {DataChoiceMode::kOff, DataChoiceMode::kOn,   DataChoiceMode::kRare,
                           DataChoiceMode::kOn,  DataChoiceMode::kRare, DataChoiceMode::kOn,
                           DataChoiceMode::kRare};
  return settings;
}

constexpr size_t kPadding = 4;

TEST(ControlRecord, EverySettingSurvives) {
  const auto record = control_record(unusual());
  const ControlSettings read = control_from_record(record, "f.yaml");
  EXPECT_EQ(control_record(read), record);
  EXPECT_EQ(read.step_limit, 1u);
  EXPECT_EQ(read.request_wait_ms, 6u);
  // A setting added to the struct must be added to the record: its size tells.
  EXPECT_EQ(sizeof(ControlSettings),
            sizeof(uint64_t) + 5 * sizeof(uint32_t) + sizeof(DataChoiceModes) + kPadding)
      << "extend each_setting and this test";
  EXPECT_EQ(record.size(), 7u);
  EXPECT_EQ(read.data_choices, unusual().data_choices);
}

TEST(ControlRecord, MissingOnesHaveTheirDefault) {
  EXPECT_EQ(control_record(control_from_record({}, "f")), control_record(ControlSettings{}));
}

TEST(ControlRecord, SaysWhetherThereWereContexts) {
  auto record = control_record(unusual());
  EXPECT_FALSE(had_contexts(record));
  for (const bool contexts : {true, false}) {
    note_contexts(record, contexts);
    EXPECT_EQ(had_contexts(record), contexts);
    EXPECT_EQ(control_from_record(record, "f.yaml").step_limit, 1u);
  }
}

TEST(ControlRecord, UnknownNamesAndBadValuesAreRefusedByName) {
  EXPECT_THROW(control_from_record({{"speed", "1"}}, "f"), FindingError);
  for (const char* value : {"", "x", "-1", "1x", "99999999999999999999"}) {
    EXPECT_THROW(control_from_record({{"grace_ms", value}}, "f"), FindingError) << value;
    EXPECT_THROW(control_from_record({{"data_choices", value}}, "f"), FindingError) << value;
  }
}

}  // namespace
}  // namespace esox
