// SPDX-License-Identifier: Apache-2.0
// Grammars for tests: the shipped ones, one written in a test, and what servers could hold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/text/input_error.h"
#include "inputs/generation/grammar.h"
#include "inputs/generation/grammar_reader.h"
#include "inputs/generation/maker.h"
#include "tests/unit/servers.h"

namespace esox {

inline const std::vector<std::string> kGrammars = {"mariadb", "mysql", "memcached"};

inline std::shared_ptr<const Grammar> shipped_grammar(const std::string& name) {
  return read_grammar(std::string(ESOX_SOURCES) + "/inputs/grammars/" + name + ".yaml",
                      languages());
}

inline std::shared_ptr<const Grammar> grammar_of(const std::string& yaml) {
  return parse_grammar(yaml, "g.yaml", languages(), [](const std::string& name) -> std::string {
    throw InputError(name, 0, "no such file");
  });
}

// Some of everything that slots of the shipped grammars name.
inline Holdings rich_holdings() {
  Holdings all = {{"table", "t1", "", "InnoDB versioned"},
                  {"table", "t2", "", "InnoDB partitioned"},
                  {"table", "t3", "", "MyISAM"},
                  {"table", "t4", "", "Aria"},
                  {"view", "v1", "", ""},
                  {"sequence", "s1", "", ""},
                  {"user", "u1", "", ""},
                  {"database", "d1", "", ""},
                  {"role", "r1", "", ""},
                  {"role", "r2", "", ""},
                  {"table", "t8", "", "MRG_MyISAM"},
                  {"procedure", "pr1", "", ""},
                  {"function", "fu1", "", ""},
                  {"event", "e1", "", ""},
                  {"trigger", "tr1", "t1", "insert"},
                  {"partition", "p0", "t2", "range"},
                  {"constraint", "f1", "t1", "foreign key"}};
  for (const std::string table : {"t1", "t2", "t3", "t4", "v1"}) {
    all.push_back({"column", "id", table, "int primary indexed"});
    all.push_back({"column", "n", table, table == "t3" ? "int auto indexed" : "int"});
    all.push_back({"column", "a", table, "int indexed"});
    all.push_back({"column", "b", table, "varchar"});
    all.push_back({"column", "c", table, "int"});
    all.push_back({"column", "d", table, "int"});
    all.push_back({"column", "x", table, "text"});
    all.push_back({"column", "p", table, "point"});
    all.push_back({"column", "s", table, "datetime"});
    if (table != "v1") all.push_back({"index", "ka", table, "btree"});
  }
  return all;
}

}  // namespace esox
