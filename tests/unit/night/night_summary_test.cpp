// SPDX-License-Identifier: Apache-2.0
// Nights in a store, and what their summaries say.
#include "harness/nights/night/night_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/process/private_directory.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_summary_files.h"
#include "harness/records/reports/report_error.h"
#include "tests/unit/night/prometheus.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// Texts are wrapped where they happen to be long.
std::string in_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

class NightSummaryTest : public testing::Test {
 protected:
  NightSummaryTest() { fs::create_directories(out() / "nights"); }

  fs::path out() const { return folder_.path() / "out"; }
  fs::path night_folder(const std::string& id) const { return out() / "nights" / id; }
  static std::string id(unsigned day) { return fmt::format("2026-11-{:02}T02-00-00Z", day); }
  static std::string time(unsigned day, unsigned hour) {
    return fmt::format("2026-11-{:02}T{:02}:00:00Z", day, hour);
  }

  static NightReport night(unsigned day) {
    NightReport night;
    night.id = id(day);
    night.name = "nightly";
    night.esox_version = "0.1.0";
    night.started = time(day, 2);
    night.ended = time(day, 3);
    night.seconds = 3600;
    StageReport stage;
    stage.name = "tonight-shipped";
    stage.server_name = "tonight";
    stage.server_version = "10.11.19";
    stage.inputs_planned = stage.inputs_reached = 2;
    stage.executions = 300;
    stage.seconds = 3600;
    night.stages = {stage};
    return night;
  }

  // A hunt of that night's stage with so many hits of the finding with this signature.
  void hunt(unsigned day, uint64_t hits, const std::string& plain = "p",
            const std::string& critical = "", const std::string& stage = "tonight-shipped") {
    RecordedHunt hunt;
    hunt.id = fmt::format("hunt-{}-{}", day, stage);
    hunt.started = time(day, 2);
    hunt.out = (night_folder(id(day)) / stage).string();
    hunt.server_version = "10.11.19";
    hunt.strategy = "portfolio";
    hunt.seed = day;
    Occurrence one;
    one.id = "f-" + plain + critical;
    one.input = "some/input";
    one.engine = "Aria";
    one.verdict = VerdictClass::kLatent;
    one.hits = hits;
    one.executions = 300;
    one.first_execution = 9;
    one.folder = hunt.out + "/findings/" + one.id;
    one.signature = {"text", plain, critical};
    std::vector<Occurrence> occurrences;
    if (hits > 0) occurrences.push_back(one);
    store_.record(hunt,
                  {{{"some/input", "Aria", ""}, "", {{"none", 300 - hits}, {"latent", hits}}}},
                  occurrences);
  }

  NightSummary summary(const NightReport& report) {
    fs::create_directories(night_folder(report.id));
    return gather_night_summary(report, night_folder(report.id), store_);
  }
  NightSummary summary(unsigned day) { return summary(night(day)); }

