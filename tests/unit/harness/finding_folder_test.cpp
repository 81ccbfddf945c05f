// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/finding_folder.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/process/private_directory.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "tests/unit/harness/records.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class FindingFolder : public testing::Test {
 protected:
  static Finding finding_of(const Judged& judged) {
    return make_finding({two_clients(), "Aria"}, judged.report.record, judged.verdict, two_orders(),
                        {}, *judged.cause);
  }
  static Judged latent() { return judged_of(record_of(outcome_of({"1"}, {"1"}))); }
  static Judged crash() {
    ExecutionRecord record = record_of(Outcome{});
    record.ending.kind = EndingKind::kCrash;
    record.ending.signal = 11;
    record.ending.detail = {"stacks at the crash:", "  #0 boom"};
    return judged_of(record);
  }
  std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  PrivateDirectory folder_{temporary_base()};
};

TEST_F(FindingFolder, HoldsWhatExplainsAndReplaysIt) {
  const Judged judged = latent();
  const Finding finding = finding_of(judged);
  const fs::path made = write_finding_folder(folder_.path(), finding, judged, {});
  EXPECT_EQ(made.filename(), finding.id);
  EXPECT_THAT(names_in(made),
              UnorderedElementsAre("finding.yaml", "comparison.txt", "elements.txt", "trace.txt"));
  EXPECT_EQ(read_finding(made / "finding.yaml").id, finding.id);
  EXPECT_THAT(read(made / "comparison.txt"), HasSubstr("LATENT"));
}

TEST_F(FindingFolder, OfACrashHoldsItsStacks) {
  const Judged judged = crash();
  const fs::path made = write_finding_folder(folder_.path(), finding_of(judged), judged, {});
  EXPECT_EQ(read(made / "stack.txt"), "stacks at the crash:\n  #0 boom\n");
}

TEST_F(FindingFolder, NewCountsReplaceOldOnes) {
  const Judged judged = latent();
  Finding finding = finding_of(judged);
  const fs::path made = write_finding_folder(folder_.path(), finding, judged, {});
  finding.hits = 7;
  update_finding_folder(made, finding);
  EXPECT_EQ(read_finding(made / "finding.yaml").hits, 7u);
}

TEST_F(FindingFolder, WhatWasLeftHalfMadeIsNoHindrance) {
  const Judged judged = latent();
  const Finding finding = finding_of(judged);
  fs::create_directories(folder_.path() / ("." + finding.id + ".new") / "rest");
  write_finding_folder(folder_.path(), finding, judged, {});
  EXPECT_THAT(names_in(folder_.path()), UnorderedElementsAre(finding.id));
}

TEST_F(FindingFolder, OnFailureNothingIsLeftBehind) {
  const Judged judged = latent();
  const Finding finding = finding_of(judged);
  fs::create_directories(folder_.path() / finding.id / "in the way");
  EXPECT_THROW(write_finding_folder(folder_.path(), finding, judged, {}), OutError);
  EXPECT_THAT(names_in(folder_.path()), UnorderedElementsAre(finding.id));
  EXPECT_THROW(write_finding_folder(folder_.path() / "no", finding, judged, {}), OutError);
}

}  // namespace
}  // namespace esox
