// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/trace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/report/layout.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TraceText : public ::testing::Test {
 protected:
  TraceText() : record_(test::StaleCache::execution()), input_(test::StaleCache::input().input) {}

  void add(ThreadId thread, OpKind kind, uint64_t object = 0, uint8_t flags = kTraceOffered) {
    const auto point = static_cast<uint32_t>(record_.trace.size() + 1);
    record_.trace.push_back({0x1000 + object, object, 0, point, thread, kind, flags});
  }

  std::string text(size_t width = 120) const {
    Symbols symbols({{0x1000, 0x2000, 0x1000, "/usr/sbin/mariadbd"}});
    return trace_text(record_, input_, symbols, {.width = width, .context = 3});
  }

  std::vector<std::string> lines(size_t width = 120) const {
    std::istringstream in(text(width));
    std::vector<std::string> list;
    for (std::string line; std::getline(in, line);) list.push_back(line);
    return list;
  }

  // The line of a point.
  std::string line_of(uint32_t point) const {
    for (const std::string& line : lines()) {
      uint32_t number = 0;
      char space = 0;
      if (std::sscanf(line.c_str(), "%6u%c", &number, &space) == 2 && number == point &&
          line.starts_with(' ')) {
        return line;
      }
    }
    return "";
  }

  ExecutionRecord record_;
  Input input_;
};

TEST_F(TraceText, EachClientHasItsColumnAndSitesStandAtTheRight) {
  add(0, OpKind::kMutexLock, 0x10);
  add(1, OpKind::kMutexLock, 0x20);
  const std::string a = line_of(1);
  const std::string b = line_of(2);
  EXPECT_LT(a.find("lock mutex#1"), b.find("lock mutex#2"));
  EXPECT_EQ(a.find("mariadbd+0x10"), b.find("mariadbd+0x20"));
  EXPECT_NE(a.find("mariadbd+0x10"), std::string::npos);
}

TEST_F(TraceText, ObjectsAreNumberedByKindInTheOrderOfFirstUse) {
  add(0, OpKind::kMutexLock, 0x900);
  add(0, OpKind::kWriteLock, 0x800);
  add(0, OpKind::kMutexLock, 0x700);
  add(0, OpKind::kMutexLock, 0x900);
  EXPECT_THAT(line_of(1), HasSubstr("lock mutex#1"));
  EXPECT_THAT(line_of(2), HasSubstr("write-lock rwlock#1"));
  EXPECT_THAT(line_of(3), HasSubstr("lock mutex#2"));
  EXPECT_THAT(line_of(4), HasSubstr("lock mutex#1"));
}

TEST_F(TraceText, FilesGoByTheirPaths) {
  record_.names[0x77] = "/tmp/private/data/test/t1.MAD";
  add(1, OpKind::kFileWrite, 0x77);
  EXPECT_THAT(line_of(1), HasSubstr("write test/t1.MAD"));
  EXPECT_THAT(text(), HasSubstr("/tmp/private/data/test/t1.MAD"));  // in the list at the end
}

TEST_F(TraceText, SwitchesSayWhereAndWhyAndWhatTheNextThreadStoodBefore) {
  add(0, OpKind::kMutexLock, 0x10, kTraceSwitchedAway);
  add(1, OpKind::kCondWait, 0x20, kTraceBlocked);
  add(0, OpKind::kRequestEnd);
  add(1, OpKind::kMutexLock, 0x30);
  EXPECT_THAT(text(), HasSubstr("\n---- switch A -> B at point 1: A could have gone on ---"));
  EXPECT_THAT(text(), HasSubstr("\n---- switch B -> A at point 2: B has to wait; A goes on with: "
                                "lock mutex#1 ---"));
  EXPECT_THAT(text(), HasSubstr("\n---- switch A -> B at point 3: A has answered; B goes on with: "
                                "wait cond#1 ---"));
}

TEST_F(TraceText, EveryFlagHasItsMark) {
  add(0, OpKind::kMutexLock, 0x10, kTraceSwitchedAway);
  add(0, OpKind::kMutexLock, 0x10, kTraceBlocked);
  add(0, OpKind::kMutexLock, 0x10, kTraceTimedOut);
  add(0, OpKind::kMutexLock, 0x10, kTraceExternal);
  add(0, OpKind::kMutexLock, 0x10, kTraceDemoted);
  EXPECT_THAT(line_of(1), HasSubstr("[!]"));
  EXPECT_THAT(line_of(2), HasSubstr("[waits]"));
  EXPECT_THAT(line_of(3), HasSubstr("[timed out]"));
  EXPECT_THAT(line_of(4), HasSubstr("[outside]"));
  EXPECT_THAT(line_of(5), HasSubstr("[demoted]"));
}

