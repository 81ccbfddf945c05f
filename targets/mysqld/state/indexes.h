// SPDX-License-Identifier: Apache-2.0
// Component index:test.t.k: does the index k say the same as the table?
//
// 92 % of the latent bugs that P. Fonseca studied (Effective testing for concurrency bugs, 2015)
// are two structures that disagree. An index and the rows it leads to are the two that SQL can read
// apart: a *covering* scan, SELECT of exactly the columns of one index with that index forced, is
// answered from the index alone ("Using index"), and so shows keys that lead nowhere, rows without
// a key, and keys that are not their row's. It must give the multiset of the table scan's rows, cut
// down to these columns. Only disagreements are elements, so an index that agrees is an empty
// component; its contents are in the rows.
//
// Not every index can be read so. Left out are: InnoDB's PRIMARY KEY (it is the table, which the
// table scan reads), full-text and spatial indexes, HASH (also the hidden one of a UNIQUE over a
// BLOB), indexes of a part of a column, ignored ones, and those of engines that do not answer from
// an index (MEMORY). CHECK TABLE ... EXTENDED walks most of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "summaries/outcome.h"

namespace esox {

// Indexes of larger tables are not read. It also ends the scan of a damaged index that goes round
// in circles.
inline constexpr size_t kMaxScannedRows = 10'000;

struct Index {
  std::string name;
  std::vector<std::string> columns;
  bool operator==(const Index&) const = default;
};

// Those of a table that a covering scan can read, from the text of SHOW CREATE TABLE.
std::vector<Index> readable_indexes(const std::string& create);

// "SELECT SQL_NO_CACHE `a`,`b` FROM `test`.`t` FORCE INDEX (`k`) LIMIT ..."
std::string scan_of(const std::string& quoted_table, const Index& index);

// `rows` is the reply to a table scan, `keys` that to scan_of.
Component compare_index(const std::string& name, const Index& index, const Output& rows,
                        const Output& keys);

}  // namespace esox
