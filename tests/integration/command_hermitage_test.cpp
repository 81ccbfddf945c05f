// SPDX-License-Identifier: Apache-2.0
// Hermitage's cases at all isolation levels on a real MariaDB: each anomaly that the table of
// docs/isolation-levels.md promises is reached and named, none is where it promises none, and none
// is forbidden.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using Names = std::set<std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    const size_t begin = std::min(cell.find_first_not_of(" `"), cell.size());
    const size_t end = cell.find_last_not_of(" `");
    cells.push_back(end == std::string::npos ? "" : cell.substr(begin, end + 1 - begin));
  }
  return cells;
}

Names names_in_cell(std::string cell) {
  Names names;
  std::replace(cell.begin(), cell.end(), ',', ' ');
  std::istringstream words(cell);
  for (std::string word; words >> word;) {
    if (word != "-") names.insert(word);
  }
  return names;
}

// Of the table whose first column is `hermitage/`: by the input's id.
std::map<std::string, Names> table_of(const std::string& page) {
  std::map<std::string, Names> table;
  std::vector<std::string> levels;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) {
      levels.clear();
      continue;
    }
    const std::vector<std::string> cells = cells_of(line);
    if (cells[0] == "hermitage/") {
      levels = cells;
    } else if (!levels.empty() && !cells[0].starts_with("-")) {
      for (size_t i = 1; i < levels.size(); ++i) {
        table[fmt::format("hermitage/{}-{}", cells[0], levels[i])] = names_in_cell(cells.at(i));
      }
    }
  }
  return table;
}

class Hermitage : public CommandTest {};

TEST_F(Hermitage, ReachesWhatEachLevelAllowsAndNothingThatItForbids) {
  const std::map<std::string, Names> table =
      table_of(read(std::filesystem::path(ESOX_DOCS) / "isolation-levels.md"));
  // By which later releases of MariaDB make a snapshot of each repeatable read.
  const std::string weaker = "--server-option=--innodb-snapshot-isolation=OFF";
  const Said said =
      esox({"hunt", shipped("hermitage.yaml"), "--executions", "30", "--seed", "1", weaker,
            "--json", "--diagnose-budget", "0", "--no-gate", "--out", "hermitage"},
           std::chrono::seconds(900));
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  const nlohmann::json hunt = nlohmann::json::parse(said.out);
  EXPECT_EQ(hunt["explored"].size(), table.size());
  for (const nlohmann::json& input : hunt["explored"]) {
    const std::string id = input["input"];
    Names seen;
    for (const auto& [name, executions] : input["allowed_anomalies"].items()) seen.insert(name);
    ASSERT_TRUE(table.contains(id)) << id;
    const Names& promised = table.at(id);
    EXPECT_TRUE(std::includes(seen.begin(), seen.end(), promised.begin(), promised.end())) << input;
    EXPECT_EQ(seen.empty(), promised.empty()) << input;
    EXPECT_EQ(input["degraded"], 0) << input;
  }
}

// At READ COMMITTED a row that comes back elsewhere is met twice or not at all by what locks rows
// one by one: no order of requests gives that, and who read what says that the level allows it.
TEST_F(Hermitage, WhatIsSeveralStepsIsJudgedByWhoReadWhat) {
  const std::string input =
      write("moves.yaml",
            "id: moves\nisolation_level: read-committed\nengines: [InnoDB]\nsetup:\n"
            "  - CREATE TABLE t1 (id INT PRIMARY KEY, s VARCHAR(20) NOT NULL, UNIQUE KEY s (s)) "
            "ENGINE=${engine}\n"
            "  - INSERT INTO t1 VALUES (5,'p'),(6,'q')\nclients:\n"
            "  - requests: [BEGIN, \"SELECT id, s FROM t1 WHERE s='p' FOR UPDATE\",\n"
            "      \"SELECT id, s FROM t1 WHERE s='p' FOR UPDATE\", COMMIT]\n"
            "  - requests: [BEGIN, DELETE FROM t1 WHERE id=5, \"INSERT INTO t1 VALUES (1,'p')\", "
            "COMMIT]\n");
  const Said said = esox({"hunt", input, "--executions", "100", "--seed", "9", "--jobs", "1",
                          "--json", "--diagnose-budget", "0", "--no-gate", "--out", "moves"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  const nlohmann::json hunt = nlohmann::json::parse(said.out);
  // An error that no order gives is told by no read: here that of a deadlock's victim.
  EXPECT_LT(hunt["degraded"], 5) << hunt["degraded_reasons"];
  EXPECT_GE(hunt["allowed_anomalies"]["G-single"], 10) << hunt;
}

}  // namespace
}  // namespace esox
