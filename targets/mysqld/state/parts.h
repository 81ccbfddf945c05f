// SPDX-License-Identifier: Apache-2.0
// The parts of the state that an input may choose, beside tables, definitions, rows, checks and the
// observations, which are always summarised.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace esox {

enum class MysqldPart {
  kIndexes,
  kAnswers,
  kBinlog,
  kLeftovers,
  kTransactions,
  kKeyBlocks,
  kPrograms,
  kAccounts,
  kDictionary,
  kFiles,
};
inline constexpr std::string_view kMysqldParts[] = {
    "indexes",    "answers",  "binlog",   "leftovers",  "transactions",
    "key-blocks", "programs", "accounts", "dictionary", "files"};
static_assert(std::size(kMysqldParts) == static_cast<size_t>(MysqldPart::kFiles) + 1);

}  // namespace esox