  static std::string read(const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  PrivateDirectory folder_{temporary_base()};
  Store store_{
      (fs::create_directories(folder_.path() / "out"), folder_.path() / "out/findings.db")};
};

TEST_F(NightSummaryTest, AFindingIsNewInItsNightStillThereInTheNextAndGoneInTime) {
  hunt(1, 30);
  EXPECT_EQ(night_summary_headline(summary(1)), "1 new, 0 regressed; nothing missing");
  for (unsigned day = 2; day <= 6; ++day) {
    hunt(day, 20);
    EXPECT_EQ(night_summary_headline(summary(day)),
              "0 new, 0 regressed, 1 still there; nothing missing");
  }
  hunt(7, 0);
  const NightSummary gone = summary(7);
  EXPECT_EQ(night_summary_headline(gone), "0 new, 0 regressed, 1 gone; nothing missing");
  EXPECT_EQ(night_summary_status(gone, FailOn::kAny), 0);
  EXPECT_THAT(in_one_line(night_summary_text(gone)),
              AllOf(HasSubstr("none in 300 executions over 1 night since " + id(6)),
                    HasSubstr("fewer than 0.99 %")));
  hunt(8, 3);
  const NightSummary back = summary(8);
  EXPECT_EQ(night_summary_headline(back), "0 new, 1 regressed; nothing missing");
  EXPECT_EQ(night_summary_status(back, FailOn::kNew), 1);
  EXPECT_EQ(night_summary_headline(summary(1)), "1 new, 0 regressed; nothing missing")
      << "made anew";
}

TEST_F(NightSummaryTest, AnotherCriticalPairOfTheSameDifferencesIsNotNew) {
  hunt(1, 30, "p", "pair one");
  summary(1);
  hunt(2, 30, "p", "pair two");
  const NightSummary second = summary(2);
  EXPECT_EQ(night_summary_headline(second), "0 new, 0 regressed, 1 still there; nothing missing");
  EXPECT_THAT(second.findings, SizeIs(1));
  hunt(3, 30, "q", "pair three");
  EXPECT_EQ(night_summary_headline(summary(3)), "1 new, 0 regressed, 1 gone; nothing missing");
}

TEST_F(NightSummaryTest, WhatSomebodyCalledKnownOrAFalsePositiveIsNeitherNewNorAReasonToFail) {
  hunt(1, 30);
  summary(1);
  store_.mark("f-p", TriageState::kFalsePositive, "", "rule");
  hunt(2, 30);
  const NightSummary second = summary(2);
  EXPECT_EQ(night_summary_headline(second), "0 new, 0 regressed, 1 known; nothing missing");
  EXPECT_EQ(night_summary_status(second, FailOn::kAny), 0);
  hunt(3, 30, "p", "another pair");
  EXPECT_EQ(night_summary_headline(summary(3)), "0 new, 0 regressed, 1 known; nothing missing");
}

TEST_F(NightSummaryTest, ThePolicySaysWhatFails) {
  hunt(1, 30);
  EXPECT_EQ(night_summary_status(summary(1), FailOn::kNew), 1);
  EXPECT_EQ(night_summary_status(summary(1), FailOn::kNone), 0);
  hunt(2, 30);
  EXPECT_EQ(night_summary_status(summary(2), FailOn::kNew), 0);
  EXPECT_EQ(night_summary_status(summary(2), FailOn::kAny), 1);
}

TEST_F(NightSummaryTest, WhatIsMissingComesFirstAndIsNoSuccess) {
  NightReport report = night(1);
  report.stages[0].failure = "its process ended by SIGSEGV, three times";
  report.missing = {"stage tonight-shipped: its process ended by SIGSEGV, three times"};
  report.ended.clear();
  const NightSummary told = summary(report);
  EXPECT_THAT(told.missing, SizeIs(2)) << "each thing once";
  EXPECT_THAT(night_summary_headline(told), StartsWith("2 things missing; 0 new"));
  EXPECT_EQ(night_summary_status(told, FailOn::kNew), 2);
  const std::string text = night_summary_text(told);
  EXPECT_LT(text.find("SIGSEGV"), text.find("Planned and done"));
  EXPECT_THAT(text, Not(HasSubstr("nothing missing")));
}

TEST_F(NightSummaryTest, InputsWithoutATurnAreToldWithTheReason) {
  NightReport report = night(1);
  report.stages[0].inputs_planned = 5;
  report.stages[0].not_done = {{"a", "Aria", "not reached before the budget was spent"},
                               {"b", "Aria", "not reached before the budget was spent"},
                               {"c", "", "setup fails: no such table"}};
  const NightSummary told = summary(report);
  EXPECT_THAT(night_summary_headline(told),
              HasSubstr("nothing missing; 3 of 5 inputs had no turn"));
  EXPECT_THAT(night_summary_text(told),
              HasSubstr("2: not reached before the budget was spent; 1: setup fails"));
}

TEST_F(NightSummaryTest, ANightOfBeforeWithoutASummaryIsCaughtUpWith) {
  hunt(1, 30);
  fs::create_directories(night_folder(id(1)));
  std::ofstream(night_folder(id(1)) / kNightFile)
      << R"({"id": ")" << id(1) << R"(", "legs": [{"name": "tonight-shipped", )"
      << R"("executions": 300, "server": {"name": "tonight"}}]})";
  hunt(2, 20);
  const NightSummary second = summary(2);
  EXPECT_EQ(night_summary_headline(second), "0 new, 0 regressed, 1 still there; nothing missing");
  EXPECT_EQ(second.findings[0].changes[0].last_met, id(1));
}

TEST_F(NightSummaryTest, HuntsOfALegThatWasBegunAgainAreItsOwn) {
  hunt(1, 30, "p", "", "tonight-shipped.2");
  fs::create_directories(night_folder(id(1)) / "tonight-shipped.2");
  EXPECT_EQ(night_summary_headline(summary(1)), "1 new, 0 regressed; nothing missing");
}

TEST_F(NightSummaryTest, ItsOwnScheduleMakesAGoneOneRegressedBeforeAnyStage) {
  for (unsigned day = 1; day <= 6; ++day) hunt(day, day < 6 ? 30 : 0);
  for (unsigned day = 1; day <= 6; ++day) summary(day);
  NightReport report = night(7);
  report.ended.clear();
  store_.record_recheck({id(7), "tonight", "f-p", "", "re-aligned", ""});
  const NightSummary told = summary(report);
  EXPECT_THAT(night_summary_headline(told), HasSubstr("0 new, 1 regressed"));
  EXPECT_THAT(night_summary_text(told),
              AllOf(HasSubstr("by its own schedule"), HasSubstr("it was gone since " + id(6))));
  store_.record_recheck({id(7), "tonight", "f-p", "", "cannot tell", "the setup fails"});
  EXPECT_THAT(night_summary_headline(summary(report)), HasSubstr("0 new, 0 regressed"));
}

TEST_F(NightSummaryTest, TheMetricsAreInPrometheusFormat) {
  hunt(1, 30);
  NightReport report = night(1);
  report.name = "a \"name\" with \\ and\nmore";
  report.budget_s = 0.1;
  report.stages[0].time = {50, 30.5, 20};
  report.stages.push_back(report.stages[0]);
  report.stages[1].name = "other";
  report.stages[1].failure = "x";
  const Exposition read = read_exposition(night_metrics(summary(report)));
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.types.size(), read.helps.size());
  for (const auto& [metric, samples] : read.samples) EXPECT_EQ(read.types.at(metric), "gauge");
  EXPECT_EQ(read.samples.at("esox_night_info")[0].labels.at("name"),
            "a \"name\" with \\\\ and\\nmore");
  EXPECT_EQ(read.samples.at("esox_night_findings")[0].labels.at("fate"), "new");
  EXPECT_EQ(read.samples.at("esox_night_findings")[0].value, 1);
  EXPECT_EQ(read.samples.at("esox_night_stage_failed")[1].value, 1);
  EXPECT_EQ(read.samples.at("esox_night_stage_worker_seconds")[1].value, 30.5);
  EXPECT_EQ(read.samples.at("esox_night_start_timestamp_seconds")[0].value, 1793498400);
}

