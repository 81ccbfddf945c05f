// SPDX-License-Identifier: Apache-2.0
// Light lexical knowledge of a SQL statement: enough to label it and to know how to compare its
// rows. It is not a parser. It knows comments, strings, back-quotes and parentheses, so that a
// keyword inside one of them is never taken for one of the statement.
//
// Limits, all of the "answers for the usual server" kind:
//   - Executable comments (/*! ... */, /*M! ... */) count as executed, whatever version they name.
//   - Double quotes make strings (no ANSI_QUOTES), backslashes escape (no NO_BACKSLASH_ESCAPES).
//   - One text is one statement; of several separated by ';' the first decides.
//   - An unquoted column named like a keyword of ours (`order` cannot be one, `into` neither) is
//     not told apart, except after a dot.
//   - A view or a stored function is not looked into.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inputs/request_language.h"

namespace esox {

// The statement's kind in capitals: its first keyword, with the object's noun where the verb alone
// says little: "SELECT", "INSERT", "CREATE TABLE", "DROP VIEW", "SHOW TABLE", "OPTIMIZE TABLE".
// CREATE OR REPLACE counts as CREATE; a leading '(' is skipped. Empty: no statement in the text
// (blanks and comments only).
std::string statement_kind(std::string_view text);

// True if the reply's rows come in an order the statement asks for: a SELECT, WITH, VALUES or TABLE
// with ORDER BY outside parentheses. ORDER BY NULL asks for none. Rows that tie under the ORDER BY
// have no defined order: such a request should say `ordered: false` or order by a unique key.
bool orders_rows(std::string_view text);

// Whether it is a block of statements that is run as it stands (MariaDB): BEGIN NOT ATOMIC ... END,
// IF, CASE, FOR, LOOP, REPEAT, WHILE.
bool is_compound(std::string_view text);

// Cautious: kLasting wherever it is not plain that nothing lasts (CALL, XA, SET).
SessionEffect session_effect(std::string_view text);

// Whether a transaction that is open is committed before the statement does anything, and stays so
// if it fails: definitions, locks, another BEGIN.
bool ends_transaction_first(std::string_view text);

// SHOW WARNINGS and its like, ROW_COUNT(), FOUND_ROWS().
bool tells_of_last_request(std::string_view text);

// Appends are CONCAT(a, ',7'), in an UPDATE or an INSERT; registers and rows: versions.h. Cautious:
// kUnknown for what is not plain.
ListStep list_step(std::string_view text);

// Cautious: a plain read is judged only if all that it calls is known to be a function of its
// arguments, and if no row of its reply is chosen by the order in which rows are read.
ViewStep view_step(std::string_view text);
// Known settings, one statement. `but_level`: the isolation level may be set, too.
bool leaves_views_alone(std::string_view text, bool but_level);
// One statement: BEGIN, START TRANSACTION without a snapshot, SAVEPOINT, RELEASE SAVEPOINT.
bool only_begins_or_marks(std::string_view text);

// All words of it, in lower case, that may be a table's name; qualified ones as "db.t" and "t" too.
std::vector<std::string> names_in(std::string_view text);

// The table that it creates, in lower case; empty if that is not plain ("db.t", `t`).
std::string made_table(std::string_view text);

// True for a SET that only changes variables of its own session, to values written out: the server
// is as much at rest after it as before. Cautious: false wherever more might happen (a function
// called, a transaction ended, roles and passwords).
bool is_mere_session_setting(std::string_view text);

// Without blanks and statement ends (';') at either end.
std::string trim_statement(std::string_view text);

// Whether the text holds the word, which is in capitals; in the text that does not count.
bool speaks(std::string_view text, std::string_view word);

}  // namespace esox
