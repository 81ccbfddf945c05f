// SPDX-License-Identifier: Apache-2.0
// A private MariaDB from template to death, and every way it can fail to come up.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/process/file_tree.h"
#include "tests/integration/server_fixture.h"

namespace esox {
namespace {

using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

std::string contents(const path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool process_exists(pid_t pid) {
  const std::string status = contents("/proc/" + std::to_string(pid) + "/stat");
  const size_t after_name = status.rfind(')');
  return after_name != std::string::npos && status.substr(after_name + 2, 1) != "Z";
}

bool gone_within(pid_t pid, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (process_exists(pid) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return !process_exists(pid);
}

template <typename Function>
ServerError error_of(const Function& function) {
  try {
    function();
  } catch (const ServerError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line only";
    return error;
  }
  ADD_FAILURE() << "no ServerError";
  return ServerError("");
}

class MariadbServerTest : public ServerTest {};

TEST_F(MariadbServerTest, BootsFromTheTemplateAndTakesConnectionsAtOnce) {
  boot();
  EXPECT_TRUE(running_->alive());
  EXPECT_EQ(running_->exit_text(), "");
  EXPECT_THAT(test_server().version(), HasSubstr("MariaDB"));
  const auto client = connected();
  const Output output =
      ask(*client, "SELECT DATABASE(), CURRENT_USER(), @@datadir, @@skip_networking");
  ASSERT_EQ(output.error, 0U);
  const Row expected = {Cell("test"), Cell("root@localhost"),
                        Cell((folder_.path() / "data").string() + "/"), Cell("1")};
  EXPECT_EQ(output.results[0].rows[0], expected);
}

TEST_F(MariadbServerTest, HasTheEnginesAndTheQueryCache) {
  boot();
  const auto client = connected();
  for (const char* engine : {"InnoDB", "Aria", "MyISAM", "MEMORY"}) {
    const std::string name = std::string("t_") + engine;
    EXPECT_EQ(ask(*client, "CREATE TABLE " + name + " (a INT) ENGINE=" + engine).error, 0U)
        << engine;
    EXPECT_EQ(ask(*client, "INSERT INTO " + name + " VALUES (1),(2)").affected_rows, 2U) << engine;
  }
  ask(*client, "SELECT a FROM t_Aria");
  ask(*client, "SELECT a FROM t_Aria");
  const Output hits = ask(*client, "SHOW STATUS LIKE 'Qcache_hits'");
  EXPECT_EQ(hits.results[0].rows[0][1], Cell("1"));
}

TEST_F(MariadbServerTest, StartsAfreshFromTheTemplateEachTime) {
  boot();
  ask(*connected(), "CREATE TABLE t1 (a INT)");
  const pid_t first = running_->pid();
  running_->stop();
  EXPECT_FALSE(process_exists(first));
  boot();
  EXPECT_TRUE(ask(*connected(), "SHOW TABLES").results[0].rows.empty());
}

TEST_F(MariadbServerTest, TheFirstConnectionAfterBootHasTheSameNumberEachTime) {
  boot();
  const uint64_t first = connected()->connection_id();
  running_->stop();
  boot();
  EXPECT_EQ(connected()->connection_id(), first);
}

TEST_F(MariadbServerTest, RunsWithoutAddressRandomisationInItsOwnSessionWithoutOurDescriptors) {
  // A file of which the server knows nothing (/dev/null it opens itself when it has started), and
  // deliberately without O_CLOEXEC.
  const int ours = open((test_folder().path() / "ours").c_str(), O_RDONLY | O_CREAT, 0600);
  ASSERT_GE(ours, 0);
  boot();
  const path secret = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(ours));
  const std::string proc = "/proc/" + std::to_string(running_->pid());
  const auto flags = std::stoul(contents(proc + "/personality"), nullptr, 16);
  EXPECT_NE(flags & ADDR_NO_RANDOMIZE, 0U);
  EXPECT_EQ(getsid(running_->pid()), running_->pid());
  for (const auto& entry : std::filesystem::directory_iterator(proc + "/fd")) {
    const int number = std::stoi(entry.path().filename().string());
    std::error_code ignored;
    const path target = std::filesystem::read_symlink(entry.path(), ignored);
    EXPECT_NE(target, secret) << number;
  }
  close(ours);
}

TEST_F(MariadbServerTest, GivesTheServerTheEnvironmentAddedAndNotOurs) {
  setenv("ESOX_TEST_OURS", "1", 1);
  running_ =
      test_server().start(StartRequest{&folder_, {"ESOX_TEST_ADDED=2", "TZ=Europe/Lisbon"}, {}});
  const std::string environment = contents("/proc/" + std::to_string(running_->pid()) + "/environ");
  EXPECT_THAT(environment, HasSubstr("ESOX_TEST_ADDED=2"));
  EXPECT_THAT(environment, HasSubstr("TZ=Europe/Lisbon"));
  EXPECT_THAT(environment, Not(HasSubstr("TZ=UTC")));
  EXPECT_THAT(environment, Not(HasSubstr("ESOX_TEST_OURS")));
}

TEST_F(MariadbServerTest, CannotBeMovedOutOfItsFolderByOptions) {
  for (const char* option :
       {"--datadir=/var/lib/mysql", "--log-bin=/tmp/log", "--init-file=../x/y", "-h/", "--"}) {
    const ServerError error = error_of([&] { boot({option}); });
    EXPECT_THAT(error.what(), HasSubstr(option));
  }
  boot({"--port=3306", "--skip-networking=0", "--socket=elsewhere", "--datadir=elsewhere"});
  const Output output = ask(*connected(), "SELECT @@skip_networking, @@socket");
  EXPECT_EQ(output.results[0].rows[0][0], Cell("1"));
  EXPECT_EQ(output.results[0].rows[0][1], Cell((folder_.path() / "socket").string()));
}

TEST_F(MariadbServerTest, CannotWriteFilesOutsideItsFolder) {
  boot();
  const auto client = connected();
  const path outside = test_folder().path() / "outside.txt";
  EXPECT_EQ(ask(*client, "SELECT 1 INTO OUTFILE '" + outside.string() + "'").error, 1290U);
  ask(*client, "CREATE TABLE t1 (a INT) ENGINE=MyISAM DATA DIRECTORY='" +
                   test_folder().path().string() + "'");
  EXPECT_FALSE(std::filesystem::exists(outside));
  EXPECT_FALSE(std::filesystem::exists(test_folder().path() / "t1.MYD"));
}

TEST_F(MariadbServerTest, ADeadStartTellsItsReasonAndItsLog) {
  const ServerError error = error_of([&] { boot({"--no-such-option=1"}); });
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("died at start (exit status"), HasSubstr("no-such-option")));
  EXPECT_THAT(error.details(), HasSubstr("[ERROR] Aborting"));
}

TEST_F(MariadbServerTest, AServerThatIsNotReadyInTimeIsKilled) {
  const ServerError error = error_of([&] {
    test_server().start(StartRequest{&folder_, {}, {}, std::chrono::milliseconds(1)});
  });
  EXPECT_THAT(error.what(), HasSubstr("was not ready within 1 ms"));
  const std::string pid = contents(folder_.path() / "pid");
  EXPECT_TRUE(pid.empty() || !process_exists(std::stoi(pid)));
}

TEST_F(MariadbServerTest, TellsHowItWasKilled) {
  boot();
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, running_->pidfd(), SIGKILL, nullptr, 0), 0);
  EXPECT_TRUE(running_->wait_for_end(std::chrono::seconds(30)));
  EXPECT_FALSE(running_->alive());
  EXPECT_EQ(running_->exit_text(), "killed by SIGKILL");
  running_->stop();
  EXPECT_EQ(running_->exit_text(), "killed by SIGKILL");
}

