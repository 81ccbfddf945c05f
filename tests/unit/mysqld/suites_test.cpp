// SPDX-License-Identifier: Apache-2.0
// What is made for a runner of suites and read of what it leaves; and what passes between a client
// and a server while we stand between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "base/process/unique_fd.h"
#include "targets/mysqld/suites/capture_files.h"
#include "targets/mysqld/suites/recording.h"
#include "targets/mysqld/suites/suite.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void write_program(const fs::path& path, const std::string& text) {
  write_file(path, text);
  fs::permissions(path, fs::perms::owner_all);
}

TEST(RunnerLog, TellsWhatWasNotRun) {
  const auto skipped = skipped_by_runner(
      "main.view_debug                 [ skipped ]  Requires debug build\n"
      "main.create_or_replace2 'row'   [ skipped ]  Requires debug build\n"
      "main.view                       w1 [ pass ]     12\n"
      "innodb.x                        [ disabled ]  broken\nnoise [ skipped ]\n");
  EXPECT_THAT(skipped, UnorderedElementsAre(Pair("main/view_debug", "Requires debug build"),
                                            Pair("main/create_or_replace2", "Requires debug build"),
                                            Pair("innodb/x", "broken")));
}

// A server that greets, takes one packet as the login, and gives an OK for each further one.
class ToyServer {
 public:
  explicit ToyServer(const fs::path& place)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, place.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(listen(listener_.get(), 8), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~ToyServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

 private:
  void serve() const {
    while (true) {
      const UniqueFd client(accept(listener_.get(), nullptr, nullptr));
      if (!client) return;
      std::string greeting(
          "\x2c\0\0\0\x0a"
          "1\0"
          "\1\0\0\0"
          "12345678"
          "\0"
          "\xff\xf7"
          "\x21\2\0"
          "\x08\0",
          28);
      greeting.resize(48);
      send(client.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
      char buffer[4096];
      while (recv(client.get(), buffer, sizeof buffer, 0) > 0) {
        send(client.get(), "\3\0\0\1\0\0\0", 7, MSG_NOSIGNAL);
      }
    }
  }

  UniqueFd listener_;
  std::thread thread_;
};

// What the tests' client programs do, with a login for the database test before.
constexpr const char* kClient = R"pl(#!/usr/bin/perl
use IO::Socket::UNIX;
my $server = IO::Socket::UNIX->new($ENV{MASTER_MYSOCK}) or die "no server: $!";
sub say_to {
  $server->syswrite(substr(pack('V', length $_[1]), 0, 3) . chr($_[0]) . $_[1]);
  sysread($server, my $got, 999);
}
sysread($server, my $greeting, 999);
say_to(1, pack('VVC', 0x8208, 1 << 24, 33) . "\0" x 23 . "root\0\0test\0");
say_to(0, "\3$_") for 'SELECT 1', 'SELECT 2';
exit($ENV{WANTED} || 0);
)pl";

class Capturing : public testing::Test {
 protected:
  Capturing() {
    write_program(root_ / "real/mysqltest", kClient);
    setenv("MASTER_MYSOCK", (root_ / "s.sock").c_str(), 1);
    unsetenv("MTR_COMBINATIONS");
    unsetenv("WANTED");
  }

  int run(const std::string& test) const {
    return run_as_client({root_ / "done", root_ / "real/mysqltest", "--test-file=" + test});
  }

  PrivateDirectory directory_{temporary_base()};
  fs::path root_ = directory_.path();
  ToyServer server_{root_ / "s.sock"};
};

TEST_F(Capturing, KeepsWhatTheClientAsked) {
  EXPECT_EQ(run("/x/mysql-test/t/view.test"), 0);
  const auto finished = finished_tests(root_ / "done");
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].suite, "main");
  EXPECT_EQ(finished[0].name, "view");
  EXPECT_EQ(finished[0].ending, FinishedTest::Ending::kPassed);
  EXPECT_EQ(text_of_file(finished[0].folder / kRequestLog),
            "1 0 4 Login\ntest\n1 0 8 Query\nSELECT 1\n1 0 8 Query\nSELECT 2\n");
}

TEST_F(Capturing, LeavesTheServersSocketWhereItWas) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run("/x/mysql-test/main/view.test"), 0);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, UnorderedElementsAre("real", "s.sock", "done"));
}

TEST_F(Capturing, TellsStatusAndCombination) {
  setenv("MTR_COMBINATIONS", "innodb,row", 1);
  setenv("WANTED", "62", 1);
  EXPECT_EQ(run("/x/mysql-test/suite/rpl/t/y.test"), 62);
  const auto finished = finished_tests(root_ / "done");
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].suite, "rpl");
  EXPECT_EQ(finished[0].name, "y");
  EXPECT_EQ(finished[0].combination, ",innodb,row");
  EXPECT_EQ(finished[0].ending, FinishedTest::Ending::kSkipped);
}

