// SPDX-License-Identifier: Apache-2.0
// What of a statement can be told apart later, in what others read: appends to lists, writes to
// registers, changes of rows (analysis/list_history.h). Of registers and rows there is one form
// each, and what is not of it is none of them:
//
//   UPDATE t SET v='a=7' WHERE ...              7 to the register a
//   INSERT INTO t VALUES (7,'a')                row 7 comes into the set a
//   UPDATE t SET s='b' WHERE id=7               row 7 goes over to the set b
//   DELETE FROM t WHERE id=7                    row 7 goes
//   SELECT id, s FROM t WHERE s='a'             all rows of the set a; also s IN ('a','b'), and
//                                               without WHERE those of all sets
#pragma once

#include <optional>
#include <string_view>

#include "inputs/request_language.h"

namespace esox {

// 7 of a = CONCAT(a, ',7'), the only one there is.
std::optional<uint64_t> appended_element(std::string_view statement);
std::optional<ListStep> register_write(std::string_view statement);
std::optional<ListStep> row_change(std::string_view statement);
// Of a SELECT; without a table it says nothing of rows.
ListStep rows_read(std::string_view select);

}  // namespace esox