TEST_F(NightSummaryTest, ItsFilesAreWrittenAndItsPageEscapesWhatItShows) {
  hunt(1, 30);
  NightReport report = night(1);
  report.missing = {"<script>alert(1)</script>"};
  const NightSummary told = summary(report);
  write_night_summary(told, night_folder(id(1)), out() / "metrics.prom");
  const std::string page = read(night_folder(id(1)) / "summary.html");
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;script&gt;"), Not(HasSubstr("<script>alert")),
                          HasSubstr("1 thing missing; 1 new")));
  EXPECT_EQ(read(night_folder(id(1)) / "esox.prom"), read(out() / "metrics.prom"));
  const auto json = nlohmann::json::parse(read(night_folder(id(1)) / "changes.json"));
  EXPECT_EQ(json["counts"]["new"], 1);
  EXPECT_EQ(json["findings"][0]["servers"][0]["hits"], 30);
}

TEST(NightReader, ADamagedFileIsToldAndAnEmptyListIsNone) {
  EXPECT_THROW(night_from_json("{\"id\": \"x\", \"stages\": [", "night.json"), ReportError);
  EXPECT_THROW(night_from_json("{\"id\": \"x\", \"stages\": 3}", "night.json"), ReportError);
  EXPECT_THROW(night_from_json("[]", "night.json"), ReportError);
  EXPECT_THAT(night_from_json("{\"id\": \"x\"}", "night.json").stages, IsEmpty());
  EXPECT_THAT(night_folders("/nowhere"), IsEmpty());
}

}  // namespace
}  // namespace esox