TEST(Recording, AServerThatIsNotThereIsToldInOneLine) {
  const PrivateDirectory directory(temporary_base());
  const fs::path place = fs::path(directory.path()) / "none.sock";
  EXPECT_THROW(run_recorded(place, "/bin/true", {}), ServerError);
  EXPECT_THROW(run_recorded(std::string(200, 'x'), "/bin/true", {}), ServerError);
}

TEST(ProgramFolder, HasTheStandInForTheClientAndTheOthers) {
  const PrivateDirectory directory(temporary_base());
  const fs::path root = directory.path();
  write_program(root / "real/mysqltest", "#!/bin/sh\necho real\n");
  write_program(root / "real/mysql", "#!/bin/sh\necho mysql\n");
  make_program_folder(root / "it's", {root / "real/mysqltest", root / "real/mysql"},
                      {"mysqltest", {"/bin/echo", "import"}, root / "done"});
  const std::string out = root / "out";
  ASSERT_EQ(system(("\"" + (root / "it's/mysqltest").string() + "\" --a 'b c' >" + out).c_str()),
            0);
  EXPECT_EQ(text_of_file(out), "import " + (root / "done").string() + " " +
                                   (root / "real/mysqltest").string() + " --a b c\n");
  EXPECT_EQ(fs::read_symlink(root / "it's/mysql"), root / "real/mysql");
}

class Suite : public testing::Test {
 protected:
  // As Debian's package of MySQL is laid out, with three tests.
  Suite() {
    write_file(folder_ / "mysql-test-run.pl", "");
    write_file(folder_ / "t/b.test", "select 1;");
    write_file(folder_ / "t/a.test", "--exec true\n");
    write_file(folder_ / "t/c.test", "select 2;");
    write_file(folder_ / "t/c-master.opt", "--sort_buffer_size=32M\n");
    write_file(folder_ / "bin/mysqltest", "");
    write_file(root_ / "usr/sbin/mysqld", "");
    write_file(root_ / "usr/bin/mysqladmin", "");
  }

  PrivateDirectory directory_{temporary_base()};
  fs::path root_ = directory_.path();
  fs::path folder_ = root_ / "usr/lib/mysql-test";
};

TEST_F(Suite, ListsTestsAndWhatIsLeftOut) {
  const MysqldSuites suites(folder_, "");
  const auto tests = suites.tests_of("main", {});
  ASSERT_EQ(tests.size(), 3u);
  EXPECT_EQ(tests[0].left_out, "runs programs");
  EXPECT_EQ(tests[1].key(), "main/b");
  EXPECT_THAT(tests[2].server_options, ElementsAre("--sort_buffer_size=32M"));
  EXPECT_EQ(suites.tests_of("main", {"b"}).size(), 1u);
  EXPECT_THROW(suites.tests_of("nothing", {}), ServerError);
  EXPECT_THROW(suites.tests_of("../main", {}), ServerError);
  EXPECT_THROW(suites.tests_of("main", {"zzz"}), ServerError);
}

TEST_F(Suite, IsFoundNearTheServer) {
  EXPECT_EQ(MysqldSuites("", root_).folder(), folder_);
  EXPECT_EQ(MysqldSuites("", root_ / "usr/sbin/mysqld").folder(), folder_);
  EXPECT_THROW(MysqldSuites(root_ / "usr/lib", ""), ServerError);
}

TEST_F(Suite, GivesTheRunnerAllPrograms) {
  MysqldSuites(folder_, "").prepare(root_ / "own", root_ / "done");
  for (const char* name : {"bin/mysqltest", "bin/mysqld", "bin/mysqladmin", "lib/mysql-test"}) {
    EXPECT_TRUE(fs::exists(root_ / "own/programs" / name)) << name;
  }
}

// As MariaDB's is; its runner finds the server by itself.
TEST(MariadbSuite, HasAFolderForItsMainSuite) {
  const PrivateDirectory directory(temporary_base());
  const fs::path root = directory.path();
  const fs::path folder = root / "usr/share/mysql/mysql-test";
  write_file(folder / "mariadb-test-run.pl", "");
  write_file(folder / "mysql-test-run.pl", "");
  write_file(folder / "main/a.test", "select 1;");
  EXPECT_THROW(MysqldSuites(folder, ""), ServerError);  // without the client program
  write_file(root / "usr/bin/mariadb-test", "");
  const MysqldSuites suites(folder, "");
  EXPECT_EQ(suites.tests_of("main", {}).size(), 1u);
  EXPECT_THAT(suites.command("/own", 1), testing::Contains("mariadb-test-run.pl"));
}

}  // namespace
}  // namespace esox
