// SPDX-License-Identifier: Apache-2.0
// Formats by name; files whole in their place; JSON and text from the same data.
#include "harness/records/reports/reports.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "harness/records/reports/report_error.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReportFormats, AreReadFromAListAndTwiceIsOnce) {
  EXPECT_THAT(report_formats("html,junit,html"),
              ElementsAre(ReportFormat::kHtml, ReportFormat::kJunit));
  for (const char* bad : {"", "pdf", "html,,junit", "html "}) {
    EXPECT_THROW(report_formats(bad), ReportError) << bad;
  }
}

TEST(Reports, LieInTheHuntsFolderByTheirNames) {
  const HuntFolder folder;
  const std::string all = fmt::format("{}", fmt::join(report_format_names(), ","));
  const auto written = write_reports(read_report_data(folder.out()), report_formats(all));
  EXPECT_EQ(written.size(), report_format_names().size());
  for (const fs::path& file : written) EXPECT_GT(fs::file_size(file), 100u) << file;
  for (const char* name :
       {"report.html", "report.txt", "report.json", "junit.xml", "report.sarif"}) {
    EXPECT_TRUE(fs::exists(folder.out() / name)) << name;
  }
}

TEST(Reports, AsJsonAddWhatFindingsHoldAndWhatSilenceIsWorth) {
  const HuntFolder folder;
  const json report =
      json::parse(render_report(read_report_data(folder.out()), ReportFormat::kJson, ""));
  EXPECT_EQ(report["seed"], UINT64_MAX);
  const json& finding = report["findings"][0];
  EXPECT_EQ(finding["orders"][0]["order"], "A1 B1");
  EXPECT_EQ(finding["orders"][0]["same_replies"], json({false, true}));
  EXPECT_EQ(finding["interleaving"]["rows"].size(), 10u);
  EXPECT_DOUBLE_EQ(report["explored"][0]["pct_bound"], 1 / 20000.0);
  EXPECT_TRUE(report["explored"][1]["missed_again"].is_null());
}

TEST(Reports, AsTextAreTheSummaryOfTheHunt) {
  const HuntFolder folder;
  const std::string text = render_report(read_report_data(folder.out()), ReportFormat::kText, "");
  EXPECT_THAT(text, HasSubstr("1 finding:"));
  EXPECT_THAT(text, HasSubstr("esox replay " + folder.finding().string()));
}

}  // namespace
}  // namespace esox
