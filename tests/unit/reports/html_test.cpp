// SPDX-License-Identifier: Apache-2.0
// The HTML page: whole, escaped, self-contained, whatever a server or an input says.
#include <gmock/gmock.h>

#include "base/text/utf8.h"
#include "harness/records/reports/reports.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const HuntFolder& folder) {
  return report_html(read_report_data(folder.out()), folder.out());
}

size_t count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

// Begins and ends of the elements that need both.
void expect_balanced(const std::string& page) {
  for (const char* tag : {"details", "summary", "section", "table", "div", "dl", "pre", "code",
                          "ul", "ol", "main", "form"}) {
    const std::string name = tag;
    const size_t begins = count(page, "<" + name + " ") + count(page, "<" + name + ">");
    EXPECT_EQ(begins, count(page, "</" + name + ">")) << name;
  }
}

TEST(HtmlReport, ShowsAllPartsOfAHunt) {
  const HuntFolder folder;
  const std::string page = page_of(folder);
  for (const char* part :
       {"1 finding in 400 executions", "SELECT a FROM t1", "Does a serial order explain it?",
        "<td class=\"differs\">DIFFERS", "the reply to A1 (rows)", "lock mutex#1 [!]",
        "B -&gt; A at point 1: B could have gone on", "esox replay ", "by design",
        "a thread was lost", "its setup fails", "B1: affected rows", "another outcome",
        "some/third on InnoDB", "left-over metadata locks", "1 in 20 000",
        "findings/0123456789abcdef/trace.txt"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  expect_balanced(page);
}

// The same differences of the same statements, by another input.
TEST(HtmlReport, ListsByCauseTheWrongAnswerFirstAndStatementsWithTheirClients) {
  HuntReport hunt = some_hunt();
  Finding other = some_finding(id_of(7));
  other.input.input.id = "some/other";
  hunt.findings.push_back(line_of(other));
  hunt.findings.back().hits = 9;
  const HuntFolder folder(hunt);
  folder.add(other);
  const std::string page = page_of(folder);
  EXPECT_THAT(page, HasSubstr("2 findings of 1 cause in 400 executions"));
  EXPECT_THAT(page, HasSubstr("1 more of the same cause"));
  EXPECT_THAT(page, HasSubstr("<code><b>A1</b> SELECT a FROM t1</code>"));
  EXPECT_LT(page.find("<span class=\"headline\">the reply to A1 (rows): "),
            page.find("<code><b>A1</b>"));
  EXPECT_LT(page.find("id=\"f-" + id_of(7)), page.find(std::string("id=\"f-") + kSomeId))
      << "the one that came most often stands for both";
  EXPECT_EQ(count(page, "<details class=\"finding\""), 2u);
  expect_balanced(page);
}

TEST(HtmlReport, ShowsWhichKindsMetAndWhereSomethingWasFound) {
  EXPECT_THAT(page_of(HuntFolder()), Not(HasSubstr("What met what")));
  HuntReport hunt = some_hunt();
  hunt.kinds = {{"INSERT", "INSERT", 1, 20, 0, {{10}}},
                {"INSERT", "SELECT", 2, 30, 1, {{10, 11, 12}}}};
  const std::string page = page_of(HuntFolder(hunt));
  EXPECT_THAT(page, HasSubstr("2 distinct pairs of conflicting call sites"));
  EXPECT_THAT(
      page,
      HasSubstr(R"(<td class="m1 found" title="SELECT beside INSERT: 2 inputs, )"
                R"(30 executions, 2 pairs of call sites, 1 in both orders; 1 finding">2</td>)"));
  EXPECT_THAT(page, HasSubstr(R"(<td class="muntried" title=""></td>)"));
  expect_balanced(page);
}

TEST(HtmlReport, OfAProgramWithoutNamesOffersTheCommandThatNamesTheCode) {
  const HuntFolder folder;
  EXPECT_THAT(page_of(folder), Not(HasSubstr("YOUR-BUILD")));
  Finding finding = some_finding();
  finding.server.path = "/usr/bin/memcached";
  folder.add(finding);
  folder.write(std::string("findings/") + kSomeId + "/trace.txt",
               "Trace of execution 2.\n\n point  A      B      called by\n"
               "------------------------------------------------------------------\n"
               "     0  A1 begins\n"
               "     1  lock mutex#1          memcached+0x1b2c\n");
  EXPECT_THAT(page_of(folder), HasSubstr("findings/0123456789abcdef --server YOUR-BUILD"));
}

TEST(HtmlReport, IsOneFileWithoutANetwork) {
  const std::string page = page_of(HuntFolder());
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http:")), Not(HasSubstr("https:")),
                          Not(HasSubstr("@import")), Not(HasSubstr("url("))));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-"));
}

