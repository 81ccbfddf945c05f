// SPDX-License-Identifier: Apache-2.0
// Which causes of smaller inputs are the whole one's.
#include "harness/findings/minimise/same_violation.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

// Of A1 A2 A3 and B1 B2, only A3 and B2 are left.
const RequestNames kNames = {{"A1", "A3"}, {"B1", "B2"}};
const char* const kWhole =
    "class semantic, latent\n"
    "reply A1: affected rows\n"
    "reply A3: result 1 rows missing\n"
    "component rows of test.t1: extra\n";

TEST(SameViolation, RequestsThatAreGoneDoNotCount) {
  EXPECT_TRUE(same_violation(kWhole,
                             "class semantic, latent\n"
                             "reply A1: result 1 rows missing\n"
                             "component rows of test.t1: extra\n",
                             kNames));
}

TEST(SameViolation, AnotherClassIsAnother) {
  EXPECT_FALSE(same_violation(kWhole,
                              "class semantic\n"
                              "reply A1: result 1 rows missing\n"
                              "component rows of test.t1: extra\n",
                              kNames));
}

TEST(SameViolation, AnotherReplyOrMannerOrComponentIsAnother) {
  for (const char* smaller : {"class semantic, latent\n"
                              "reply B1: result 1 rows missing\n"
                              "component rows of test.t1: extra\n",
                              "class semantic, latent\n"
                              "reply A1: result 1 rows extra\n"
                              "component rows of test.t1: extra\n",
                              "class semantic, latent\n"
                              "reply A1: result 1 rows missing\n"
                              "component rows of test.t2: extra\n",
                              "class semantic, latent\n"
                              "reply A1: result 1 rows missing\n"}) {
    EXPECT_FALSE(same_violation(kWhole, smaller, kNames)) << smaller;
  }
}

TEST(SameViolation, CrashesAndWaitsAreComparedAsTheyAre) {
  const char* const crash = "class crash\nsignal 11\nframe f\n";
  EXPECT_TRUE(same_violation(crash, crash, kNames));
  EXPECT_FALSE(same_violation(crash, "class crash\nsignal 11\nframe g\n", kNames));
  EXPECT_TRUE(same_violation("class hang\nunfinished: A2\nunfinished: B2\n",
                             "class hang\nunfinished: B1\n", kNames));
  EXPECT_FALSE(same_violation("class hang\nunfinished: A3\nunfinished: B2\n",
                              "class hang\nunfinished: B1\n", kNames));
}

}  // namespace
}  // namespace esox
