// SPDX-License-Identifier: Apache-2.0
// The report as JUnit XML, for CI servers: one test case per input and engine, one failure per
// finding.
//
// What was not reached, left out or never judged is skipped, with the reason: neither pass nor
// fail.
#include <fmt/format.h>

#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "analysis/rows.h"
#include "harness/records/rate_text.h"
#include "harness/records/reports/reports.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

// One test case in the making: an input under some conditions.
struct Case {
  std::string input;
  std::string conditions;
  std::vector<const FindingDetails*> findings;
  std::string skipped;  // why; empty: it was tried
};

using Cases = std::map<std::pair<std::string, std::string>, Case>;

Case& case_of(Cases& cases, const InputKey& told) {
  const std::string conditions = conditions_of(told);
  Case& one = cases[{told.input, conditions}];
  one.input = told.input;
  one.conditions = conditions;
  return one;
}

Cases cases_of(const ReportData& data) {
  Cases cases;
  for (const InputFigures& figures : data.hunt.figures) {
    Case& one = case_of(cases, figures);
    if (figures.executions == 0) {
      one.skipped = "not reached";
    } else if (figures.degraded == figures.executions) {
      one.skipped = fmt::format("control was lost in each of {} executions", figures.executions);
    }
  }
  for (const SkippedInput& skipped : data.hunt.skipped)
    case_of(cases, skipped).skipped = skipped.why;
  for (const FindingDetails& finding : data.findings) {
    case_of(cases, finding.line).findings.push_back(&finding);
  }
  // What broke was tried, whatever became of the rest of its executions.
  for (auto& [key, one] : cases) {
    if (!one.findings.empty()) one.skipped.clear();
  }
  return cases;
}

std::string failure_text(const ReportData& data, const FindingDetails& finding) {
  std::string text = finding_text(finding);
  text += fmt::format("{}\nesox replay {}\n", rate_text(hits_of(finding.line)),
                      printable(data.folder_of(finding).string()));
  if (!finding.damage.empty()) text += fmt::format("not read whole: {}\n", finding.damage);
  return text;
}

void add_case(pugi::xml_node suite, const ReportData& data, const Case& one) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = printable(one.input).c_str();
  test.append_attribute("name") =
      printable(one.conditions.empty() ? one.input : one.conditions).c_str();
  test.append_attribute("time") = "0";
  if (!one.skipped.empty()) {
    test.append_child("skipped").append_attribute("message") = printable(one.skipped).c_str();
  }
  for (const FindingDetails* finding : one.findings) {
    const HuntFinding& line = finding->line;
    pugi::xml_node failure = test.append_child("failure");
    failure.append_attribute("message") =
        fmt::format("{} {}", line.id, class_in_words(line.verdict, line.latent)).c_str();
    failure.append_attribute("type") = class_name(line.verdict);
    failure.append_child(pugi::node_pcdata).set_value(failure_text(data, *finding).c_str());
  }
}

void add_property(pugi::xml_node properties, const char* name, const std::string& value) {
  pugi::xml_node property = properties.append_child("property");
  property.append_attribute("name") = name;
  property.append_attribute("value") = printable(value).c_str();
}

void add_properties(pugi::xml_node suite, const HuntReport& hunt) {
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "esox", hunt.esox_version);
  add_property(properties, "server", hunt.server_version);
  add_property(properties, "seed", std::to_string(hunt.seed));
  add_property(properties, "strategy", hunt.strategy);
  add_property(properties, "executions", std::to_string(hunt.executions));
  add_property(properties, "not judged", std::to_string(hunt.degraded));
}

}  // namespace

std::string report_junit(const ReportData& data) {
  const Cases cases = cases_of(data);
  size_t failed = 0;
  size_t skipped = 0;
  for (const auto& [key, one] : cases) {
    failed += one.findings.empty() ? 0 : 1;
    skipped += one.skipped.empty() ? 0 : 1;
  }
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  pugi::xml_node suite = suites.append_child("testsuite");
  suite.append_attribute("name") = "esox hunt";
  suite.append_attribute("tests") = cases.size();
  suite.append_attribute("failures") = failed;
  // Of esox itself: the hunt that ended by one.
  suite.append_attribute("errors") = 0;
  suite.append_attribute("skipped") = skipped;
  suite.append_attribute("time") = fmt::format("{:.3f}", data.hunt.seconds).c_str();
  // Without the zone, as the format has it; all times are UTC.
  const std::string& started = data.hunt.started;
  if (started.ends_with('Z')) {
    suite.append_attribute("timestamp") = started.substr(0, started.size() - 1).c_str();
  }
  add_properties(suite, data.hunt);
  for (const auto& [key, one] : cases) add_case(suite, data, one);
  if (!data.hunt.failure.empty()) {
    suite.append_child("system-err")
        .append_child(pugi::node_pcdata)
        .set_value(printable(data.hunt.failure).c_str());
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace esox