TEST_F(MariadbServerTest, ACrashLeavesItsSignalAndItsStackInTheLog) {
  boot();
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, running_->pidfd(), SIGABRT, nullptr, 0), 0);
  EXPECT_TRUE(running_->wait_for_end(std::chrono::seconds(30)));
  EXPECT_EQ(running_->exit_text(), "killed by SIGABRT");
  EXPECT_THAT(running_->log_tail(200), HasSubstr("got signal 6"));
}

TEST_F(MariadbServerTest, LeavesNeitherProcessNorFolderBehind) {
  pid_t pid = 0;
  path folder;
  {
    const PrivateDirectory mine(test_folder().path());
    folder = mine.path();
    const auto running = test_server().start(StartRequest{&mine, {}, {}});
    pid = running->pid();
    EXPECT_TRUE(process_exists(pid));
  }
  EXPECT_FALSE(process_exists(pid));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(MariadbServerTest, AKilledParentLeavesNoServerAndItsFolderIsCollectedLater) {
  test_server();  // the template
  const path base = folder_.path();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string cache = test_options().cache.string();
  const pid_t holder = fork();
  if (holder == 0) {
    dup2(ends[1], 1);
    execl(ESOX_SERVER_HOLDER, ESOX_SERVER_HOLDER, cache.c_str(), base.c_str(), nullptr);
    _exit(127);
  }
  ASSERT_GT(holder, 1);
  close(ends[1]);
  FILE* said = fdopen(ends[0], "r");
  int server = 0;
  ASSERT_EQ(fscanf(said, "%d", &server), 1);
  fclose(said);
  ASSERT_GT(server, 1);
  EXPECT_TRUE(process_exists(server));
  ASSERT_EQ(kill(holder, SIGKILL), 0);  // our own child, not yet reaped
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  EXPECT_TRUE(gone_within(server, std::chrono::seconds(30)));

  path left;
  for (const auto& entry : std::filesystem::directory_iterator(base)) {
    if (entry.path().filename().string().starts_with("esox-")) left = entry.path();
  }
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(remove_abandoned(base), 0) << "too young to be called abandoned";
  const timespec long_ago[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, left.c_str(), long_ago, 0), 0);
  EXPECT_EQ(remove_abandoned(base), 1);
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(MariadbServerTest, ALivingOwnersFolderIsNeverCollected) {
  const PrivateDirectory mine(folder_.path());
  const timespec long_ago[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, mine.path().c_str(), long_ago, 0), 0);
  EXPECT_EQ(remove_abandoned(folder_.path()), 0);
  EXPECT_TRUE(std::filesystem::exists(mine.path()));
}

