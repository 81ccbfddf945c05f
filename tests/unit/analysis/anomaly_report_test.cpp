// SPDX-License-Identifier: Apache-2.0
// What people are shown of an anomaly between transactions: its graph as a picture, and the
// timeline of those concerned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "analysis/report/dependency_svg.h"
#include "analysis/report/timeline.h"
#include "analysis/transactions.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Asked {
  char client;
  std::string text;
  Output reply;
  bool open;
  uint64_t ends = 0;  // 0: at once
};

struct Played {
  Input input;
  ExecutionRecord record;
};

// One request after the other, 10 points apart.
Played played(const std::string& level, const std::vector<Asked>& all,
              const std::vector<std::string>& left) {
  Played run;
  run.input.language = &mariadb_language();
  run.input.isolation_level = level;
  run.input.setup = {"INSERT INTO t VALUES (1,'a'),(2,'b'),(3,'c')"};
  for (size_t i = 0; i < all.size(); ++i) {
    const auto c = static_cast<size_t>(all[i].client - 'A');
    while (run.input.clients.size() <= c) {
      const auto letter = static_cast<char>('A' + run.input.clients.size());
      run.input.clients.push_back({std::string(1, letter), {}, {}});
    }
    run.record.outcome.outputs.resize(run.input.clients.size());
    run.record.stamps.resize(run.input.clients.size());
    run.input.clients[c].requests.push_back({all[i].text, false});
    run.record.outcome.outputs[c].push_back(all[i].reply);
    run.record.outcome.outputs[c].back().in_transaction = all[i].open;
    const uint64_t at = 10 * i;
    run.record.stamps[c].push_back({at, all[i].ends == 0 ? at + 9 : all[i].ends});
  }
  run.record.outcome.state = make_summary({test::bag("rows:test.t", left)});
  run.record.units = units_of(run.input, run.record);
  return run;
}

std::string append_to(int row, int element) {
  return "UPDATE t SET l=CONCAT(l,'," + std::to_string(element) +
         "') WHERE id=" + std::to_string(row);
}

Asked reads_row(char client, int row, const std::string& list) {
  return {client, "SELECT l FROM t WHERE id=" + std::to_string(row), test::rows_reply({{list}}),
          true};
}

// A's view is of before B, its locking read of after it.
Played moved_view() {
  return played("snapshot",
                {{'A', "BEGIN", test::ok(), true},
                 reads_row('A', 1, "a"),
                 {'B', append_to(1, 1), test::ok(1), false},
                 {'A', "SELECT l FROM t WHERE id=1 FOR UPDATE", test::rows_reply({{"a,1"}}), true},
                 {'A', "COMMIT", test::ok(), false}},
                {"1, 'a,1'", "2, 'b'", "3, 'c'"});
}

// Each of three reads what the next one appends to, from before it did.
Played skew_of_three() {
  std::vector<Asked> all;
  for (const char client : {'A', 'B', 'C'}) all.push_back({client, "BEGIN", test::ok(), true});
  all.push_back(reads_row('A', 2, "b"));
  all.push_back(reads_row('B', 3, "c"));
  all.push_back(reads_row('C', 1, "a"));
  all.push_back({'A', append_to(1, 1), test::ok(1), true});
  all.push_back({'B', append_to(2, 2), test::ok(1), true});
  all.push_back({'C', append_to(3, 3), test::ok(1), true});
  for (const char client : {'A', 'B', 'C'}) all.push_back({client, "COMMIT", test::ok(), false});
  return played("serializable", all, {"1, 'a,1'", "2, 'b,2'", "3, 'c,3'"});
}

size_t times(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(AnomalyReport, TheTimelineTellsWhatEachReadSawOfWhichCommit) {
  const Played run = moved_view();
  const auto dependencies = dependencies_of(run.input, run.record);
  ASSERT_TRUE(dependencies);
  EXPECT_EQ(dependencies->anomaly.name, "G-single");
  const Timeline drawn = timeline(run.input, run.record, *dependencies);
  EXPECT_THAT(drawn.clients, ElementsAre("A", "B"));
  ASSERT_EQ(drawn.steps.size(), 5u);
  EXPECT_THAT(drawn.steps[1].saw, ElementsAre("a: nothing appended"));
  EXPECT_THAT(drawn.steps[1].notes, ElementsAre("lacks 1 of B1: from before that"));
  EXPECT_EQ(drawn.steps[2].column, 1u);
  EXPECT_THAT(drawn.steps[3].saw, ElementsAre("a: 1"));
  EXPECT_THAT(drawn.steps[3].notes, ElementsAre("has 1 of B1: from after that"));
  EXPECT_EQ(drawn.conclusion, "These cannot all hold: A1 to A4 before B1, and B1 before A1 to A4.");
  const std::string text = timeline_text(drawn, 80);
  EXPECT_THAT(text, HasSubstr("A2 SELECT l FROM t WHERE id=1\n"));
  for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    EXPECT_LE(end - at, 80u);
  }
}

