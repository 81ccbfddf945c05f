// SPDX-License-Identifier: Apache-2.0
// A text with slots, of which a grammar is made.
//
//   INSERT INTO {table} ({column*:!generated}) VALUES ({value*})
//
//   {rule}            one of the rule's phrases, drawn anew at each place
//   {table}           a name of this type; the same slot twice is the same name
//   {table 2}         that of another one; {column 2} is a column of it
//   {column b}        another column of the first
//   {column:int,!generated}   one whose detail has the first word and not the second
//   {column*}         all of them, separated by ", "; none is not enough
//   {new table}       a name that nothing has, of few: "table_1"
//   {value}           for {column}; {value b} for {column b}; {value*} one for each of {column*}
//   {value:new}       the same from the values for "new int", if the grammar has such
//   {quoted rule}     as the inside of a text in single quotes
//   {letters:50}      50 letters
//   {client}          the name of another client; in `named_clients` its own
//   {{ }}             braces
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct Piece {
  enum class Kind { kText, kRule, kName, kValue, kLetters, kClient };
  Kind kind = Kind::kText;
  std::string text;                  // kText: as it is; kRule, kName: of the rule or type
  size_t rule = 0;                   // kRule: its place in the grammar
  size_t letters = 0;                // kLetters
  bool is_new = false;               // kName: {new table}
  bool all = false;                  // kName, kValue: {column*}
  bool quoted = false;               // whatever the kind
  std::vector<std::string> details;  // {column:int,!generated}
  int number = 1;                    // {column 2}: of which owner
  std::string letter;                // {column b}
  bool operator==(const Piece&) const = default;
};
using Phrase = std::vector<Piece>;

// The slots as words that nobody has looked up yet: a name is a kName. Throws std::invalid_argument
// with what is wrong and what to do.
Phrase parse_phrase(std::string_view text);

// As parse_phrase reads it.
std::string to_text(const Phrase& phrase);

}  // namespace esox