TEST_F(MariadbServerTest, TwoServersRunSideBySide) {
  boot();
  const PrivateDirectory other_folder(test_folder().path());
  const auto other = test_server().start(StartRequest{&other_folder, {}, {}});
  ask(*connected(), "CREATE TABLE t1 (a INT)");
  MysqlClient client;
  client.connect(other->socket_path());
  EXPECT_TRUE(ask(client, "SHOW TABLES").results[0].rows.empty());
}

// In a cache of its own: other tests copy from the shared one while this one damages what is there.
TEST(MariadbTemplate, IsMadeOnceAndMadeAgainWhenDamagedOrForOtherOptions) {
  const PrivateDirectory cache(test_folder().path());
  ServerOptions options = test_options();
  options.cache = cache.path();
  MariadbServer server(options);
  server.prepare();
  const path data = server.prepared();
  const auto made = std::filesystem::last_write_time(data / "ibdata1");
  server.prepare();
  EXPECT_EQ(std::filesystem::last_write_time(data / "ibdata1"), made);
  std::filesystem::resize_file(data / "ibdata1", 4096);
  server.prepare();
  EXPECT_GT(std::filesystem::file_size(data / "ibdata1"), 4096U);

  ServerOptions small_pages = options;
  small_pages.options = {"--innodb-page-size=8k"};
  MariadbServer other(small_pages);
  other.prepare();
  EXPECT_NE(other.prepared(), data);
  const PrivateDirectory folder(test_folder().path());
  EXPECT_TRUE(other.start(StartRequest{&folder, {}, {}})->alive());
}

