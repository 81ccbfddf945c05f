// SPDX-License-Identifier: Apache-2.0
// JUnit XML as CI servers read it.
#include <gmock/gmock.h>

#include <pugixml.hpp>

#include "harness/records/reports/reports.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

pugi::xml_document parsed(const std::string& text) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  EXPECT_TRUE(result) << result.description() << "\n" << text;
  return document;
}

pugi::xml_node case_of(const pugi::xml_document& document, const char* input) {
  return document.child("testsuites")
      .child("testsuite")
      .find_child_by_attribute("testcase", "classname", input);
}

TEST(JunitReport, HasOneCasePerInputAndAFailurePerFinding) {
  const HuntFolder folder;
  const auto document = parsed(report_junit(read_report_data(folder.out())));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 4);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 2);
  const pugi::xml_node broken = case_of(document, "some/input");
  EXPECT_STREQ(broken.attribute("name").value(), "Aria");
  EXPECT_STREQ(broken.child("failure").attribute("type").value(), "semantic");
  EXPECT_THAT(broken.child("failure").text().get(),
              AllOf(HasSubstr("A1: SELECT a FROM t1"), HasSubstr("wrong: the reply to A1"),
                    HasSubstr("in 2 of 200 fresh draws: 1 % (95 %: 0.12 to 3.6 %); first in "),
                    HasSubstr("esox replay ")));
}

TEST(JunitReport, WhatWasNotTriedIsSkippedAndNeitherPassNorFail) {
  const HuntFolder folder;
  const auto document = parsed(report_junit(read_report_data(folder.out())));
  EXPECT_STREQ(case_of(document, "some/third").child("skipped").attribute("message").value(),
               "not reached");
  EXPECT_STREQ(case_of(document, "some/fourth").child("skipped").attribute("message").value(),
               "its setup fails: <no table>");
  EXPECT_FALSE(case_of(document, "some/other").first_child()) << "tried, and nothing was found";
}

TEST(JunitReport, AnInputWhoseExecutionsAllLostControlIsSkipped) {
  HuntReport hunt = some_hunt();
  hunt.figures[1].degraded = hunt.figures[1].executions;
  const HuntFolder folder(hunt);
  const auto document = parsed(report_junit(read_report_data(folder.out())));
  EXPECT_THAT(case_of(document, "some/other").child("skipped").attribute("message").value(),
              HasSubstr("control was lost in each of 100"));
}

TEST(JunitReport, IsXmlWhateverAStatementHolds) {
  HuntReport hunt = some_hunt();
  hunt.skipped[0].why = "]]> <script> & \" \x01\xff";
  const HuntFolder folder(hunt);
  Finding finding = some_finding();
  finding.input.input.clients[0].requests[0].text = "SELECT ']]>', '<a>', \"&\", '\x02\xfe'";
  folder.add(finding);
  const auto document = parsed(report_junit(read_report_data(folder.out())));
  EXPECT_THAT(case_of(document, "some/input").child("failure").text().get(),
              HasSubstr("SELECT ']]>', '<a>', \"&\", '\\x02\\xfe'"));
}

}  // namespace
}  // namespace esox
