// SPDX-License-Identifier: Apache-2.0
// A rule: one difference between an execution and a serial order that does not count, where, for
// whom, and why (as in P. Fonseca, Effective testing for concurrency bugs, 2015).
//
// What a rule may do is bounded by its form: it names one place (a part of a reply, or components
// of the state) and changes how that place of the execution is compared with the same place of ONE
// serial order. It never looks at another order, and never at another place. So an execution is
// accepted if and only if some one order is left without differences; there is no way to take the
// replies of one order and the state of another.
//
// Plain data; made by reader.h, which refuses rules that make no sense.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filters/pattern.h"

namespace esox {

enum class RuleKind {
  kIncluded,   // what one side has besides does not count
  kIgnore,     // the place is not looked at
  kNormalise,  // what a pattern matches counts as equal
  kUnordered,  // the order of rows or elements does not count
  kTolerate,   // an error that no order gives, if all else is as if it had not been asked for
  kSplit,      // the request counts as several, executed one after the other
};

// Of kIncluded: which side may have more.
enum class Direction {
  kInSerial,     // the execution lacks something: it is contained in the serial order's
  kHoldsSerial,  // the execution has more: it contains the serial order's
  kEither,
};

// The parts of a reply that a rule may name. Errors are not among them: kTolerate has conditions.
enum class ReplyPart { kRows, kInfo, kMessage, kWarnings, kWarningCount, kAffectedRows, kInsertId };

// Where and beside what a rule applies. Empty: anywhere.
struct Scope {
  std::vector<std::string> statements;  // kinds (RequestLanguage); "CREATE": all that create
  std::vector<std::string> beside;      // kinds, of an overlapping request of another client
  std::vector<std::string> after;       // kinds, of an earlier request of the same client
  std::string object;                   // wildcard: a name in the statement
  std::optional<Pattern> text;          // found in the statement
  std::optional<Pattern> input;         // found in a request or option of the input, or its setup
  std::vector<std::string> engines;
  std::vector<std::string> without_options;  // of the server: "log-bin"
  std::vector<uint32_t> from_version;        // inclusive
  std::vector<uint32_t> before_version;
};

struct Rule {
  std::string name;  // unique
  RuleKind kind = RuleKind::kIgnore;
  std::string reason;
  std::string owner;
  std::string expires;               // "2027-06-30", the last day on which it holds; empty: never
  std::vector<std::string> servers;  // kinds of server, as RequestLanguage::server
  std::string origin;                // "filters/mysqld.yaml:12"

  std::optional<ReplyPart> reply;  // kTolerate and kSplit have neither of the two
  std::string component;           // wildcard

  std::string column;                          // of kRows: only this one; kTolerate: see pattern
  std::string key;                             // of a map: wildcard, only these
  Direction direction = Direction::kInSerial;  // kIncluded
  std::optional<Pattern> unless;   // kIncluded: what is besides counts if this is found in it
  std::optional<Pattern> pattern;  // kNormalise; kTolerate: a row with it in `column` is an error
  std::string placeholder;         // kNormalise
  std::vector<uint32_t> errors;    // kTolerate
  std::optional<Pattern> task;     // kTolerate: in place of a request, a task of the server's own,
                                   // of whose failure the server says this
  std::string into;                // kSplit: how (RequestLanguage::splittings)
  Scope scope;
};

// As files have them, by their numbers.
inline constexpr std::string_view kRuleKindNames[] = {"included",  "ignore",   "normalise",
                                                      "unordered", "tolerate", "split"};
inline constexpr std::string_view kDirectionNames[] = {"in-serial", "holds-serial", "either"};
inline constexpr std::string_view kReplyPartNames[] = {
    "rows", "info", "message", "warnings", "warning-count", "affected-rows", "insert-id"};

inline std::string_view kind_name(RuleKind kind) {
  return kRuleKindNames[static_cast<size_t>(kind)];
}

// The text of a file of rules: what a finding keeps.
struct FilterText {
  std::string file;  // for messages
  std::string text;
  bool operator==(const FilterText&) const = default;
};

struct RuleSet {
  std::vector<Rule> rules;
  std::vector<FilterText> texts;  // that they were read from
};

}  // namespace esox
