// SPDX-License-Identifier: Apache-2.0
// Everything that is shipped loads, and is what the thesis and the documentation say.
#include "targets/shipped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/text/input_error.h"
#include "inputs/engine.h"
#include "inputs/reader.h"
#include "inputs/settings.h"
#include "inputs/writer.h"
#include "targets/mariadb/language.h"
#include "targets/registry.h"
#include "targets/sql/statement.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

std::map<std::string, Input> by_id(const std::vector<Input>& inputs) {
  std::map<std::string, Input> all;
  for (const Input& input : inputs) all[input.id] = input;
  return all;
}

TEST(Shipped, EverythingLoadsTogether) {
  const auto inputs = read_inputs(default_target().inputs_folder(), languages());
  EXPECT_EQ(inputs.size(), 13u + 410u + 14u + 196u + 14u + 70u + 110u + 22u + 26u + 17u + 300u);
}

TEST(Shipped, TheSampleOfMysqlsSuiteIsForMysql) {
  const auto inputs = read_inputs(shipped("inputs/mysql/mtr-sample"), languages());
  EXPECT_EQ(inputs.size(), 300u);
  for (const Input& input : inputs) EXPECT_EQ(input.server(), "mysql") << input.id;
}

// What has been found, each with an id of its own.
TEST(Shipped, InputsOfWhatWasFoundLoad) {
  for (const auto& [file, count] : std::map<std::string, size_t>{{"mariadb", 43},
                                                                 {"mariadb-11.8", 3},
                                                                 {"memcached-1.6.38", 6},
                                                                 {"mysql-5.6", 9},
                                                                 {"mysql-9", 6}}) {
    const auto inputs = read_inputs(shipped("docs/found/" + file + ".yaml"), languages());
    EXPECT_EQ(inputs.size(), count) << file;
  }
}

TEST(Shipped, TheDefaultLeavesOutTheNegativeControls) {
  const auto inputs = read_inputs(default_target().hunted_inputs(), languages());
  EXPECT_EQ(inputs.size(), 13u + 410u);
  for (const Input& input : inputs) EXPECT_FALSE(input.id.starts_with("negative/")) << input.id;
}

TEST(Shipped, TheThesisTableHasElevenDistinctPairs) {
  std::set<std::vector<std::string>> pairs;
  std::set<std::string> files;
  for (const Input& input :
       read_inputs(default_target().inputs_folder() / "pike-table-5-2", languages())) {
    ASSERT_EQ(input.clients.size(), 2u) << input.id;
    std::vector<std::string> requests;
    for (const InputClient& client : input.clients) {
      ASSERT_EQ(client.requests.size(), 1u) << input.id;
      requests.push_back(client.requests[0].text);
    }
    std::sort(requests.begin(), requests.end());
    pairs.insert(requests);
    files.insert(input.origin.substr(0, input.origin.rfind(':')));
    EXPECT_NE(input.title.find("thesis:"), std::string::npos) << input.id;
  }
  // 03 comes with two tables t2, hence the pair of texts is the same: still eleven.
  EXPECT_EQ(pairs.size(), 11u);
  EXPECT_EQ(files.size(), 11u);
}

TEST(Shipped, ThePositiveControlIsAsMeasured) {
  const auto inputs =
      by_id(read_inputs(default_target().inputs_folder() / "pike-table-5-2", languages()));
  const Input& input = inputs.at("pike-table-5-2/04-insert-select");
  EXPECT_EQ(input.clients[0].requests[0].text, "SELECT a FROM t1");
  EXPECT_EQ(input.clients[1].requests[0].text, "INSERT INTO t1 (a) VALUES (10),(11),(12)");
  EXPECT_EQ(instantiate(input, {"Aria"}).at(0).input.setup.at(0),
            "CREATE TABLE t1 (a INT) ENGINE=Aria");
}

TEST(Shipped, PairsHaveThirtyShapesOfWhichTwentyWrite) {
  const auto inputs = read_inputs(default_target().inputs_folder() / "pairs.yaml", languages());
  EXPECT_EQ(inputs.size(), 10u * 20u + 20u * 21u / 2u);
  EXPECT_EQ(by_id(inputs).count("pairs/drop--show-table-status"), 1u);
  EXPECT_EQ(by_id(inputs).count("pairs/select--select-view"), 0u);
}

