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

// True if the query cache could hold the answer and asking again is harmless: a statement that
// begins with SELECT, reads FROM something, has no other one after it, and is without INTO,
// SQL_NO_CACHE, FOR UPDATE, LOCK IN SHARE MODE, PROCEDURE, user or system variables, functions
// whose value changes by itself (or that act: GET_LOCK, NEXTVAL), and the server's own schemas.
// Checked against what MariaDB 10.11 caches: it also caches WITH and (SELECT ...), for which this
// says false, and does not cache temporary tables and sequences, which cannot be seen in the text.
bool is_plain_select(std::string_view text);

// What a statement leaves in its session that the server's tables do not show.
enum class SessionEffect {
  kNone,
  kOpens,    // begins a transaction
  kCloses,   // ends one
  kLasting,  // variables, temporary tables, prepared statements, locks; or it reads such a thing
};

// Cautious: kLasting wherever it is not plain that nothing lasts (CALL, XA, SET).
SessionEffect session_effect(std::string_view text);

// True for a SET that only changes variables of its own session, to values written out: the server
// is as much at rest after it as before. Cautious: false wherever more might happen (a function
// called, a transaction ended, roles and passwords).
bool is_mere_session_setting(std::string_view text);

// Without blanks and statement ends (';') at either end.
std::string trim_statement(std::string_view text);

}  // namespace esox
