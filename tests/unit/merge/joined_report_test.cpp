// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/merge/joined_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/process/paths.h"
#include "base/process/private_directory.h"
#include "harness/nights/merge/gather.h"
#include "harness/records/reports/hunt_reader.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

HuntReport shard(unsigned number, unsigned of, uint64_t executions = 100) {
  HuntReport report;
  report.id = "hunt-" + std::to_string(number);
  report.shard = ShardPlace{"campaign", {number, of}, 7, "tonight"};
  report.started = "2030-01-0" + std::to_string(number);
  report.seed = 5;
  report.seconds = 10;
  report.ended = true;
  report.inputs = report.explorations = 1;
  report.executions = report.planned = executions;
  InputFigures figures;
  figures.input = "in-" + std::to_string(number);
  figures.executions = executions;
  report.figures = {figures};
  HuntFinding finding;
  finding.id = "f" + std::to_string(number);
  finding.input = figures.input;
  finding.verdict = VerdictClass::kLatent;
  report.findings = {finding};
  report.skipped = {{{"left-out", "", ""}, "it is not meant for the engines asked for"}};
  RuleAccount rule;
  rule.name = "rule";
  rule.executions = number - 1;
  rule.example = rule.executions > 0 ? "of " + std::to_string(number) : "";
  report.filters = {rule};
  return report;
}

TEST(JoinedReport, AddsCountsAndPutsListsBehindEachOther) {
  const HuntReport all = joined({shard(3, 3), shard(1, 3), shard(2, 3)});
  EXPECT_EQ(all.executions, 300u);
  EXPECT_EQ(all.planned, 300u);
  EXPECT_EQ(all.inputs, 3u);
  EXPECT_EQ(all.explorations, 3u);
  EXPECT_DOUBLE_EQ(all.seconds, 30);
  EXPECT_EQ(all.started, "2030-01-01");
  EXPECT_EQ(all.id, "campaign");
  EXPECT_TRUE(all.ended);
  EXPECT_EQ(all.failure, "");
  ASSERT_THAT(all.findings, SizeIs(3));
  EXPECT_EQ(all.findings[2].id, "f3");
  EXPECT_THAT(all.skipped, SizeIs(1)) << "each shard leaves out the same";
  ASSERT_THAT(all.filters, SizeIs(1));
  EXPECT_EQ(all.filters[0].executions, 3u);
  EXPECT_EQ(all.filters[0].example, "of 2") << "the first that it was needed for";
}

TEST(JoinedReport, SaysWhatIsMissingFirst) {
  HuntReport unfinished = shard(2, 20);
  unfinished.ended = false;
  HuntReport failed = shard(4, 20);
  failed.failure = "the disk is full";
  const HuntReport all = joined({shard(1, 20), unfinished, failed});
  EXPECT_THAT(all.failure, AllOf(HasSubstr("17 of 20 shards are missing, the first of them 3"),
                                 HasSubstr("shard 2 of 20 did not come to its end"),
                                 HasSubstr("shard 4: the disk is full")));
  EXPECT_FALSE(all.ended);
  EXPECT_EQ(missing_text({1, 2, 3}, 3), "");
  EXPECT_EQ(missing_text({1, 3}, 3), "shard 2 of 3 is missing");
  EXPECT_EQ(missing_text({2}, 4), "shards 1, 3 and 4 of 4 are missing");
}

TEST(JoinedReport, AHuntThatIsNoShardStaysAsItIs) {
  HuntReport whole = shard(1, 1);
  whole.shard.reset();
  EXPECT_EQ(report_json(joined({whole})), report_json(whole));
}

TEST(JoinedReport, OfTwoReportsOfAShardOneIsFurtherWhicheverIsAskedFirst) {
  HuntReport part = shard(1, 3, 40);
  part.planned = 100;
  part.ended = false;
  const HuntReport whole = shard(1, 3);
  EXPECT_TRUE(came_further(whole, part));
  EXPECT_FALSE(came_further(part, whole));
  HuntReport twin = whole;
  twin.memory_kib = 5;
  EXPECT_NE(came_further(twin, whole), came_further(whole, twin));
  EXPECT_FALSE(came_further(whole, whole));
}

// ---- on disk

class Gathering : public testing::Test {
 protected:
  fs::path make_finding(const std::string& name, const std::string& text) const {
    fs::path folder = folder_.path() / name;
    fs::create_directories(folder);
    std::ofstream(folder / "finding.yaml") << text;
    std::ofstream(folder / "trace.txt") << "trace";
    return folder;
  }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  PrivateDirectory folder_{temporary_base()};
};

TEST_F(Gathering, AFindingIsCopiedWholeAndNeverWrittenOver) {
  const fs::path from = make_finding("from/one", "first");
  fs::create_symlink("/etc/hostname", from / "link");
  const fs::path to = folder_.path() / "into" / "findings" / "one";
  EXPECT_EQ(gather_finding(from, to), Gathered::kCopied);
  EXPECT_EQ(read(to / "finding.yaml"), "first");
  EXPECT_FALSE(fs::exists(fs::symlink_status(to / "link")));
  const fs::path again = make_finding("again/one", "second");
  std::ofstream(again / "diagnosis.json") << "{}";
  EXPECT_EQ(gather_finding(again, to), Gathered::kShared);
  EXPECT_EQ(read(to / "finding.yaml"), "first");
  EXPECT_EQ(read(to / "diagnosis.json"), "{}") << "what it lacked is added";
  for (const auto& entry : fs::directory_iterator(to.parent_path())) {
    EXPECT_EQ(entry.path(), to) << "nothing half made is left";
  }
}

TEST_F(Gathering, ReportsOfShardsBecomeOneInAnyOrder) {
  std::vector<unsigned> order = {1, 2, 3};
  std::string first;
  do {
    const PrivateDirectory into(temporary_base());
    const fs::path campaign = campaign_folder(into.path(), "campaign");
    for (const unsigned number : order) {
      gather_report(campaign, shard(number, 3));
      HuntReport less = shard(number, 3, 5);
      less.ended = false;
      gather_report(campaign, less);
      join_reports(campaign);
    }
    const std::string text = read(campaign / "hunt.json");
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
    EXPECT_EQ(read_hunt(campaign).executions, 300u);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Gathering, KnowsWhatLiesWhere) {
  EXPECT_TRUE(lies_in("/a/b/c", "/a/b"));
  EXPECT_TRUE(lies_in("/a/b/c", "/a/b/"));
  EXPECT_FALSE(lies_in("/a/bc", "/a/b"));
  EXPECT_FALSE(lies_in("/a", "/a/b"));
}

}  // namespace
}  // namespace esox
