// SPDX-License-Identifier: Apache-2.0
// The objects that statements use, as far as their texts alone tell: there is no server to ask.
//
// Tables count if the same files create them. Beyond names.h: an INSERT writes the table it names
// before its values, and reads the others; who uses a view, a routine, a table with triggers or
// with foreign keys uses what stands in their definitions. Not known: what a text that is prepared
// or executed from a variable does. A use too many costs a pair that says nothing, one too few a
// pair that is not made; what is made is run, so neither makes a wrong finding.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "targets/sql/import/access.h"
#include "targets/sql/import/names.h"

namespace esox {

class ScriptObjects {
 public:
  // Of each statement, in any order, before the first accesses_of.
  void learn(std::string_view text, const std::string& database);
  void learn_uses(std::string_view text, const std::string& database);
  // Of what the statement drops, or defines anew.
  void forget_uses(std::string_view text, const std::string& database);

  Accesses accesses_of(std::string_view text, const std::string& database) const;

 private:
  struct Use {
    std::string object;
    AccessMode mode = AccessMode::kRead;
    bool as_used = false;     // written by who writes, read by who reads
    bool by_writers = false;  // used by who writes only

    bool is_kept_up_with(const Access& table) const { return by_writers && object == table.object; }
  };

  Accesses direct(std::string_view text, const std::string& database) const;
  Accesses of_definition(std::string_view text, const std::string& database) const;
  void add_uses(const Accesses& body, const std::string& of, Use use);
  void foreign_keys(const Accesses& own, const std::string& child);
  void follow(Accesses& accesses) const;

  KnownNames known_;
  std::map<std::string, std::vector<Use>> uses_;  // by object
};

}  // namespace esox