TEST(AnomalyReport, ARequestThatOthersOverlapHasABeginningAndAnEnd) {
  Played run = moved_view();
  run.record.stamps[1][0] = {15, 27};  // B1 begins within A2, which ends at 19
  const auto dependencies = dependencies_of(run.input, run.record);
  ASSERT_TRUE(dependencies);
  std::vector<std::string> what;
  for (const TimelineStep& step : timeline(run.input, run.record, *dependencies).steps) {
    what.push_back(step.what.substr(0, step.what.find(' ', 3)));
  }
  EXPECT_THAT(what, ElementsAre("A1 BEGIN", "A2 SELECT", "B1 UPDATE", "A2 is", "B1 is", "A3 SELECT",
                                "A4 COMMIT"));
}

TEST(AnomalyReport, ThePictureHasABoxForEachTransactionAndALabelForEachArrow) {
  const Played run = skew_of_three();
  const auto dependencies = dependencies_of(run.input, run.record);
  ASSERT_TRUE(dependencies);
  EXPECT_EQ(dependencies->anomaly.name, "G2-item");
  const std::string svg = dependency_svg(run.input, *dependencies).svg;
  EXPECT_EQ(times(svg, "<g class=\"dep-box dep-in\">"), 3u);
  EXPECT_EQ(times(svg, "class=\"dep-edge dep-rw dep-cycle\""), 3u);
  EXPECT_EQ(times(svg, "<g class=\"dep-label dep-cycle\">"), 3u);
  EXPECT_THAT(svg, AllOf(HasSubstr(">Client C<"), HasSubstr("A2 SELECT l FROM t WHERE id=2"),
                         HasSubstr("A2 read b without 2, and B3"), Not(HasSubstr("script")),
                         Not(HasSubstr("nan"))));
  EXPECT_EQ(times(svg, "<g"), times(svg, "</g>"));
}

// A text of the server's or the input's is no markup.
TEST(AnomalyReport, ThePictureEscapesWhatItShows) {
  Played run = moved_view();
  run.input.clients[1].name = "<b>&\"";
  const std::string svg = dependency_svg(run.input, *dependencies_of(run.input, run.record)).svg;
  EXPECT_THAT(svg, AllOf(HasSubstr("&lt;b&gt;&amp;&quot;1"), Not(HasSubstr("<b>"))));
}

// Four clients, two transactions each: eight boxes, none over another.
TEST(AnomalyReport, BoxesOfEightTransactionsStandApart) {
  std::vector<Asked> all;
  std::string list = "a";
  for (int i = 0; i < 8; ++i) {
    const auto client = static_cast<char>('A' + i % 4);
    all.push_back({client, append_to(1, i + 1), test::ok(1), false});
    list += "," + std::to_string(i + 1);
  }
  all.push_back(reads_row('A', 1, "a,1,2"));  // stale, after all have ended
  all.back().open = false;
  const Played run = played("serializable", all, {"1, '" + list + "'", "2, 'b'", "3, 'c'"});
  const auto dependencies = dependencies_of(run.input, run.record);
  ASSERT_TRUE(dependencies);
  const DependencyPicture picture = dependency_svg(run.input, *dependencies);
  EXPECT_EQ(times(picture.svg, "class=\"dep-box"), kMostDrawnTransactions);
  EXPECT_EQ(picture.left_out, 1u);
  struct Rect {
    double x, y, width, height;
  };
  std::vector<Rect> boxes;
  const std::regex box(
      "dep-box[^>]*><rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" width=\"([0-9.]+)\" "
      "height=\"([0-9.]+)\"");
  for (std::sregex_iterator it(picture.svg.begin(), picture.svg.end(), box), end; it != end; ++it) {
    boxes.push_back(
        {std::stod((*it)[1]), std::stod((*it)[2]), std::stod((*it)[3]), std::stod((*it)[4])});
  }
  ASSERT_EQ(boxes.size(), kMostDrawnTransactions);
  for (size_t a = 0; a < boxes.size(); ++a) {
    for (size_t b = a + 1; b < boxes.size(); ++b) {
      const bool apart =
          boxes[a].x + boxes[a].width < boxes[b].x || boxes[b].x + boxes[b].width < boxes[a].x ||
          boxes[a].y + boxes[a].height < boxes[b].y || boxes[b].y + boxes[b].height < boxes[a].y;
      EXPECT_TRUE(apart) << a << " and " << b;
    }
  }
}

// What needs no cycle has a timeline of all, and no picture.
TEST(AnomalyReport, WithoutACycleThereIsATimelineAlone) {
  const Played run =
      played("serializable",
             {{'A', "BEGIN", test::ok(), true},
              {'A', append_to(1, 1), test::ok(1), true},
              {'B', "SELECT l FROM t WHERE id=1", test::rows_reply({{"a,1"}}), false},
              {'A', "ROLLBACK", test::ok(), false}},
             {"1, 'a'", "2, 'b'", "3, 'c'"});
  const auto dependencies = dependencies_of(run.input, run.record);
  ASSERT_TRUE(dependencies);
  EXPECT_EQ(dependencies->anomaly.name, "G1a");
  EXPECT_EQ(dependency_svg(run.input, *dependencies).svg, "");
  const Timeline drawn = timeline(run.input, run.record, *dependencies);
  EXPECT_THAT(drawn.clients, ElementsAre("A", "B"));
  EXPECT_EQ(drawn.conclusion, "");
}

}  // namespace
}  // namespace esox
