// SPDX-License-Identifier: Apache-2.0
// How users name searches.
#include "harness/search/exhaustive/search_spec.h"

#include <gtest/gtest.h>

namespace esox::exhaustive {
namespace {

TEST(SearchSpec, IsReadAndWritten) {
  for (const char* text :
       {"exhaustive", "exhaustive:preemptions=0", "exhaustive:delays=3", "iterative"}) {
    const auto spec = search_spec_of(text);
    ASSERT_TRUE(spec) << text;
    EXPECT_EQ(text_of(*spec), text);
  }
  EXPECT_EQ(search_spec_of("exhaustive:preemptions=2")->most, 2u);
}

TEST(SearchSpec, IsNoneOfOtherStrategies) {
  for (const char* text : {"", "pos*", "pct:d=3", "exhaustively", "iterativ"}) {
    EXPECT_FALSE(search_spec_of(text)) << text;
  }
}

TEST(SearchSpec, RefusesABoundThatIsNone) {
  for (const char* text :
       {"exhaustive:", "exhaustive:2", "exhaustive:preemptions",
        "exhaustive:preemptions=", "exhaustive:preemptions=-1", "exhaustive:preemptions=101",
        "exhaustive:preemptions=2x", "exhaustive:switches=2", "iterative:preemptions=2"}) {
    EXPECT_THROW((void)search_spec_of(text), SearchSpecError) << text;
  }
}

}  // namespace
}  // namespace esox::exhaustive
