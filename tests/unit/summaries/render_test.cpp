// SPDX-License-Identifier: Apache-2.0
// Rendered rows must be injective: digests are made of them.
#include "summaries/render.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace esox {
namespace {

Output reply(std::vector<Row> rows, bool ordered) {
  Output output;
  output.answered = true;
  output.ordered = ordered;
  output.results.push_back(ResultSet{{Column{"a", "INT"}}, std::move(rows)});
  return output;
}

TEST(RenderRow, IsReadable) {
  EXPECT_EQ(render_row({Cell("1"), Cell("it's"), std::nullopt}), "('1', 'it\\'s', NULL)");
  EXPECT_EQ(render_row({Cell(std::string("a\0b\n", 4))}), "('a\\x00b\\n')");
}

TEST(RenderRow, NullAndEmptyAndTheWordNullDiffer) {
  EXPECT_NE(render_row({std::nullopt}), render_row({Cell("NULL")}));
  EXPECT_NE(render_row({std::nullopt}), render_row({Cell("")}));
  EXPECT_NE(render_row({Cell("")}), render_row({Cell("NULL")}));
}

TEST(RenderRow, DifferentRowsGiveDifferentText) {
  std::mt19937_64 random(6);
  std::map<std::string, Row> seen;
  for (int round = 0; round < 100000; ++round) {
    Row row(random() % 4);
    for (Cell& cell : row) {
      if (random() % 4 == 0) continue;
      std::string text(random() % 4, ' ');
      for (char& c : text) c = "'\\, nx0\n"[random() % 8];
      cell = text;
    }
    ASSERT_EQ(seen.emplace(render_row(row), row).first->second, row) << render_row(row);
  }
}

TEST(RenderReply, RowOrderCountsOnlyWhereTheStatementOrdersItsRows) {
  const std::vector<Row> up = {{Cell("1")}, {Cell("2")}};
  const std::vector<Row> down = {{Cell("2")}, {Cell("1")}};
  EXPECT_EQ(render_reply(reply(up, false)), render_reply(reply(down, false)));
  EXPECT_NE(render_reply(reply(up, true)), render_reply(reply(down, true)));
  EXPECT_NE(render_reply(reply({}, false)), render_reply(reply(up, false)));
}

TEST(RenderReply, TellsErrorsFromResults) {
  Output error;
  error.answered = true;
  error.error = 1146;
  error.sql_state = "42S02";
  error.message = "Table 'test.t1' doesn't exist";
  EXPECT_EQ(render_reply(error), "error 1146 (42S02) Table 'test.t1' doesn't exist");
}

}  // namespace
}  // namespace esox
