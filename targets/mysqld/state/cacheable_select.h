// SPDX-License-Identifier: Apache-2.0
// Which statements MariaDB's query cache may hold the answers of. Lexical, with the limits of
// targets/sql/statement.h.
#pragma once

#include <string_view>

namespace esox {

// True if the query cache could hold the answer and asking again is harmless: a statement that
// begins with SELECT, reads FROM something, has no other one after it, and is without INTO,
// SQL_NO_CACHE, FOR UPDATE, LOCK IN SHARE MODE, PROCEDURE, user or system variables, functions
// whose value changes by itself (or that act: GET_LOCK, NEXTVAL), and the server's own schemas.
// Checked against what MariaDB 10.11 caches: it also caches WITH and (SELECT ...), for which this
// says false, and does not cache temporary tables and sequences, which cannot be seen in the text.
bool is_plain_select(std::string_view text);

}  // namespace esox
