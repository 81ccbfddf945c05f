// SPDX-License-Identifier: Apache-2.0
// Copying and removing folders: whole, exact, and never through a symbolic link.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/process/file_tree.h"
#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

using std::filesystem::path;
using testing::HasSubstr;

std::string contents(const path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write(const path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

class FileTreeTest : public testing::Test {
 protected:
  PrivateDirectory folder_{temporary_base()};
};

TEST_F(FileTreeTest, CopiesContentsModesFoldersAndHoles) {
  const path from = folder_.path() / "from";
  std::filesystem::create_directories(from / "a/b");
  write(from / "a/b/small", std::string("x\0y", 3));
  write(from / "empty", "");
  const std::string zeros(1 << 20, '\0');
  const std::string mixed = "begin" + zeros + "middle" + zeros;
  write(from / "mixed", mixed);
  chmod((from / "mixed").c_str(), 0600);
  make_sparse(from);
  struct stat status {};
  ASSERT_EQ(stat((from / "mixed").c_str(), &status), 0);
  const bool holes = status.st_blocks * 512 < 100000;  // not every file system has them

  copy_tree(from, folder_.path() / "to");
  EXPECT_EQ(contents(folder_.path() / "to/a/b/small"), std::string("x\0y", 3));
  EXPECT_EQ(contents(folder_.path() / "to/mixed"), mixed);
  EXPECT_EQ(tree_size(folder_.path() / "to"), tree_size(from));
  EXPECT_EQ(tree_size(from).files, 3U);
  ASSERT_EQ(stat((folder_.path() / "to/mixed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  if (holes) {
    EXPECT_LT(status.st_blocks * 512, 100000);
  }
}

TEST_F(FileTreeTest, RemovesLinksAndNotWhatTheyPointTo) {
  const path kept = folder_.path() / "kept";
  std::filesystem::create_directory(kept);
  write(kept / "file", "precious");
  const path doomed = folder_.path() / "doomed";
  std::filesystem::create_directories(doomed / "inside");
  std::filesystem::create_directory_symlink(kept, doomed / "inside/link");
  std::filesystem::create_symlink(kept / "file", doomed / "file-link");
  remove_tree(doomed);
  EXPECT_FALSE(std::filesystem::exists(doomed));
  EXPECT_EQ(contents(kept / "file"), "precious");
  remove_tree(doomed);  // missing is fine
}

TEST_F(FileTreeTest, RefusesToRemoveThroughALinkOrCopyOne) {
  const path kept = folder_.path() / "kept";
  std::filesystem::create_directory(kept);
  const path link = folder_.path() / "link";
  std::filesystem::create_directory_symlink(kept, link);
  EXPECT_THROW(remove_tree(link), ServerError);
  EXPECT_TRUE(std::filesystem::exists(kept));
  std::filesystem::create_symlink("/etc/passwd", kept / "passwd");
  EXPECT_THROW(copy_tree(kept, folder_.path() / "copy"), ServerError);
}

TEST_F(FileTreeTest, APrivateDirectoryIsOursAloneAndGoes) {
  path where;
  {
    const PrivateDirectory mine(folder_.path());
    where = mine.path();
    struct stat status {};
    ASSERT_EQ(stat(where.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    write(where / "file", "x");
  }
  EXPECT_FALSE(std::filesystem::exists(where));
}

TEST_F(FileTreeTest, TailGivesTheLastLines) {
  const path log = folder_.path() / "log";
  write(log, "one\ntwo\nthree\n");
  EXPECT_EQ(tail_of(log, 2), "two\nthree");
  EXPECT_EQ(tail_of(log, 9), "one\ntwo\nthree");
  EXPECT_EQ(tail_of(log, 0), "");
  EXPECT_EQ(tail_of(folder_.path() / "none", 3), "");
}

TEST_F(FileTreeTest, AWatchedTextIsSeenEvenWhenWrittenInTwoPieces) {
  const path log = folder_.path() / "log";
  LogWatch watch(log, "ready for");
  EXPECT_FALSE(watch.seen());
  write(log, "not rea");
  EXPECT_FALSE(watch.seen());
  std::ofstream(log, std::ios::app) << "dy for";
  EXPECT_TRUE(watch.seen());
}

}  // namespace
}  // namespace esox
