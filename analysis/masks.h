// SPDX-License-Identifier: Apache-2.0
// Named places of an outcome, and the set of those that are not evidence.
//
// A mask is made where two equal serial runs differ (nondeterminism.h). It is as narrow as the
// difference can be named: a column of a result rather than the result, a key of a map rather than
// the component. Every mask has a name for the report and counts the serial orders that showed it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace esox {

// The parts of a reply that are compared. The numbers are not stored; the names are (part_name).
enum class OutputPart {
  kAnswered,
  kError,
  kSqlState,
  kMessage,
  kResultCount,  // also stands for all results of the request
  kColumns,      // names and types
  kRows,         // all rows of one result
  kRowOrder,     // only of results whose rows are ordered
  kColumn,       // the cells of one column
  kAffectedRows,
  kInsertId,
  kInfo,
  kWarningCount,
  kWarnings,
};

const char* part_name(OutputPart part);

struct OutputPlace {
  size_t client = 0;
  size_t request = 0;
  OutputPart part = OutputPart::kAnswered;
  size_t result = 0;                                     // kColumns, kRows, kRowOrder, kColumn
  size_t column = 0;                                     // kColumn
  auto operator<=>(const OutputPlace&) const = default;  // NOLINT(modernize-use-nullptr): false
};

struct StatePlace {
  std::string component;
  std::optional<std::string> key;                       // of a map; nullopt: the whole component
  auto operator<=>(const StatePlace&) const = default;  // NOLINT(modernize-use-nullptr): false
};

struct Masks {
  std::map<OutputPlace, uint64_t> outputs;  // place -> serial orders in which it differed
  std::map<StatePlace, uint64_t> state;

  bool empty() const { return outputs.empty() && state.empty(); }
  bool hides(const OutputPlace& place) const { return outputs.contains(place); }
  bool hides_component(const std::string& component) const;
  std::vector<std::string> hidden_keys(const std::string& component) const;
  bool operator==(const Masks&) const = default;
};

// For people: "B1: affected rows", "A2: result 1, column 3", "component status, key Uptime".
std::string place_name(const OutputPlace& place, const std::vector<std::string>& client_names = {});
std::string place_name(const StatePlace& place);

struct NamedMask {
  std::string name;
  uint64_t orders = 0;  // serial orders in which equal runs differed there
};
std::vector<NamedMask> mask_names(const Masks& masks,
                                  const std::vector<std::string>& client_names = {});

}  // namespace esox
