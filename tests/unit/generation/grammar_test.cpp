// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/grammar.h"

#include <gtest/gtest.h>

#include "inputs/generation/grammar_reader.h"
#include "inputs/generation/maker.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

TEST(Grammar, ShippedOnesMakeInputs) {
  for (const std::string server : {"mariadb", "mysql"}) {
    const auto grammar = read_grammar(
        std::string(ESOX_SOURCES) + "/inputs/grammars/" + server + ".yaml", languages());
    Maker maker(grammar);
    Rng random(1);
    const Input setup = maker.setup(random);
    const Holdings holdings = {{"table", "t1", "", "InnoDB"},
                               {"column", "a", "t1", "int primary"},
                               {"column", "b", "t1", "int"}};
    for (int i = 0; i < 20; ++i) {
      const auto input = maker.fresh(setup, holdings, {}, random);
      ASSERT_TRUE(input);
      EXPECT_GE(input->clients.size(), 2u);
    }
  }
}

}  // namespace
}  // namespace esox
