// SPDX-License-Identifier: Apache-2.0
// Files without an owner, on folders made for it.
#include "targets/mysqld/state/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace esox {
namespace {

constexpr std::chrono::milliseconds kSlice{1};

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "esox-files-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ / "data/test");
    std::filesystem::create_directories(folder_ / "tmp");
  }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name) { std::ofstream(folder_ / name) << "x"; }
  // Until a change would bear another stamp.
  void settle(const std::string& name) const {
    while (!stamp_of(folder_ / name)->settled) std::this_thread::sleep_for(kSlice);
  }
  Component take(const TableNames& tables) { return files_.take(folder_, tables); }

  std::filesystem::path folder_;
  OrphanedFiles files_;
};

TEST_F(FilesTest, FilesOfTablesAndOfTheDatabaseItselfAreNoOrphans) {
  for (const char* name : {"db.opt", "t1.frm", "t1.MAD", "t1.MAI", "t1.TRG", "mine.TRN", "p.par",
                           "p#P#p0.MYD", "odd@002dname.ibd", "FTS_0000000000000012_CONFIG.ibd"}) {
    put(std::string("data/test/") + name);
  }
  const Component component = take({{"t1", "p", "odd-name"}, ""});
  EXPECT_EQ(component.unavailable, "");
  EXPECT_EQ(component.count, 0U);
}

TEST_F(FilesTest, FilesOfNoTableAreListedWithoutNumbers) {
  put("data/test/t2.MYD");
  put("data/test/#sql-alter-4a1-5.frm");
  put("tmp/#sql-temptable-4a1-5-0.MAI");
  put("tmp/anything.else");
  const Component component = take({{"t1"}, ""});
  EXPECT_THAT(component.elements,
              testing::UnorderedElementsAre(Element{"test", "t2.MYD"},
                                            Element{"test", "#sql-alter-#-#.frm"},
                                            Element{"tmp", "#sql-temptable-#-#-#.MAI"}));
}

TEST_F(FilesTest, TheSameOrphanOfAnotherProcessIsTheSame) {
  put("data/test/#sql-alter-4a1-5.frm");
  const Component first = take({{}, ""});
  std::filesystem::rename(folder_ / "data/test/#sql-alter-4a1-5.frm",
                          folder_ / "data/test/#sql-alter-77-c.frm");
  EXPECT_TRUE(same(first, take({{}, ""})));
}

TEST_F(FilesTest, WhatAppearsAndGoesBetweenTwoLooksShows) {
  put("data/test/t2.MYD");
  settle("data/test");
  settle("tmp");
  EXPECT_EQ(take({{}, ""}).count, 1U);
  EXPECT_EQ(take({{}, ""}).count, 1U) << "looked at again";
  EXPECT_EQ(take({{"t2"}, ""}).count, 0U) << "its table is there";
  put("data/test/t3.MYD");
  put("tmp/#sql-temptable-4a1-5-0.MAI");
  EXPECT_EQ(take({{}, ""}).count, 3U);
  settle("data/test");
  EXPECT_EQ(take({{}, ""}).count, 3U);
  std::filesystem::remove(folder_ / "data/test/t3.MYD");
  EXPECT_EQ(take({{}, ""}).count, 2U);
}

TEST_F(FilesTest, AnotherServersFilesAreItsOwn) {
  put("data/test/t2.MYD");
  settle("data/test");
  EXPECT_EQ(take({{}, ""}).count, 1U);
  std::filesystem::rename(folder_ / "data", folder_ / "old");
  std::filesystem::create_directories(folder_ / "data/test");
  EXPECT_EQ(take({{}, ""}).count, 0U);
}

TEST_F(FilesTest, WithoutTheListOfTablesNobodyCanSay) {
  EXPECT_EQ(take({{}, "error 2013"}).unavailable, "error 2013");
}

TEST_F(FilesTest, ADatabaseThatWasDroppedHasNoFiles) {
  std::filesystem::remove_all(folder_ / "data/test");
  EXPECT_EQ(take({{}, ""}).unavailable, "");
}

}  // namespace
}  // namespace esox
