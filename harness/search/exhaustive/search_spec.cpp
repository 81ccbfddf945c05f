// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/search_spec.h"

#include <fmt/format.h>

#include "base/text/number.h"

namespace esox::exhaustive {
namespace {

constexpr std::string_view kExhaustive = "exhaustive";
constexpr std::string_view kIterative = "iterative";
constexpr std::string_view kPreemptions = "preemptions";
constexpr std::string_view kDelays = "delays";

uint32_t most_of(std::string_view text) {
  const auto number = number_of<uint32_t>(text);
  if (!number || *number > kMostInBound) {
    throw SearchSpecError(
        fmt::format("strategy {}: \"{}\" is no bound: write a whole number from 0 to {}",
                    kExhaustive, text, kMostInBound));
  }
  return *number;
}

SearchSpec bounded(std::string_view bound) {
  const size_t equals = bound.find('=');
  const std::string_view key = bound.substr(0, equals);
  const bool known = key == kPreemptions || key == kDelays;
  if (!known || equals == bound.npos) {
    throw SearchSpecError(fmt::format("strategy {}: \"{}\" is no bound: write {}=N or {}=N",
                                      kExhaustive, bound, kPreemptions, kDelays));
  }
  SearchSpec spec;
  spec.bound = key == kPreemptions ? Bound::kPreemptions : Bound::kDelays;
  spec.most = most_of(bound.substr(equals + 1));
  return spec;
}

}  // namespace

std::optional<SearchSpec> search_spec_of(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (name == kExhaustive) {
    return colon == text.npos ? SearchSpec{} : bounded(text.substr(colon + 1));
  }
  if (name != kIterative) return std::nullopt;
  if (colon != text.npos) {
    throw SearchSpecError(fmt::format("strategy {} takes no parameters, but got \"{}\"", kIterative,
                                      text.substr(colon + 1)));
  }
  return SearchSpec{.iterative = true};
}

std::string text_of(const SearchSpec& spec) {
  if (spec.iterative) return std::string(kIterative);
  if (spec.bound == Bound::kNone) return std::string(kExhaustive);
  return fmt::format("{}:{}={}", kExhaustive,
                     spec.bound == Bound::kPreemptions ? kPreemptions : kDelays, spec.most);
}

}  // namespace esox::exhaustive
