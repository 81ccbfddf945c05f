// SPDX-License-Identifier: Apache-2.0
// Call sites by name mean the same place wherever the program is loaded.
#include "harness/programs/site_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<Module> kHere = {{0x1000, 0x5000, 0x1000, "/bin/queue_test"},
                                   {0x8000, 0x9000, 0x7000, "/lib/libqueue.so+0x2.so"}};
const std::vector<Module> kElsewhere = {{0x8000'1000, 0x8000'5000, 0x8000'1000, "/opt/queue_test"}};

TEST(SiteNames, AreTheModuleAndThePlaceInIt) {
  EXPECT_THAT(site_names({0x1234, 0x8010}, kHere),
              ElementsAre("queue_test+0x234", "libqueue.so+0x2.so+0x1010"));
}

TEST(SiteNames, MeanTheSameSitesAgain) {
  const std::vector<uint64_t> sites = {0x1000, 0x4fff, 0x8010};
  EXPECT_EQ(sites_named(site_names(sites, kHere), kHere), sites);
}

TEST(SiteNames, MeanThePlaceWhereTheModuleIsNow) {
  EXPECT_THAT(sites_named({"queue_test+0x234"}, kElsewhere), ElementsAre(0x8000'1234));
}

TEST(SiteNames, ThatMeanNothingHereAreLeftOut) {
  EXPECT_THAT(sites_named({"", "queue_test", "other+0x1", "queue_test+0x", "queue_test+0x1g",
                           "queue_test+0x5000", "queue_test+0xffffffffffffffffff", "+0x1"},
                          kHere),
              IsEmpty());
}

}  // namespace
}  // namespace esox
