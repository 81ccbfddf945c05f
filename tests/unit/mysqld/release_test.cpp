// SPDX-License-Identifier: Apache-2.0
// What is made of the help of servers: excerpts of what five releases answered, in help/.
#include "targets/mysqld/release.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "targets/mysqld/options.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

struct Recorded {
  const char* name;  // of the file
  bool is_mariadb;
  bool is_bootstrapped;
  const char* version;
};

class RecordedRelease : public testing::TestWithParam<Recorded> {
 protected:
  static Release release() {
    return read_release(
        text_of_file(fmt::format("{}/{}.txt", ESOX_RECORDED_HELP, GetParam().name)));
  }
  static std::vector<std::string> line(const std::vector<std::string>& options = {}) {
    return command_line(release(), "/no/such/bin/mysqld", {"data", "tmp", "socket", "pid"},
                        options);
  }
};

TEST_P(RecordedRelease, IsKnownByItsVersionAndItsOptions) {
  EXPECT_EQ(release().is_mariadb, GetParam().is_mariadb);
  EXPECT_EQ(is_bootstrapped(release()), GetParam().is_bootstrapped);
  EXPECT_EQ(release().version_name(), GetParam().version);
  EXPECT_EQ(missing_for_privacy(release()), "");
}

TEST_P(RecordedRelease, GetsNoOptionThatItDoesNotKnow) {
  for (const std::string& option : line()) {
    if (option == "--no-defaults" || option == "--user=root" || option == "--skip-log-error")
      continue;
    EXPECT_TRUE(release().has(option.substr(2, option.find('=') - 2))) << option;
  }
}

// Of threads that wait, all alike, each is one more to be made anew in every execution.
TEST_P(RecordedRelease, HasOneThreadToReadAndOneToWrite) {
  const auto made = line();
  for (const std::string which : {"read", "write"}) {
    const std::string option = fmt::format("innodb-{}-io-threads", which);
    const bool one = std::find(made.begin(), made.end(), "--" + option + "=1") != made.end();
    EXPECT_EQ(one, release().options.contains(option)) << option;
  }
}

// Keys that are made at each start take a second or two, by luck.
TEST_P(RecordedRelease, HasNoKeysForANetworkThatItHasNot) {
  const auto made = line();
  const bool off = std::find(made.begin(), made.end(), "--ssl=0") != made.end();
  EXPECT_EQ(off, release().options.contains("ssl"));
}

// All of it takes 200 MB.
TEST_P(RecordedRelease, HasAPerformanceSchemaForMetadataLocksAlone) {
  const auto made = line();
  const bool on = std::find(made.begin(), made.end(), "--performance-schema=1") != made.end();
  EXPECT_EQ(on, !GetParam().is_mariadb &&
                    release().options.contains("performance-schema-max-metadata-locks"));
  if (!on) return;
  EXPECT_THAT(made, testing::IsSupersetOf({"--performance-schema-digests-size=0",
                                           "--performance-schema-instrument=%=OFF"}));
  EXPECT_THAT(made, Each(Not(HasSubstr("max-metadata-locks"))));
}

TEST_P(RecordedRelease, IsKeptPrivateWhateverTheTesterSays) {
  const auto made = line({"--socket=elsewhere", "--symbolic-links=1"});
  for (const char* last : {"--socket=socket", "--symbolic-links=0", "--skip-networking",
                           "--secure-file-priv=tmp", "--datadir=data"}) {
    const auto at = std::find(made.begin(), made.end(), last);
    ASSERT_NE(at, made.end()) << last;
    const auto tester = std::find(made.begin(), made.end(), "--symbolic-links=1");
    EXPECT_LT(tester, at) << last;
  }
}

TEST_P(RecordedRelease, WithoutAWayToBePrivateIsRefusedByTheOptionsName) {
  for (const char* name : {"datadir", "tmpdir", "socket", "pid-file", "skip-networking"}) {
    Release lacking = release();
    lacking.options.erase(name);
    EXPECT_EQ(missing_for_privacy(lacking), name);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Help, RecordedRelease,
    testing::Values(Recorded{"mysql-5.6.24", false, true, "5.6.24"},
                    Recorded{"mysql-9.7.4", false, false, "9.7.4-2"},
                    Recorded{"mariadb-10.5.23", true, true, "10.5.23-MariaDB-0+deb11u1"},
                    Recorded{"mariadb-10.11.19", true, true, "10.11.19-MariaDB-0+deb12u1"},
                    Recorded{"mariadb-11.8.9", true, true, "11.8.9-MariaDB-0+deb13u1"}),
    [](const auto& one) {
      std::string name = one.param.name;
      std::replace_if(
          name.begin(), name.end(),
          [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

TEST(Release, OfATextThatIsNoHelpKnowsNothing) {
  for (const char* text : {"", "\n\n", "Usage: something [OPTIONS]\n", "  --\n --x\n"}) {
    EXPECT_EQ(read_release(text).version_line, "");
    EXPECT_FALSE(read_release(text).has("datadir"));
  }
}

// Programs that call themselves mysqld.
class OtherProgram : public testing::Test {
 protected:
  std::string complaint_about(const std::string& text) {
    const auto program = folder_.path() / "mysqld";
    std::ofstream(program) << text;
    chmod(program.c_str(), 0755);
    try {
      ask_release(program, "a MySQL server", folder_.path());
    } catch (const ServerError& error) {
      return error.what();
    }
    return "";
  }
  PrivateDirectory folder_{temporary_base()};
};

TEST_F(OtherProgram, IsRefusedInOneLine) {
  const std::string all[] = {
      complaint_about("#!/bin/sh\nexit 0\n"),
      complaint_about("#!/bin/sh\necho unknown option \"$1\" >&2\nexit 7\n"),
      complaint_about("#!/bin/sh\necho 'mysqld  Ver 5.1 (an embedded build)'\n"),
      complaint_about("\x7f"
                      "ELF of another machine")};
  EXPECT_THAT(all, Each(AllOf(HasSubstr("mysqld"), Not(HasSubstr("\n")))));
  EXPECT_THAT(all[0], HasSubstr("tells no version (exit status 0); is it a MySQL server?"));
  EXPECT_THAT(all[1], HasSubstr("exit status 7"));
  EXPECT_THAT(all[2], HasSubstr("no option --datadir"));
  EXPECT_THAT(all[3], HasSubstr("is not a program for this machine"));
}

}  // namespace
}  // namespace esox
