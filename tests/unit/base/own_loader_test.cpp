// SPDX-License-Identifier: Apache-2.0
// Programs of another release of the system: a root made of this machine's own loader and
// libraries.
#include "base/process/own_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kLibraries = "usr/lib/x86_64-linux-gnu";

class OwnLoader : public testing::Test {
 protected:
  OwnLoader() {
    fs::create_directories(root() / "usr/bin");
    fs::create_directories(root() / kLibraries);
    fs::copy_file("/usr/bin/env", root() / "usr/bin/env");
  }
  fs::path root() const { return folder_.path() / "root"; }
  void add_loader(const std::string& folder) {
    fs::create_directories(root() / folder);
    fs::copy_file("/lib64/ld-linux-x86-64.so.2", root() / folder / "ld-linux-x86-64.so.2");
    fs::copy_file("/lib/x86_64-linux-gnu/libc.so.6", root() / kLibraries / "libc.so.6");
  }
  PrivateDirectory folder_{temporary_base()};
};

TEST_F(OwnLoader, TheMachinesProgramsAreRunAsTheyAre) {
  EXPECT_EQ(launch_of("/usr/bin/env").root, "");
  const Launch launch = launch_of("/usr/bin/env");
  EXPECT_EQ(launch.executable, "/usr/bin/env");
  EXPECT_THAT(launch.arguments, ElementsAre());
  EXPECT_EQ(launch_of(root() / "usr/bin/env").root, "") << "a folder without a loader is no root";
  EXPECT_EQ(launch_of("/no/such/program").executable, "/no/such/program");
  EXPECT_EQ(launch_of("/etc/passwd").executable, "/etc/passwd");
}

TEST_F(OwnLoader, ARootHasItWhereItsReleasePutsIt) {
  add_loader("usr/lib64");
  EXPECT_EQ(launch_of(root() / "usr/bin/env").root, root());
}

TEST_F(OwnLoader, AnAbsoluteLinkIsFollowedInsideTheRoot) {
  add_loader("lib/somewhere");
  fs::create_directories(root() / "lib64");
  fs::create_symlink("/lib/somewhere/ld-linux-x86-64.so.2", root() / "lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(launch_of(root() / "usr/bin/env").executable,
            root() / "lib/somewhere/ld-linux-x86-64.so.2");
}

TEST_F(OwnLoader, AProgramRunsWithItsOwnLibraries) {
  add_loader("usr/lib64");
  const fs::path log = folder_.path() / "log";
  Process process(
      ProcessPlan{root() / "usr/bin/env", {"cat", "/proc/self/maps"}, {}, folder_.path(), log});
  EXPECT_TRUE(process.wait(std::chrono::seconds(20)).has_value());
  // env became the machine's cat; what ran it is in its own line.
  const Launch launch = launch_of(root() / "usr/bin/env");
  EXPECT_THAT(launch.arguments[2], StartsWith((root() / kLibraries).string()));
  EXPECT_THAT(text_of_file(log), HasSubstr("libc"));
}

TEST_F(OwnLoader, AnOlderCLibraryIsLeftForTheMachines) {
  add_loader("usr/lib64");
  std::ofstream(root() / kLibraries / "libc.so.6") << "GLIBC_2.2.5 GLIBC_2.17";
  const Launch launch = launch_of(root() / "usr/bin/env");
  EXPECT_EQ(launch.executable, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_THAT(launch.arguments[2], testing::EndsWith((root() / kLibraries).string() + ":" +
                                                     (root() / "usr/lib64").string() + ":" +
                                                     (root() / "usr/lib").string()));
}

}  // namespace
}  // namespace esox
