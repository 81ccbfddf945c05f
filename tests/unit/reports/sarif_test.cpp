// SPDX-License-Identifier: Apache-2.0
// SARIF: what its schema (OASIS, SARIF 2.1.0, section 3) demands of the parts we write.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "harness/records/reports/reports.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json sarif_of(const HuntFolder& folder) {
  return json::parse(report_sarif(read_report_data(folder.out())));
}

void expect_result(const json& result, const json& rules) {
  EXPECT_TRUE(result.at("message").at("text").is_string());
  EXPECT_EQ(rules.at(result.at("ruleIndex").get<size_t>()).at("id"), result.at("ruleId"));
  EXPECT_EQ(result.at("level"), "error");
  for (const json& location : result.at("locations")) {
    const json& physical = location.at("physicalLocation");
    const std::string uri = physical.at("artifactLocation").at("uri");
    EXPECT_TRUE(std::regex_match(uri, std::regex("[-A-Za-z0-9._~/:%]+"))) << uri;
    EXPECT_GE(physical.value("region", json({{"startLine", 1}})).at("startLine"), 1);
  }
  for (const char* prints : {"fingerprints", "partialFingerprints"}) {
    for (const auto& [name, value] : result.at(prints).items()) {
      EXPECT_TRUE(value.is_string()) << name;
    }
  }
}

TEST(SarifReport, HoldsWhatTheSchemaDemands) {
  const json sarif = sarif_of(HuntFolder());
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  ASSERT_EQ(sarif.at("runs").size(), 1u);
  const json& run = sarif["runs"][0];
  const json& driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "esox");
  for (const json& rule : driver.at("rules")) {
    EXPECT_TRUE(rule.at("id").is_string());
    EXPECT_TRUE(rule.at("shortDescription").at("text").is_string());
  }
  for (const json& invocation : run.at("invocations")) {
    EXPECT_TRUE(invocation.at("executionSuccessful").is_boolean());
  }
  ASSERT_EQ(run.at("results").size(), 1u);
  expect_result(run["results"][0], driver["rules"]);
}

TEST(SarifReport, PlacesAFindingInItsInputsFileAndKnowsItByItsId) {
  const json result = sarif_of(HuntFolder())["runs"][0]["results"][0];
  const json& physical = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(physical["artifactLocation"]["uri"], "folder/some%20input.yaml");
  EXPECT_EQ(physical["region"]["startLine"], 7);
  EXPECT_EQ(result["fingerprints"]["esoxFinding/v1"], kSomeId);
  EXPECT_EQ(result["partialFingerprints"]["primaryLocationLineHash"], std::string(kSomeId) + ":1");
  EXPECT_THAT(result["message"]["text"].get<std::string>(), HasSubstr("A1: SELECT a FROM t1"));
}

TEST(SarifReport, NamesTheFunctionsOfTheCriticalSwitch) {
  const HuntFolder folder;
  folder.write(std::string("findings/") + kSomeId + "/diagnosis.json", R"json({"critical": {
    "sentence": "s", "moved": {"function": "ha_commit_trans+0x79b (handler.cc:12)"}}})json");
  const json location = sarif_of(folder)["runs"][0]["results"][0]["locations"][0];
  ASSERT_EQ(location["logicalLocations"].size(), 1u);
  EXPECT_EQ(location["logicalLocations"][0]["fullyQualifiedName"], "ha_commit_trans");
}

TEST(SarifReport, ADamagedFindingIsStillAResult) {
  const HuntFolder folder;
  std::filesystem::remove_all(folder.finding());
  const json sarif = sarif_of(folder);
  expect_result(sarif["runs"][0]["results"][0], sarif["runs"][0]["tool"]["driver"]["rules"]);
  EXPECT_EQ(
      sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "some/input");
}

TEST(SarifReport, AHuntThatFailedWasNoSuccess) {
  HuntReport hunt = some_hunt();
  hunt.failure = "the disk is full";
  const json invocation = sarif_of(HuntFolder(hunt))["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], "the disk is full");
}

}  // namespace
}  // namespace esox
