// SPDX-License-Identifier: Apache-2.0
// The order in which a hunt explores its inputs, as somebody who knows more says it
// (`esox hunt --ranking FILE`): a line each,
//
//   pairs/insert--select                  on all its engines, under all settings
//   pairs/insert--select InnoDB           on that one
//   pairs/insert--select InnoDB row-log   under that setting; "-" stands for no engine
//
// Empty lines and those that begin with '#' are passed over. What is not named is left out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"

namespace esox {

// No engine, no setting: any.
struct RankingLine : InputKey {
  int line = 0;
};

inline constexpr size_t kMaxRankingBytes = 64 << 20;

// Throws InputError.
std::vector<RankingLine> parse_ranking(std::string_view text, const std::string& file);

// The inputs that are named, in that order, each once. Throws InputError: a line that fits none of
// them, or a file without a line.
std::vector<ConcreteInput> in_order(std::vector<ConcreteInput> inputs,
                                    const std::filesystem::path& file);

// A line that names this one alone.
std::string ranking_line(const InputKey& key);

}  // namespace esox
