// SPDX-License-Identifier: Apache-2.0
// What the key-value server answers when nobody else asks.
#include "tests/keyvalue/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/keyvalue/bugs.h"

namespace keyvalue {
namespace {

class StoreTest : public testing::Test {
 protected:
  std::string ask(const std::string& line) {
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    return store_.execute(words);
  }

  Store store_;
};

TEST_F(StoreTest, KeepsValuesAndTheirVersions) {
  EXPECT_EQ(ask("GET k"), "NONE");
  EXPECT_EQ(ask("SET k a"), "OK");
  EXPECT_EQ(ask("CREATE k b"), "ERROR exists");
  EXPECT_EQ(ask("APPEND k x"), "OK");
  EXPECT_EQ(ask("GETS k"), "VALUE ax 2");
  EXPECT_EQ(ask("CAS k a b"), "ERROR changed");
  EXPECT_EQ(ask("CAS k ax b"), "OK");
  EXPECT_EQ(ask("FIND b"), "ROW k 3\nOK");
  EXPECT_EQ(ask("FIND ax"), "OK");
  EXPECT_EQ(ask("GET k"), "VALUE b");
  EXPECT_EQ(ask("GET k"), "VALUE b");
  EXPECT_EQ(ask("STATS"), "ROW reads 4\nROW hits 1\nROW writes 3\nROW records 1\nOK");
  EXPECT_EQ(ask("DEL k"), "OK");
  EXPECT_EQ(ask("DEL k"), "NONE");
  EXPECT_EQ(ask("COUNT"), "VALUE 0");
}

TEST_F(StoreTest, AddsAndMovesNumbersOnly) {
  EXPECT_EQ(ask("ADD a 10"), "VALUE 10");
  EXPECT_EQ(ask("ADD b 5"), "VALUE 5");
  EXPECT_EQ(ask("MOVE a b 4"), "OK");
  EXPECT_EQ(ask("MGET a b c"), "ROW a 6\nROW b 9\nOK");
  EXPECT_EQ(ask("SET t text"), "OK");
  EXPECT_EQ(ask("MOVE a t 1"), "ERROR not a number");
  EXPECT_EQ(ask("ADD t 1"), "ERROR not a number");
  EXPECT_EQ(ask("ADD a 9223372036854775807"), "ERROR not a number");
  EXPECT_EQ(ask("SCAN"), "ROW a 6\nROW b 9\nROW t text\nOK");
  EXPECT_EQ(ask("SUM"), "VALUE 15");
}

TEST_F(StoreTest, IsFullAndEmptyAgain) {
  for (int i = 0; i < 16; ++i) EXPECT_EQ(ask("SET k" + std::to_string(i) + " v"), "OK");
  EXPECT_EQ(ask("SET more v"), "ERROR full");
  EXPECT_EQ(ask("LOG line"), "OK");
  EXPECT_EQ(ask("TAIL"), "VALUE line");
  EXPECT_EQ(ask("CLEAR"), "OK");
  EXPECT_EQ(ask("TAIL"), "NONE");
  EXPECT_EQ(ask("DUMP"), Store().execute({"DUMP"}));
}

TEST_F(StoreTest, RefusesWhatIsNoRequest) {
  EXPECT_EQ(ask(""), "ERROR unknown request");
  EXPECT_EQ(ask("get k"), "ERROR unknown request");
  EXPECT_EQ(ask("GET"), "ERROR wrong number of words");
  EXPECT_EQ(ask("GET a b"), "ERROR wrong number of words");
}

TEST(Bugs, AreKnownByTheirNames) {
  EXPECT_GE(all_bugs().size(), 12u);
  EXPECT_FALSE(choose_bug("typo"));
  EXPECT_TRUE(choose_bug("crash"));
  EXPECT_TRUE(has("crash"));
  EXPECT_TRUE(choose_bug("none"));
  EXPECT_FALSE(has("crash"));
}

}  // namespace
}  // namespace keyvalue