TEST(MariadbTemplate, TwoAtOnceMakeItOnce) {
  const PrivateDirectory cache(test_folder().path());
  ServerOptions options = test_options();
  options.cache = cache.path();
  std::vector<path> folders(2);
  std::vector<std::thread> threads;
  for (path& folder : folders) {
    threads.emplace_back([&folder, &options] {
      MariadbServer server(options);
      server.prepare();
      folder = server.prepared();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(folders[0], folders[1]);
  size_t templates = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache.path())) {
    if (entry.is_directory()) ++templates;
  }
  EXPECT_EQ(templates, 1U);
}

TEST(FindMariadbd, SaysWhatToDoWhenThereIsNone) {
  EXPECT_THAT(error_of([] {
                MariadbServer({"/no/such/mariadbd", {}, {}, {}});
              }).what(),
              HasSubstr("give the path"));
  EXPECT_THAT(error_of([] {
                MariadbServer({"no-such-mariadbd", {}, {}, {}});
              }).what(),
              HasSubstr("install it"));
}

TEST(MariadbServerProgram, OfAnotherArchitectureIsRecognised) {
  const PrivateDirectory folder(test_folder().path());
  const path program = folder.path() / "mariadbd";
  std::ofstream(program) << "\x7f"
                         << "ELF not for this machine";
  chmod(program.c_str(), 0700);
  ServerOptions options = test_options();
  options.program = program.string();
  EXPECT_THAT(error_of([&] { MariadbServer server(options); }).what(),
              HasSubstr("not a program for this machine"));
}

TEST(MariadbServerProgram, ThatIsNoMariadbIsRecognised) {
  ServerOptions options = test_options();
  options.program = "/bin/false";
  EXPECT_THAT(error_of([&] { MariadbServer server(options); }).what(),
              HasSubstr("is it a MariaDB server?"));
}

TEST(MariadbServerFolders, ABaseThatCannotBeWrittenToIsNamed) {
  ServerOptions options = test_options();
  options.base = "/proc";
  EXPECT_THAT(error_of([&] { MariadbServer server(options); }).what(),
              AllOf(HasSubstr("/proc"), HasSubstr("TMPDIR")));
}

TEST(MariadbServerFolders, ACacheOthersMayWriteToIsRefused) {
  const PrivateDirectory folder(test_folder().path());
  chmod(folder.path().c_str(), 0777);
  ServerOptions options = test_options();
  options.cache = folder.path();
  MariadbServer server(options);
  EXPECT_THAT(error_of([&] { server.prepare(); }).what(), HasSubstr("writable by, others"));
}

TEST(MariadbServerFolders, ASocketPathTooLongIsRefusedBeforeAnythingIsStarted) {
  const path deep = test_folder().path() / std::string(100, 'd');
  std::filesystem::create_directory(deep);
  const PrivateDirectory folder(deep);
  EXPECT_THAT(error_of([&] {
                test_server().start(StartRequest{&folder, {}, {}});
              }).what(),
              AllOf(HasSubstr("107"), HasSubstr("TMPDIR")));
}

// A mount namespace of this process's own: as root, else within a user namespace that maps us to
// root.
bool enter_own_mounts() {
  const std::string user = "0 " + std::to_string(geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(getegid()) + " 1";
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user;
    std::ofstream("/proc/self/gid_map") << group;
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// In a child with a small file system of its own.
TEST(MariadbServerFolders, NoSpaceIsSaidWithTheRemedy) {
  const path data = (test_server(), test_server().prepared());
  const path small = test_folder().path() / "small";
  std::filesystem::create_directory(small);
  const pid_t child = fork();
  if (child == 0) {
    if (!enter_own_mounts() || mount("tmpfs", small.c_str(), "tmpfs", 0, "size=256k") != 0) {
      _exit(77);
    }
    try {
      copy_tree(data, small / "data");
    } catch (const ServerError& error) {
      const std::string what = error.what();
      const bool clear = what.find("No space left") != std::string::npos &&
                         what.find("TMPDIR") != std::string::npos;
      if (!clear) std::fprintf(stderr, "%s\n", error.what());
      _exit(clear ? 0 : 1);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mount namespace here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace esox
