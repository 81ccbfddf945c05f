// SPDX-License-Identifier: Apache-2.0
// What the store knows of nights.
#include <gmock/gmock.h>

#include "base/process/private_directory.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class StoreNightsTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "findings.db"; }

  static RecordedHunt hunt(const std::string& id) {
    RecordedHunt hunt;
    hunt.id = id;
    hunt.started = "2030-01-01";
    hunt.out = "/out/" + id;
    hunt.strategy = "portfolio";
    hunt.server_options = "--log-bin";
    hunt.seed = 18446744073709551615u;
    return hunt;
  }

  static Occurrence occurrence(const std::string& id) {
    Occurrence one;
    one.id = id;
    one.input = "in";
    one.engine = "Aria";
    one.verdict = VerdictClass::kLatent;
    one.hits = 2;
    one.signature = {"text", "plain-" + id, ""};
    return one;
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(StoreNightsTest, ALegTellsWhatItDidWhereSomethingWasEverFound) {
  Store store(file());
  store.record(hunt("h1"),
               {{{"in", "Aria", ""}, "", {{"none", 90}, {"latent", 2}, {"degraded", 8}}},
                {{"quiet", "Aria", ""}, "", {{"none", 100}}}},
               {occurrence("a")});
  store.record(hunt("h2"), {{{"in", "Aria", ""}, "", {{"none", 50}}}}, {});
  store.record(hunt("no stage"), {{{"in", "Aria", ""}, "", {{"none", 50}}}}, {});
  EXPECT_EQ(store.hunt_of("/out/h1"), "h1");
  EXPECT_EQ(store.hunt_of("/out/other"), std::nullopt);
  store.record_stage({"h1", "night 1", "stage", "tonight"});
  store.record_stage({"h2", "night 2", "stage", "tonight"});
  store.record_stage({"h2", "night 2", "stage", "tonight"});
  EXPECT_THAT(store.stages(), SizeIs(2));
  const std::vector<StageAccount> accounts = store.stage_accounts();
  ASSERT_THAT(accounts, SizeIs(2));
  EXPECT_EQ(accounts[0].stage.night, "night 1");
  EXPECT_EQ(accounts[0].executions, 92u);
  EXPECT_EQ(accounts[0].seed, 18446744073709551615u);
  EXPECT_EQ(accounts[0].server_options, "--log-bin");
  EXPECT_EQ(accounts[1].executions, 50u);
}

TEST_F(StoreNightsTest, ATryOfAScheduleIsKeptOncePerNightAndFollowsAMerge) {
  Store store(file());
  store.record(hunt("h1"), {}, {occurrence("a"), occurrence("b")});
  store.record_recheck({"night 1", "tonight", "a", "", "cannot tell", "why"});
  store.record_recheck({"night 1", "tonight", "a", "", "re-aligned", ""});
  ASSERT_THAT(store.rechecks(), SizeIs(1));
  EXPECT_EQ(store.rechecks()[0].result, "re-aligned");
  EXPECT_THAT(store.rechecks()[0].at, SizeIs(20)) << "the store's own time";
  store.merge("a", "b");
  EXPECT_EQ(store.rechecks()[0].finding, "b");
}

TEST_F(StoreNightsTest, AStoreOfBeforeNightsIsBroughtUpToDateWithAllItHolds) {
  {
    Store store(file());
    store.record(hunt("h1"), {}, {occurrence("a")});
  }
  {
    static constexpr std::array kAny = {"", "", "", "", ""};
    static constexpr DatabaseKind kKind = {
        .name = "the triage store", .application_id = 0x65736f02, .migrations = kAny};
    Database database(file(), kKind);
    for (const char* table : {"stages", "rechecks", "anchors", "decisions", "bonds"}) {
      database.run(std::string("DROP TABLE ") + table);
    }
    for (const char* column : {"campaign", "shard", "campaign_name"}) {
      database.run(std::string("ALTER TABLE hunts DROP COLUMN ") + column);
    }
    database.run("ALTER TABLE occurrences DROP COLUMN signature");
    database.run("ALTER TABLE hunts RENAME COLUMN launches TO sittings");
    database.run("PRAGMA user_version = 1");
  }
  Store store(file());
  EXPECT_THAT(store.findings(), SizeIs(1));
  EXPECT_THAT(store.stages(), IsEmpty());
  store.record_stage({"h1", "night 1", "stage", "tonight"});
  EXPECT_THAT(store.stages(), SizeIs(1));
}

}  // namespace
}  // namespace esox
