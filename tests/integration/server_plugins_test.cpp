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
  // Beside it are its plugins.
  std::filesystem::path program() { return folder_.path() / "bin/mariadbd"; }
  // What is missing of a program with this help.
  std::string missing(const std::string& help) {
    return missing_plugins(program(), read_release(help), {});
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(PluginsTest, OneThatIsNowhereIsMissing) {
  const std::string help = "  --metadata-locks-cache-size=#";
  EXPECT_THAT(missing(help), HasSubstr(kLocks));
  EXPECT_THAT(missing(help), HasSubstr("query_cache_info.so"));
  EXPECT_TRUE(plugin_options(program(), {}).empty());
}

TEST_F(PluginsTest, OneThatTheServerWasLinkedWithIsThereAndNotLoaded) {
  EXPECT_THAT(missing("  --metadata-lock-info[=name] \n  Enable or disable it."),
              Not(HasSubstr(kLocks)));
  EXPECT_TRUE(plugin_options(program(), {}).empty());
}

TEST_F(PluginsTest, OneInTheFolderOfPluginsIsLoaded) {
  std::filesystem::create_directories(folder_.path() / "lib/mysql/plugin");
  std::ofstream(folder_.path() / "lib/mysql/plugin/metadata_lock_info.so") << "x";
  EXPECT_THAT(missing(""), Not(HasSubstr(kLocks)));
  EXPECT_EQ(plugin_options(program(), {}).size(), 1U);
}

}  // namespace
}  // namespace esox
