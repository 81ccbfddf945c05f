// SPDX-License-Identifier: Apache-2.0
// Bad input: one clear line that names what and where and what to do, exit status 2, and nothing
// half-written.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kGood = R"(
id: good
setup: [CREATE TABLE t1 (a INT)]
clients: [{name: A, requests: [SELECT a FROM t1]}]
)";

class BadInput : public CommandTest {
 protected:
  // The line about it, and nothing on the standard output, and no folder OUT.
  void expect_refused(std::vector<std::string> arguments, const std::vector<std::string>& parts) {
    if (arguments[0] == "hunt") arguments.insert(arguments.end(), {"--out", "out"});
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_EQ(said.out, "");
    for (const std::string& part : parts) EXPECT_THAT(said.err, HasSubstr(part));
    EXPECT_EQ(said.err.rfind("esox: ", 0), 0u) << said.err;
    EXPECT_FALSE(fs::exists(folder() / "out"));
    EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
  }
};

TEST_F(BadInput, InAFileIsToldWithFileAndLine) {
  expect_refused({"hunt", write("a.yaml", "id: x\nsetup: [CREATE\nclients: ]\n")}, {"a.yaml:3:"});
  expect_refused({"hunt", write("b.yaml", "id: x\nclientz: []\n")},
                 {"b.yaml:2:", "unknown key 'clientz'", "did you mean 'clients'"});
  expect_refused({"run", "nothing.yaml"}, {"nothing.yaml", "no such file"});
  expect_refused({"hunt", write("c.txt", "a: b: c")}, {"c.txt:1:"});
}

TEST_F(BadInput, OnTheCommandLineIsToldWithTheRemedy) {
  const std::string good = write("good.yaml", kGood);
  expect_refused({"hunt", good, "--engine", "inodb"}, {"did you mean 'InnoDB'"});
  expect_refused({"hunt", good, "--strategy", "pctt"}, {"unknown strategy 'pctt'", "pct"});
  expect_refused({"hunt", good, "--strategy", "replay"}, {"explores nothing"});
  expect_refused({"hunt", good, "--data-choices", "spurius=on"}, {"did you mean 'spurious'"});
  expect_refused({"run", good, "--data-choices", "start-order=on"},
                 {"start-order is for esox exec"});
  expect_refused({"exec", "--data-choices", "eintr", "--", "/bin/true"}, {"'eintr' has no mode"});
  expect_refused({"hunt", good, "--budget", "soon"}, {"write 90s, 2m or 1h30m"});
  expect_refused({"hunt", good, "--seed", "x"}, {"--seed x"});
  expect_refused({"hunt", good, "--jobs", "0"}, {"--jobs", "esox hunt --help"});
  expect_refused({"hunt", good, "--frobnicate"}, {"--frobnicate", "esox hunt --help"});
  expect_refused({"hunt", good, "--preload", "/nowhere.so"}, {"/nowhere.so", "no such file"});
  expect_refused({"run", good, "--id", "goot"}, {"did you mean good?"});
  expect_refused({"replay"}, {"FINDING is required"});
  expect_refused({"hunt", "--config", "nightly.yaml"}, {"write esox night nightly.yaml"});
  expect_refused({"doctor", "--json", "nowhere/report.json"}, {"there is no folder"});
}

TEST_F(BadInput, AFindingThatIsNoneOrWasChangedIsRefused) {
  expect_refused({"replay", "nowhere"}, {"nowhere"});
  expect_refused({"replay", write("f.yaml", "hello: world\n")}, {"f.yaml"});
}

