// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/search.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text/counted.h"

namespace esox::exhaustive {
namespace {

std::string bound_text(const SearchResult& result) {
  if (result.bound == Bound::kNone) return "";
  if (result.exhausted && result.beyond_bound == 0) return "";
  const uint32_t most = result.exhausted ? result.most : result.round;
  const bool preemptions = result.bound == Bound::kPreemptions;
  return " within " + counted(most, preemptions ? "preemption" : "delay");
}

std::string violations_text(const SearchResult& result) {
  if (result.violating == 0) return "no violation";
  std::string text = counted(result.violating, "violation");
  if (result.divided > 0) {
    text +=
        fmt::format(" ({} of a partial order that was executed without one, too)", result.divided);
  }
  return text;
}

std::string effort_text(const SearchResult& result) {
  return fmt::format("{} in {}", counted(result.partial_orders, "partial order"),
                     counted(result.executions, "execution"));
}

}  // namespace

std::unique_ptr<SearchInProgress> begin_search(const SearchOptions& options) {
  return options.bound == Bound::kNone ? begin_partial_orders(options)
                                       : begin_within_bound(options);
}

std::string share_text(double share) {
  const double percent = 100 * share;
  return percent < 10 ? fmt::format("{:.2g} %", percent)
                      : fmt::format("{:.0f} %", std::floor(percent));
}

std::string text_of(const SearchResult& result) {
  const std::string found = violations_text(result) + bound_text(result);
  const std::string effort = effort_text(result);
  if (result.exhausted) return fmt::format("exhausted: {} ({})", found, effort);
  if (result.unusable > 0) {
    return fmt::format("not exhausted: {} so far ({}); {} could not be judged", found, effort,
                       counted(result.unusable, "execution"));
  }
  if (result.share == 1) {
    return fmt::format("not exhausted: {} ({}); what would have followed {} is not known", found,
                       effort, result.ended_early == 1 ? "it" : "them");
  }
  const std::string rounds =
      result.round < result.most ? fmt::format("; {} asked for", result.most) : "";
  if (result.share == 0)
    return fmt::format("not exhausted: {} so far{} ({})", found, rounds, effort);
  return fmt::format("not exhausted: {} so far, {} of the tree{} ({}, of about {:.3g})", found,
                     share_text(result.share), rounds, effort, result.estimated_executions());
}

}  // namespace esox::exhaustive
