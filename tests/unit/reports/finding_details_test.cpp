// SPDX-License-Identifier: Apache-2.0
// A finding's folder in words, whole and damaged.
#include "harness/records/reports/finding_details.h"

#include <gmock/gmock.h>

#include "harness/records/finding_file.h"
#include "harness/records/reports/report_data.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

FindingDetails details_in(const HuntFolder& folder) {
  return read_report_data(folder.out()).findings.at(0);
}

TEST(FindingDetails, CompareTheExecutionWithEachSerialOrder) {
  const HuntFolder folder;
  const FindingDetails details = details_in(folder);
  EXPECT_EQ(details.damage, "");
  ASSERT_EQ(details.orders.size(), 2u);
  EXPECT_EQ(details.orders[0].order, "A1 B1");
  EXPECT_THAT(details.orders[0].replies, ElementsAre(Sameness::kDiffers, Sameness::kSame));
  ASSERT_EQ(details.orders[0].differences.size(), 1u);
  EXPECT_EQ(details.orders[0].differences[0].place, "the reply to A1 (rows)");
  EXPECT_THAT(details.orders[0].differences[0].missing, ElementsAre("1"));
  EXPECT_THAT(details.orders[0].differences[0].extra, ElementsAre("3"));
  EXPECT_TRUE(details.components.empty()) << "the state is as after both";
  EXPECT_EQ(details.equal_components, 1u);
  EXPECT_THAT(details.wrong, HasSubstr("the reply to A1"));
  EXPECT_THAT(details.expected, HasSubstr("nearest serial order"));
}

TEST(FindingDetails, ShowAnyBytesDecodedOnce) {
  const HuntFolder folder;
  Finding finding = some_finding();
  finding.outcome.outputs[0][0].results[0].rows = {{"a\\b\xff"}};
  folder.add(finding);
  EXPECT_THAT(details_in(folder).orders[0].differences[0].extra, ElementsAre(R"('a\\b\xff')"));
}

TEST(FindingDetails, NameTheComponentThatDiffers) {
  const HuntFolder folder;
  Finding finding = some_finding();
  finding.outcome.state = make_summary({rows_component({"1"})});
  folder.add(finding);
  const FindingDetails details = details_in(folder);
  EXPECT_THAT(details.components, ElementsAre("rows:test.t1"));
  EXPECT_THAT(details.orders[0].components, ElementsAre(Sameness::kDiffers));
}

TEST(FindingDetails, TakeDiagnosisAndSmallerInputWhereTheyAre) {
  const HuntFolder folder;
  EXPECT_FALSE(details_in(folder).diagnosis);
  folder.write(std::string("findings/") + kSomeId + "/diagnosis.json", R"({
    "recorded_switches": 5, "fewest_switches": 3, "no_critical": "",
    "critical": {"sentence": "Client B was switched out.", "accepted_as": "A1 B1",
      "confirmed": true, "switch": {"from": "B", "to": "A",
        "at": {"operation": "lock mutex#9", "site": "tdc_acquire+0x4"}},
      "moved": {"client": "B", "operation": "lock mutex#9", "function": "tdc_acquire"},
      "other": null}})");
  Finding smaller = some_finding();
  smaller.input.input.setup.clear();
  write_finding(smaller, folder.finding() / "minimised.yaml");
  const FindingDetails details = details_in(folder);
  EXPECT_EQ(details.damage, "");
  ASSERT_TRUE(details.diagnosis);
  EXPECT_EQ(details.diagnosis->sentence, "Client B was switched out.");
  EXPECT_THAT(details.diagnosis->functions, ElementsAre("tdc_acquire"));
  EXPECT_TRUE(details.interleaving.rows[4].critical);
  ASSERT_TRUE(details.minimised);
  EXPECT_EQ(details.minimised->requests.size(), 2u);
  EXPECT_TRUE(details.minimised->setup.empty());
}

TEST(FindingDetails, OfADamagedFolderSayWhatIsMissingAndKeepTheRest) {
  const HuntFolder folder;
  fs::remove(folder.finding() / "trace.txt");
  folder.write(std::string("findings/") + kSomeId + "/diagnosis.json", "{\"critical\": [");
  FindingDetails details = details_in(folder);
  EXPECT_THAT(details.damage, HasSubstr("trace.txt is missing; diagnosis.json: "));
  EXPECT_EQ(details.orders.size(), 2u) << "finding.yaml is whole";
  const std::string yaml = HuntFolder::read(folder.finding() / "finding.yaml");
  folder.write(std::string("findings/") + kSomeId + "/finding.yaml", yaml.substr(0, 300));
  details = details_in(folder);
  EXPECT_THAT(details.damage, HasSubstr("finding.yaml: "));
  EXPECT_EQ(details.seen, "3") << "from hunt.json";
  fs::remove_all(folder.finding());
  EXPECT_THAT(details_in(folder).damage, HasSubstr("is not there"));
}

TEST(FindingDetails, OfAnotherFindingsFolderAreRefused) {
  const HuntFolder folder;
  write_finding(some_finding("ffffffffffffffff"), folder.finding() / "finding.yaml");
  EXPECT_THAT(details_in(folder).damage, HasSubstr("of another finding"));
}

TEST(FindingDetails, AnIdThatIsNoneNeverNamesAFolder) {
  HuntReport hunt = some_hunt();
  hunt.findings[0].id = "../../../etc";
  const HuntFolder folder(hunt);
  EXPECT_THAT(details_in(folder).damage, HasSubstr("its id is not one"));
  EXPECT_TRUE(details_in(folder).files.empty());
}

}  // namespace
}  // namespace esox