TEST(Shipped, EveryInputCanBeMadeForEveryEngineItIsFor) {
  for (const Input& input : read_inputs(default_target().inputs_folder(), languages())) {
    const auto instances = instantiate(input, {"Aria", "MyISAM", "InnoDB", "MEMORY"});
    const size_t engines = input.engines.empty() ? 4u : input.engines.size();
    EXPECT_EQ(instances.size(), has_engine_placeholder(input) ? engines : 1u) << input.id;
    for (const ConcreteInput& instance : instances) {
      Input again = parse_inputs(to_yaml(instance.input), "f.yaml", languages()).at(0);
      again.origin = instance.input.origin;
      EXPECT_EQ(again, instance.input);
    }
  }
}

TEST(Shipped, NegativeReadersDoNotWrite) {
  const std::set<std::string> readers = {"SELECT", "SHOW CREATE", "SHOW COLUMNS", "SHOW TABLES",
                                         "CHECKSUM TABLE"};
  for (const Input& input :
       read_inputs(default_target().negative_controls() / "readers.yaml", languages())) {
    for (const InputClient& client : input.clients) {
      for (const Request& request : client.requests) {
        EXPECT_TRUE(readers.count(statement_kind(request.text))) << request.text;
      }
    }
  }
}

TEST(Shipped, NegativePairsTouchDifferentTables) {
  for (const Input& input :
       read_inputs(default_target().negative_controls() / "different-tables.yaml", languages())) {
    ASSERT_EQ(input.clients.size(), 2u) << input.id;
    const std::string own[] = {"t1", "t2"};
    for (size_t i = 0; i < 2; ++i) {
      for (const Request& request : input.clients[i].requests) {
        EXPECT_NE(request.text.find(own[i]), std::string::npos) << request.text;
        EXPECT_EQ(request.text.find(own[1 - i]), std::string::npos) << request.text;
      }
    }
  }
}

TEST(Shipped, NegativeSinglesHaveOneClient) {
  for (const Input& input :
       read_inputs(default_target().negative_controls() / "single-client.yaml", languages())) {
    EXPECT_EQ(input.clients.size(), 1u) << input.id;
  }
}

std::vector<std::string> examples_in(const fs::path& document) {
  std::ifstream stream(document);
  std::ostringstream text;
  text << stream.rdbuf();
  std::vector<std::string> examples;
  const std::string all = text.str(), fence = "```yaml\n";
  for (size_t at = all.find(fence); at != std::string::npos; at = all.find(fence, at)) {
    at += fence.size();
    examples.push_back(all.substr(at, all.find("```", at) - at));
  }
  return examples;
}

TEST(Shipped, InputsForMemcachedAreForMemcached) {
  const std::vector<Input> inputs =
      read_inputs(target_named("memcached").inputs_folder(), languages());
  EXPECT_GT(inputs.size(), 100u);
  for (const Input& input : inputs) EXPECT_EQ(input.server(), "memcached") << input.id;
  EXPECT_EQ(read_inputs(target_named("memcached").negative_controls(), languages()).size(), 10u);
}

TEST(Shipped, SettingsAreRight) {
  EXPECT_GE(read_settings(shipped("inputs/settings/mariadb.yaml"), mariadb_language()).size(), 4u);
}

TEST(Shipped, WhatIsNotThereIsRefusedInWords) {
  EXPECT_THROW(shipped("inputs/oracle"), InputError);
}

TEST(Documentation, ItsExamplesLoad) {
  const auto examples = examples_in(fs::path(ESOX_DOCS) / "writing-inputs.md");
  ASSERT_EQ(examples.size(), 3u);
  const Input input = parse_inputs(examples[0], "example.yaml", languages()).at(0);
  EXPECT_EQ(input.id, "examples/stale-count");
  EXPECT_FALSE(input.clients[1].requests[1].ordered);
  EXPECT_EQ(parse_inputs(examples[1], "swap.yaml", languages()).at(0).server(), "memcached");
  const auto pairs = by_id(parse_inputs(examples[2], "pairs.yaml", languages()));
  EXPECT_EQ(pairs.size(), 5u);
  EXPECT_EQ(pairs.at("my-pairs/call--insert").setup.size(), 2u);
  EXPECT_EQ(pairs.at("my-pairs/insert--select").setup.size(), 1u);
}

}  // namespace
}  // namespace esox