TEST(HtmlReport, EscapesWhateverAStatementHolds) {
  const HuntFolder folder;
  Finding finding = some_finding();
  const std::string evil =
      "SELECT '<script>alert(1)</script>', \"</code></details>\", '&amp; {{title}} {{{x}}}' "
      "\xff\xc3"
      "\x01" +
      std::string(10'000, 'y');
  finding.input.input.clients[0].requests[0].text = evil;
  finding.input.input.setup = {evil};
  finding.outcome.outputs[0][0].results[0].rows = {{evil}};
  folder.add(finding);
  HuntReport hunt = some_hunt();
  hunt.findings[0].title = evil;
  hunt.findings[0].input = evil;
  hunt.filters[0].example = evil;
  hunt.skipped[0].why = evil;
  hunt.figures[0].input = evil;
  hunt.server_version = evil;
  hunt.failure = evil;
  folder.write("hunt.json", report_json(hunt));
  const std::string page = page_of(folder);
  EXPECT_EQ(count(page, "<script"), 1u) << "our own";
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("{{title}} {{{x}}}")) << "data is no template";
  EXPECT_TRUE(is_utf8(page));
  expect_balanced(page);
}

TEST(HtmlReport, SaysWhereAFindingIsDamaged) {
  const HuntFolder folder;
  std::filesystem::remove(folder.finding() / "finding.yaml");
  const std::string page = page_of(folder);
  EXPECT_THAT(page, HasSubstr("Not shown whole: finding.yaml is missing"));
  EXPECT_THAT(page, HasSubstr("1 finding could not be read whole"));
  expect_balanced(page);
}

TEST(HtmlReport, OfAHuntWithoutFindingsSaysSo) {
  HuntReport hunt = some_hunt();
  hunt.findings.clear();
  hunt.filters.clear();
  hunt.ended = false;
  const HuntFolder folder(hunt);
  const std::string page = page_of(folder);
  EXPECT_THAT(page,
              AllOf(HasSubstr("Nothing found in 400 executions"), HasSubstr("No rule was in force"),
                    HasSubstr("This hunt did not end regularly")));
  expect_balanced(page);
}

TEST(HtmlReport, MarksTheCriticalSwitchAndTellsTheSentenceFirst) {
  const HuntFolder folder;
  folder.write(std::string("findings/") + kSomeId + "/diagnosis.json", R"({"critical": {
    "sentence": "Client B was switched out.", "switch": {"from": "B", "to": "A",
    "at": {"operation": "lock mutex#9", "site": "tdc_acquire+0x4"}}}})");
  const std::string page = page_of(folder);
  EXPECT_THAT(page, HasSubstr("<tr class=\"critical\">"));
  EXPECT_LT(page.find("Client B was switched out."), page.find("Does a serial order explain it?"));
}

TEST(HtmlReport, LinksFilesFromWhereItLies) {
  const HuntFolder folder;
  const ReportData data = read_report_data(folder.out());
  EXPECT_THAT(report_html(data, folder.out().parent_path()),
              HasSubstr("href=\"out/findings/0123456789abcdef/trace.txt\""));
}

TEST(HtmlReport, OfAThousandFindingsHasEachOnce) {
  HuntReport hunt = some_hunt();
  hunt.findings.clear();
  const HuntFolder folder(hunt);
  for (int i = 0; i < 1000; ++i) {
    HuntFinding line = line_of(some_finding());
    line.id = id_of(i);
    hunt.findings.push_back(line);
  }
  folder.write("hunt.json", report_json(hunt));
  const std::string page = page_of(folder);
  EXPECT_EQ(count(page, "<details class=\"finding\""), 1000u);
  EXPECT_LT(page.size(), size_t{8} << 20);
}

}  // namespace
}  // namespace esox
