// SPDX-License-Identifier: Apache-2.0
// Where lines with sync points can stand in a server's source, and the patch that they make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/sync/added_points.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kSource = R"(#include "x.h"
/* do_it(int a) { } */
bool do_it(int a);

static bool
do_it(int a)
{
  int list[] = {
    1, 2 };
  call("a;",
       a); // then; {
  if (a)
    call(b);
  else
    call(c);
  for (int i = 0;
       i < 3; i++)
  {
    do {
      call(d);
    }
    while (a);
#define X call(e);
    switch (a) {
    case 1:
      break;
    }
  }
  return do_it(a);
}

void other()
{
  do_it(3);
}
)";

std::vector<size_t> lines_of(const std::vector<AddedPoint>& points) {
  std::vector<size_t> lines;
  for (const AddedPoint& point : points) lines.push_back(point.line);
  return lines;
}

TEST(SyncAddedPoints, StandAfterWholeStatementsOfTheFunctionAlone) {
  EXPECT_THAT(lines_of(points_to_add(kSource, "do_it")),
              ElementsAre(7, 9, 11, 15, 18, 19, 20, 22, 26, 27, 28, 29));
  EXPECT_THAT(points_to_add(kSource, "other"),
              ElementsAre(AddedPoint{"other_33", 33}, AddedPoint{"other_34", 34}));
}

TEST(SyncAddedPoints, AreNoneWhereTheFunctionIsOnlyCalledOrPartOfAName) {
  EXPECT_THAT(points_to_add(kSource, "call"), IsEmpty());
  EXPECT_THAT(points_to_add(kSource, "it"), IsEmpty());
  EXPECT_THAT(points_to_add("", "it"), IsEmpty());
}

TEST(SyncAddedPoints, OfAMemberAreFoundByItsWholeName) {
  const std::string text = "int A::f(int) const\n{\n  g();\n}\nint B::f(int)\n{\n  h();\n}\n";
  EXPECT_THAT(points_to_add(text, "B::f"),
              ElementsAre(AddedPoint{"B__f_6", 6}, AddedPoint{"B__f_7", 7}));
  EXPECT_THAT(points_to_add(text, "f"), IsEmpty());
}

TEST(SyncAddedPoints, LeaveAllLinesWhereTheyWere) {
  const std::string text = with_points("f()\n{\n  g(); /* and\n  so on */\n}\n", {{"f_3", 3}});
  EXPECT_EQ(text, "f()\n{\n  g(); DEBUG_SYNC_C(\"f_3\"); /* and\n  so on */\n}\n");
}

TEST(SyncAddedPoints, AreAPatchThatGivesWhatIsBuilt) {
  const std::string text = "1;\n2;\n3;\n4;\n  5;\n6;\n7;\n8;\n9;\n";
  const std::vector<AddedPoint> points = {{"a", 4}};
  EXPECT_EQ(patch_of("sql/x.cc", text, points),
            "--- a/sql/x.cc\n+++ b/sql/x.cc\n@@ -1,7 +1,8 @@\n 1;\n 2;\n 3;\n 4;\n"
            "+  DEBUG_SYNC_C(\"a\");\n   5;\n 6;\n 7;\n");
  EXPECT_EQ(with_point_lines(text, points),
            "1;\n2;\n3;\n4;\n  DEBUG_SYNC_C(\"a\");\n  5;\n6;\n7;\n8;\n9;\n");
}

TEST(SyncAddedPoints, FarFromEachOtherArePiecesOfThePatch) {
  std::string text;
  for (int i = 1; i <= 30; ++i) text += std::to_string(i) + ";\n";
  const std::string patch = patch_of("x", text, {{"b", 25}, {"a", 5}, {"c", 27}});
  EXPECT_THAT(patch, testing::HasSubstr("@@ -2,7 +2,8 @@\n"));
  EXPECT_THAT(patch, testing::HasSubstr("@@ -22,9 +23,11 @@\n"));
}

TEST(SyncAddedPoints, ThatTheCompilerRefusesAreLeftOut) {
  const std::vector<AddedPoint> points = {{"a", 3}, {"b", 6}, {"c", 9}};
  const auto left = [&](const char* said) {
    return lines_of(without_refused(points, "/x/f.cc", said));
  };
  EXPECT_THAT(left("/x/f.cc:9:3: error: expected\n"), ElementsAre(3, 6));
  EXPECT_THAT(left("/x/f.cc:8:3: error: else without if\n"), ElementsAre(3, 9));
  EXPECT_THAT(left("In file:\n/x/m.h:3:3: error: expected\n  3 | do\n"
                   "/x/m.h:9:4: note: in expansion of macro 'B'\n"
                   "/x/f.cc:6:4: note: in expansion of macro 'A'\n"
                   "/x/f.cc:9:4: warning: unused\n/x/f.cc:3:4: note: in expansion of macro 'A'\n"),
              ElementsAre(3, 9));
  EXPECT_THAT(left("killed by SIGKILL"), IsEmpty());
}

}  // namespace
}  // namespace esox
