// SPDX-License-Identifier: Apache-2.0
// The shipped rules on a real server: what a statement has done half shows in statistics on every
// engine that a rule names, and is forgiven there.
#include <fmt/format.h>

#include "filters/reader.h"
#include "targets/registry.h"
#include "tests/integration/hunt_fixture.h"

namespace esox {
namespace {

constexpr uint64_t kExecutions = 40;
constexpr const char* kAsked[] = {
    "SHOW TABLE STATUS", "SHOW INDEX FROM t1",
    "SELECT TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test'"};
constexpr const char* kWriting[] = {"INSERT INTO t1 (b) VALUES (5),(6)",
                                    "DELETE FROM t1 WHERE b < 3"};

class ShippedRulesTest : public HuntTest {
 protected:
  std::shared_ptr<const RuleSet> shipped() const {
    return std::make_shared<const RuleSet>(
        read_rules({*target_named("mariadb").filters_file()}, known_servers()));
  }

  uint64_t violations(const std::string& engine, std::shared_ptr<const RuleSet> rules) {
    ExplorationSettings wanted = settings().exploration;
    wanted.server = {"10.11", {}};
    wanted.filters = std::move(rules);
    uint64_t seen = 0;
    for (const char* asked : kAsked) {
      for (const char* writing : kWriting) seen += violations_of(engine, asked, writing, wanted);
    }
    return seen;
  }

 private:
  uint64_t violations_of(const std::string& engine, const char* asked, const char* writing,
                         const ExplorationSettings& wanted) {
    ConcreteInput input = inputs(fmt::format(R"(
id: statistics
setup:
  - CREATE TABLE t1 (a INT AUTO_INCREMENT PRIMARY KEY, b INT, KEY (b)) ENGINE={}
  - INSERT INTO t1 (b) VALUES (1),(2),(3),(4)
clients:
  - requests: ["{}"]
  - requests: ["{}"]
)",
                                             engine, asked, writing))[0];
    input.engine = engine;
    Exploration exploration(input, wanted);
    uint64_t seen = 0;
    for (uint64_t n = 1; n <= kExecutions; ++n) {
      if (exploration.explore(executor_, n).verdict.violation()) ++seen;
    }
    return seen;
  }

  ServerExecutor executor_{server_, options()};
};

TEST_F(ShippedRulesTest, ForgiveStatisticsOfAStatementUnderWayOnEveryEngine) {
  for (const char* engine : {"Aria", "InnoDB", "MyISAM"}) {
    EXPECT_EQ(violations(engine, shipped()), 0u) << engine;
  }
  EXPECT_GT(violations("Aria", nullptr), 0u);
}

}  // namespace
}  // namespace esox