TEST_F(BadInput, AnOutThatIsTakenIsLeftAlone) {
  const std::string good = write("good.yaml", kGood);
  fs::create_directory(folder() / "taken");
  std::ofstream(folder() / "taken" / "hunt.json") << "{}";
  const Said said = esox({"hunt", good, "--out", "taken"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("earlier hunt"));
  EXPECT_EQ(read(folder() / "taken" / "hunt.json"), "{}");
}

TEST_F(BadInput, AnErrorInTheLastSetupIsToldBeforeTheHunt) {
  const std::string bad = write("bad.yaml", R"(
inputs:
  - id: one
    setup: [CREATE TABLE t1 (a INT)]
    clients: [{name: A, requests: [SELECT a FROM t1]}]
  - id: two
    setup: [CREATE TABLE t1 (a INT), SELEKT 1]
    clients: [{name: A, requests: [SELECT a FROM t1]}]
)");
  expect_refused({"hunt", bad},
                 {"bad.yaml:6:", "setup of two", "setup statement 2", "1064", "SELEKT 1"});
  expect_refused({"run", bad, "--id", "two"}, {"bad.yaml:6:", "SELEKT 1"});
}

TEST_F(BadInput, AServerThatIsNoneIsNamed) {
  const std::string good = write("good.yaml", kGood);
  expect_refused({"hunt", good, "--server", "/nowhere/mariadbd"}, {"/nowhere/mariadbd"});
  expect_refused({"hunt", good, "--server", "no-such-server"}, {"no-such-server", "PATH"});
  expect_refused({"hunt", good, "--server", "/bin/true"}, {"/bin/true", "is it a MariaDB server?"});
}

TEST_F(BadInput, AServerForAnotherArchitectureIsNamed) {
  std::string elf = read("/proc/self/exe").substr(0, 4096);
  ASSERT_GT(elf.size(), 20u);
  elf[18] = '\xb7';  // e_machine: AArch64
  const std::string good = write("good.yaml", kGood);
  for (const auto& [name, content] : {std::pair("foreign", elf), {"script", "hello\n"}}) {
    write(name, content);
    fs::permissions(folder() / name, fs::perms::owner_all);
    expect_refused({"hunt", good, "--server", std::string("./") + name},
                   {name, "not a program for this machine"});
  }
}

TEST_F(BadInput, AServerThatDiesAtStartIsToldWithItsLog) {
  const std::string good = write("good.yaml", kGood);
  expect_refused({"hunt", good, "--server-option=--no-such-option"},
                 {"failed (exit status 2): ",
                  "unknown option '--no-such-option'\nthe end of the "
                  "server's log:\n  | "});
  const std::string bad =
      write("options.yaml", std::string("server_options: [--no-such-thing]") + kGood);
  expect_refused({"hunt", bad}, {"options.yaml:1:", "server_options of good", "--no-such-thing",
                                 "the end of the server's log:\n  | "});
}

TEST_F(BadInput, AFullTemporaryFolderIsNamed) {
  const std::string good = write("good.yaml", kGood);
  ASSERT_EQ(esox({"doctor"}).status, 0) << "the template is made with room";
  // A limit on the size of files has the same effect as a full file system, and needs no root.
  const Said said = esox({"hunt", good, "--out", "out"}, std::chrono::seconds(60), [] {
    const rlimit limit{16 << 10, 16 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("esox: cannot"), HasSubstr("File too large")));
  EXPECT_FALSE(fs::exists(folder() / "out"));
}

TEST_F(BadInput, NoSpaceForTheServersIsNamed) {
  const std::string good = write("good.yaml", kGood);
  const fs::path small = folder() / "small";
  fs::create_directory(small);
  const Said said = esox({"hunt", good, "--out", "out"}, std::chrono::seconds(60), [&] {
    mount_small(small, 0, "size=1m");
    setenv("TMPDIR", small.c_str(), 1);
  });
  if (said.status == kNoMount) GTEST_SKIP() << "mounting is forbidden here";
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("No space left on device"), HasSubstr("TMPDIR")));
  EXPECT_FALSE(fs::exists(folder() / "out"));
}

TEST_F(BadInput, NoSpaceForWhatIsFoundIsNamed) {
  const fs::path small = folder() / "small";
  fs::create_directory(small);
  const std::string good = write("good.yaml", kGood);
  const Said said = esox({"hunt", good, "--out", "small/out", "--executions", "1"},
                         std::chrono::seconds(60), [&] {
                           mount_small(small, 0, "size=8k");
                           std::ofstream(small / "fill") << std::string(4000, 'x');
                         });
  if (said.status == kNoMount) GTEST_SKIP() << "mounting is forbidden here";
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("small/out"), HasSubstr("No space left on device")));
}

}  // namespace
}  // namespace esox
