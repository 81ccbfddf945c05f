// SPDX-License-Identifier: Apache-2.0
// Engines: names, and inputs made concrete.
#include "inputs/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
#include "targets/mariadb/language.h"
#include "targets/memcached/language.h"
#include "targets/mysql/language.h"
#include "tests/unit/inputs/fixtures.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_inputs::kValid;
using testing_inputs::replaced;

Input input_with(const std::string& engines) {
  return parse_inputs(replaced(kValid, "engines: [Aria]\n", engines), "f.yaml", languages()).at(0);
}

std::vector<std::string> engines_of(const std::vector<ConcreteInput>& instances) {
  std::vector<std::string> engines;
  for (const ConcreteInput& instance : instances) engines.push_back(instance.engine);
  return engines;
}

TEST(Instantiate, FillsInThePlaceholderEverywhere) {
  Input input = input_with("");
  input.server_options = {"--default-storage-engine=${engine}"};
  input.clients[0].setup = {"SET default_storage_engine=${engine}"};
  input.clients[1].requests[0].text = "ALTER TABLE t1 ENGINE=${engine} COMMENT='${engine}'";
  input.observations = {"SELECT '${engine}'"};
  const auto instances = instantiate(input, {"innodb"});
  ASSERT_EQ(instances.size(), 1u);
  EXPECT_EQ(instances[0].engine, "InnoDB");
  const Input& filled = instances[0].input;
  EXPECT_EQ(filled.setup[0], "CREATE TABLE t1 (a INT) ENGINE=InnoDB");
  EXPECT_EQ(filled.server_options[0], "--default-storage-engine=InnoDB");
  EXPECT_EQ(filled.clients[0].setup[0], "SET default_storage_engine=InnoDB");
  EXPECT_EQ(filled.clients[1].requests[0].text, "ALTER TABLE t1 ENGINE=InnoDB COMMENT='InnoDB'");
  EXPECT_EQ(filled.observations[0], "SELECT 'InnoDB'");
  EXPECT_EQ(filled.id, input.id);
  EXPECT_FALSE(has_engine_placeholder(filled));
}

TEST(Instantiate, TheInputsOwnEnginesRestrict) {
  const Input input = input_with("engines: [InnoDB, Aria]\n");
  EXPECT_THAT(engines_of(instantiate(input, {"MyISAM", "Aria"})), ElementsAre("Aria"));
  EXPECT_THAT(instantiate(input, {"MyISAM"}), IsEmpty());
}

TEST(Instantiate, EnginesThatTheInputsServerLacksAreLeftOut) {
  Input input = input_with("engines: [InnoDB, Aria]\n");
  input.language = &mysql_language();
  EXPECT_THAT(engines_of(instantiate(input, {})), ElementsAre("InnoDB"));
}

TEST(Instantiate, WithoutRequestedEnginesTakesTheInputsOrTheUsual) {
  EXPECT_THAT(engines_of(instantiate(input_with("engines: [MEMORY]\n"), {})),
              ElementsAre("MEMORY"));
  EXPECT_THAT(engines_of(instantiate(input_with(""), {})), ElementsAre("Aria", "MyISAM", "InnoDB"));
}

TEST(Instantiate, AnInputWithoutPlaceholderIsMadeOnce) {
  Input input = input_with("");
  input.setup = {"CREATE TABLE t1 (a INT) ENGINE=Aria"};
  EXPECT_THAT(engines_of(instantiate(input, {"Aria", "InnoDB"})), ElementsAre(""));
}

TEST(Instantiate, AnUnknownEngineIsRefusedEvenWhereNoneIsNeeded) {
  Input input = input_with("");
  EXPECT_THROW(instantiate(input, {"Arya"}), InputError);
  input.setup.clear();
  EXPECT_THROW(instantiate(input, {"Arya"}), InputError);
}

TEST(Engines, AreKnownInAnyCase) {
  EXPECT_THAT(canonical_engines(mariadb_language(), {"ARIA", "myisam", "aria", "memory", "InnoDb"}),
              ElementsAre("Aria", "MyISAM", "MEMORY", "InnoDB"));
  EXPECT_EQ(known_engine(mariadb_language(), ""), std::nullopt);
  EXPECT_EQ(known_engine(mariadb_language(), "Ari"), std::nullopt);
}

TEST(Engines, AnUnknownNameIsExplained) {
  try {
    canonical_engines(mariadb_language(), {"inodb"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "unknown engine 'inodb'; did you mean 'InnoDB'?");
  }
}

TEST(Engines, OfAServerThatHasNoneAreRefused) {
  EXPECT_EQ(canonical_engines(memcached_language(), {}), std::vector<std::string>{});
  EXPECT_THROW(canonical_engines(memcached_language(), {"Aria"}), InputError);
}

}  // namespace
}  // namespace esox
