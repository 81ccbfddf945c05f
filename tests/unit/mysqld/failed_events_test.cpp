// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/failed_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process/private_directory.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMariadb =
    "2030-01-01  0:10:00 7 [ERROR] Event Scheduler: [root@localhost][test.e1] Deadlock found when "
    "trying to get lock; try restarting transaction\n"
    "2030-01-01  0:10:00 7 [Note] Event Scheduler: [root@localhost][test.e1] At line 1 in "
    "test.e1\n";
constexpr const char* kMysql =
    "2030-01-01T00:10:00.000000Z 12 [ERROR] [MY-010045] [Server] Event Scheduler: "
    "[root@localhost][test.e 2] Lock wait timeout exceeded; try restarting transaction\n";

TEST(FailedEvents, AreToldByTheServersLog) {
  EXPECT_THAT(
      failed_events_in(std::string(kMariadb) + kMysql),
      ElementsAre(
          FailedTask{"test.e1",
                     "Deadlock found when trying to get lock; try restarting transaction"},
          FailedTask{"test.e 2", "Lock wait timeout exceeded; try restarting transaction"}));
}

TEST(FailedEvents, AreNotWhatOtherLinesTell) {
  EXPECT_THAT(failed_events_in(""), IsEmpty());
  EXPECT_THAT(failed_events_in("[Note] Event Scheduler: [root@localhost][test.e1] ended\n"
                               "[ERROR] Event Scheduler: Failed to open table mysql.event\n"
                               "[ERROR] Event Scheduler: [root@localhost][test.e1"),
              IsEmpty());
}

TEST(FailedEvents, AreThoseSinceTheBeginning) {
  const PrivateDirectory directory(temporary_base());
  const std::filesystem::path& folder = directory.path();
  std::ofstream log(folder / "server.log");
  log << kMariadb << std::flush;
  FailedEvents events(folder);
  events.begin();
  EXPECT_THAT(events.read(), IsEmpty());
  log << kMysql << std::flush;
  ASSERT_EQ(events.read().size(), 1u);
  EXPECT_EQ(events.read()[0].task, "test.e 2");
}

}  // namespace
}  // namespace esox
