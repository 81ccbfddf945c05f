// SPDX-License-Identifier: Apache-2.0
// Which tables an input's statements can touch, by their text: what a summary by itself (`auto`)
// has to check, and scan by each index. An imported setup may make ten tables of which the requests
// use one, and a CHECK TABLE of each of the others would cost as much as that of the one.
//
// Cautious: a table is left out only if its name is a word of no request, of no session's setup and
// of no observation, nor of a statement of the setup that ties tables to each other (a view, a
// trigger, a routine, a foreign key, a merge table, a copy, a new name). All tables are touched if
// some statement acts on tables without naming them (FLUSH TABLES, SET GLOBAL, SHOW TABLES), be it
// in a trigger, if its text is put together elsewhere (PREPARE, EXECUTE), if it is of a kind not
// known here, or if a request may be more than one statement. A table is touched as well whose name
// is not of ASCII's letters, digits, _ and $ alone.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "inputs/input.h"

namespace esox {

// Whether a request touches no table but those it names and those tied to them.
bool names_what_it_touches(std::string_view request);

// All words of the text, in capitals, within quotes and comments too: a name may stand in either.
std::set<std::string> words_of(std::string_view text);

// Of a name that is written in one way only, but for capitals.
bool is_plain_name(std::string_view name);

class TouchedTables {
 public:
  explicit TouchedTables(const Input& input);

  // `table`: a name in the database `test`. A table that the execution made is touched, for a
  // request has named it.
  bool has(const std::string& table) const;
  // Whether the input could make a table, or a view, give it another name or drop it: some request
  // speaks of it, or what the setup ties to what a request does.
  bool may_come_or_go() const;

 private:
  void add_request(const std::string& text);
  void add_setup(const std::string& text);
  void add_words(std::string_view text);

  bool all_ = false;
  std::set<std::string> words_;  // in capitals
};

}  // namespace esox