TEST_F(TraceText, LongRunsAreCutInTheMiddleButNotAroundWhatMatters) {
  add(0, OpKind::kRequestBegin);
  for (int i = 0; i < 100; ++i) add(0, OpKind::kMutexLock, 0x10);
  add(1, OpKind::kRequestBegin);
  for (int i = 0; i < 50; ++i) add(1, OpKind::kMutexLock, 0x20);
  add(1, OpKind::kMutexLock, 0x20, kTraceTimedOut);  // point 153
  for (int i = 0; i < 50; ++i) add(1, OpKind::kMutexLock, 0x20);
  add(1, OpKind::kRequestEnd);
  for (uint32_t shown : {1u, 2u, 4u, 99u, 100u, 101u, 102u, 103u, 104u, 153u, 202u, 203u, 204u}) {
    EXPECT_NE(line_of(shown), "") << shown;
  }
  for (uint32_t cut : {50u, 130u, 180u}) EXPECT_EQ(line_of(cut), "") << cut;
  EXPECT_THAT(text(), HasSubstr("... 94 operations (points 5-98)"));
  EXPECT_LT(lines().size(), 60u);
}

TEST_F(TraceText, GapsOfAFewLinesAreShown) {
  for (int i = 0; i < 9; ++i) add(0, OpKind::kMutexLock, 0x10);  // 3 + 3 kept, 3 between
  EXPECT_THAT(text(), Not(HasSubstr("... 3 operations")));
  EXPECT_NE(line_of(5), "");
}

TEST_F(TraceText, CountsTheRequestsOfAClient) {
  for (int i = 0; i < 2; ++i) {
    add(0, OpKind::kRequestBegin);
    add(0, OpKind::kRequestEnd);
  }
  EXPECT_THAT(line_of(1), HasSubstr("A1 begins"));
  EXPECT_THAT(line_of(2), HasSubstr("A1 ends"));
  EXPECT_THAT(line_of(3), HasSubstr("A2 begins"));
  EXPECT_THAT(line_of(4), HasSubstr("A2 ends"));
}

TEST_F(TraceText, KeepsToTheWidth) {
  record_.names[0x77] = "/tmp/" + std::string(300, 'x') + "/t1.MAD";
  input_.clients[0].requests[0].text =
      "SELECT a FROM t1 WHERE a IN (1, 2, 3, 4, 5) AND b = 'some text "
      "that goes on and on' ORDER BY a, b, c LIMIT 100";
  for (int i = 0; i < 40; ++i) {
    add(static_cast<ThreadId>(i / 7 % 2), OpKind::kFileWrite, 0x77, kTraceSwitchedAway);
  }
  for (size_t width : {100u, 120u, 140u}) {
    for (const std::string& line : lines(width)) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST_F(TraceText, OfNothingAndOfUnknownThreadsIsStillATrace) {
  EXPECT_THAT(text(), HasSubstr("(no operations were recorded)"));
  add(7, OpKind::kThreadStart);
  EXPECT_THAT(text(), HasSubstr("T7"));
}

TEST_F(TraceText, TellsHowToReadIt) {
  EXPECT_THAT(text(), HasSubstr("How to read this."));
  EXPECT_THAT(text(), HasSubstr("A1  SELECT a FROM t1"));
}

TEST(Layout, CutsAndPadsByCharacters) {
  EXPECT_EQ(keep_start("abcdefgh", 6), "abc...");
  EXPECT_EQ(keep_end("abcdefgh", 6), "...fgh");
  EXPECT_EQ(keep_start("abc", 3), "abc");
  EXPECT_EQ(keep_start("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6", 4), "\xc3\xa4...");
  EXPECT_EQ(padded("\xc3\xa4", 3), "\xc3\xa4  ");
  EXPECT_EQ(wrapped("one two three", 8, 1), " one two\n three\n");
  EXPECT_EQ(labelled("A1  ", "one two three", 12, 2), "  A1  one\n      two\n      three\n");
}

}  // namespace
}  // namespace esox
