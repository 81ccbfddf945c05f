// SPDX-License-Identifier: Apache-2.0
// When the server is asked for its list of tables again, on folders made for it.
#include "targets/mysqld/state/table_list.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace esox {
namespace {

constexpr std::chrono::milliseconds kPause{1};

// That a server keeps the definitions of its tables in files.
constexpr const char* kOwnDefinition = "data/mysql/db.frm";

class TableListTest : public testing::Test {
 protected:
  TableListTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "esox-table-list-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ / "data/test");
    std::filesystem::create_directories(folder_ / "data/mysql");
    std::ofstream(folder_ / kOwnDefinition) << "of one of its own";
    put("t1.frm", "a table");
  }
  ~TableListTest() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& contents) {
    std::ofstream(folder_ / "data/test" / name) << contents;
  }

  // How often the server was asked; `reply_` is what it says, `heard_` what came of it.
  int asks(TableList& list) {
    int asked = 0;
    QuestionBatch batch;
    heard_ = {};
    list.ask(batch, [this](const Output& output) { heard_ = output; });
    batch.run([&](const std::string& question) {
      question_ = question;
      ++asked;
      if (while_asked_) while_asked_();
      return reply_;
    });
    return asked;
  }

  static Output answer(const std::string& name) {
    Output output;
    output.answered = true;
    output.results.push_back(ResultSet{{}, {{Cell(name), Cell("BASE TABLE")}}});
    return output;
  }

  std::filesystem::path folder_;
  Output reply_ = answer("t1");
  Output heard_;
  std::string question_;  // the last one
  std::function<void()> while_asked_;
  TableList list_{"test", false, [this] { return folder_; }};
};

TEST_F(TableListTest, ForTheSameFolderTheServerIsAskedOnce) {
  EXPECT_EQ(asks(list_), 1);
  reply_ = {};
  EXPECT_EQ(asks(list_), 0);
  ASSERT_EQ(heard_.results.size(), 1U);
  EXPECT_EQ(heard_.results[0].rows[0][0], "t1");
}

TEST_F(TableListTest, ATableMoreOneLessAndOneThatBecameAViewAreHeardOf) {
  asks(list_);
  put("t2.frm", "a table");
  EXPECT_EQ(asks(list_), 1);
  std::filesystem::remove(folder_ / "data/test/t1.frm");
  EXPECT_EQ(asks(list_), 1);
  put("t2.frm", "a  view");
  EXPECT_EQ(asks(list_), 1);
  put("t2.frm", "a table");
  EXPECT_EQ(asks(list_), 0);
}

TEST_F(TableListTest, ADefinitionThatIsOverwrittenLaterIsHeardOf) {
  while (!stamp_of(folder_ / "data/test/t1.frm")->settled) std::this_thread::sleep_for(kPause);
  EXPECT_EQ(asks(list_), 1);
  EXPECT_EQ(asks(list_), 0);
  put("t1.frm", "a  view");
  EXPECT_EQ(asks(list_), 1);
  EXPECT_EQ(asks(list_), 0);
}

TEST_F(TableListTest, WhatCannotBeSeenIsAskedEveryTime) {
  TableList blind("test", false, {});
  EXPECT_EQ(asks(blind) + asks(blind), 2);
  put("huge.frm", std::string(100'000, 'x'));
  EXPECT_EQ(asks(list_) + asks(list_), 2);
  std::filesystem::remove_all(folder_ / "data");
  EXPECT_EQ(asks(list_) + asks(list_), 2);
}

TEST_F(TableListTest, EachDatabaseHasAFolderOfItsOwn) {
  TableList other("d1", false, [this] { return folder_; });
  EXPECT_EQ(asks(other) + asks(other), 2);  // none yet
  std::filesystem::create_directory(folder_ / "data/d1");
  std::ofstream(folder_ / "data/d1/db.opt") << "its character set";
  EXPECT_EQ(asks(other) + asks(other), 1);
  EXPECT_EQ(question_, "SHOW FULL TABLES FROM `d1`");
  put("t2.frm", "a table");
  EXPECT_EQ(asks(other), 0);
}

TEST_F(TableListTest, ADatabaseWhoseFolderHasAnotherNameIsAskedEveryTime) {
  TableList other("..", false, [this] { return folder_; });
  EXPECT_EQ(asks(other) + asks(other), 2);
}

TEST_F(TableListTest, AServerWithoutFilesOfDefinitionsIsAskedEveryTime) {
  std::filesystem::remove(folder_ / kOwnDefinition);
  EXPECT_EQ(asks(list_) + asks(list_), 2);
}

TEST_F(TableListTest, TablesThatStayAreAskedForUntilTheServerAnswers) {
  TableList staying("test", true, {});
  reply_ = {};
  EXPECT_EQ(asks(staying), 1);
  reply_ = answer("t1");
  EXPECT_EQ(asks(staying) + asks(staying), 1);
  EXPECT_EQ(heard_.results[0].rows[0][0], "t1");
  staying.begin([](const std::string&) { return Output{}; });
  EXPECT_EQ(asks(staying), 1);
}

TEST_F(TableListTest, AnAnswerIsNotKeptIfItFailedOrTheFolderChangedMeanwhile) {
  reply_.results.clear();
  reply_.error = 1146;
  EXPECT_EQ(asks(list_) + asks(list_), 2);
  reply_ = answer("t1");
  while_asked_ = [this] { put("t2.frm", "a table"); };
  asks(list_);
  std::filesystem::remove(folder_ / "data/test/t2.frm");
  while_asked_ = {};
  EXPECT_EQ(asks(list_), 1);
}

TEST_F(TableListTest, NothingHoldsForAnotherServer) {
  asks(list_);
  list_.begin([](const std::string&) { return Output{}; });
  EXPECT_EQ(asks(list_), 1);
}

TEST_F(TableListTest, TheQuestionIsPreparedWhereTheServerCan) {
  const auto takes = [this](bool can) {
    list_.begin([can](const std::string& statement) {
      EXPECT_EQ(statement, "PREPARE `esox_tables_test` FROM 'SHOW FULL TABLES FROM `test`'");
      Output output;
      output.answered = true;
      output.error = can ? 0 : 1295;
      return output;
    });
    asks(list_);
    return question_;
  };
  EXPECT_EQ(takes(true), "EXECUTE `esox_tables_test`");
  EXPECT_EQ(takes(false), "SHOW FULL TABLES FROM `test`");
}

}  // namespace
}  // namespace esox
