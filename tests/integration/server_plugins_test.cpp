// SPDX-License-Identifier: Apache-2.0
// Whether a server's plugins are there: beside the program, within it, or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/process/private_directory.h"
#include "targets/mysqld/plugins.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kLocks = "metadata_lock_info.so";

class PluginsTest : public testing::Test {
 protected:
  // A program that prints this whatever it is asked.
  std::filesystem::path program(const std::string& help) {
    const std::filesystem::path file = folder_.path() / "bin/mariadbd";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\ncat <<END\n" << help << "\nEND\n";
    chmod(file.c_str(), 0700);
    return file;
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(PluginsTest, OneThatIsNowhereIsMissing) {
  const auto file = program("  --metadata-locks-cache-size=#");
  EXPECT_THAT(missing_plugins(file, {}), HasSubstr(kLocks));
  EXPECT_THAT(missing_plugins(file, {}), HasSubstr("query_cache_info.so"));
  EXPECT_TRUE(plugin_options(file, {}).empty());
}

TEST_F(PluginsTest, OneThatTheServerWasLinkedWithIsThereAndNotLoaded) {
  const auto file = program("  --metadata-lock-info[=name] \n  Enable or disable it.");
  EXPECT_THAT(missing_plugins(file, {}), Not(HasSubstr(kLocks)));
  EXPECT_TRUE(plugin_options(file, {}).empty());
}

TEST_F(PluginsTest, OneInTheFolderOfPluginsIsLoaded) {
  const auto file = program("");
  std::filesystem::create_directories(folder_.path() / "lib/mysql/plugin");
  std::ofstream(folder_.path() / "lib/mysql/plugin/metadata_lock_info.so") << "x";
  EXPECT_THAT(missing_plugins(file, {}), Not(HasSubstr(kLocks)));
  EXPECT_EQ(plugin_options(file, {}).size(), 1U);
}

}  // namespace
}  // namespace esox
