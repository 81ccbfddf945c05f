// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/condition.h"

#include <fmt/format.h>

#include <algorithm>

namespace esox {
namespace {

using ValueKind = SyncValue::Kind;

constexpr unsigned kMostRows = 20;
constexpr size_t kMostLength = 80;   // of a value: a test's message has 160 characters
constexpr size_t kMostValues = 200;  // of which pairs are looked at
constexpr size_t kMostConditions = 20;

// The test program expands variables, and loses its way between quotes.
bool fits_in_test(const std::string& text) {
  return text.size() <= kMostLength &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' '; }) &&
         text.find_first_of("$`\\\"'") == std::string::npos;
}

bool is_compared(const std::string& label, const std::vector<std::string>& compared) {
  const auto is_named = [&](const std::string& name) {
    return std::find(compared.begin(), compared.end(), name) != compared.end();
  };
  return is_named(label) || is_named(label.substr(0, label.find(':')));
}

const ResultSet* only_result(const Output& output) {
  return output.error == 0 && output.results.size() == 1 ? &output.results.front() : nullptr;
}

void add_values(const std::string& label, const Output& output, std::set<SyncValue>& values) {
  values.insert({label, ValueKind::kError, 0, ""});
  if (output.results.empty()) {
    values.insert({label, ValueKind::kAffectedRows, 0, ""});
    values.insert({label, ValueKind::kWarnings, 0, ""});
  }
  const ResultSet* result = only_result(output);
  if (result == nullptr) return;
  const auto rows = std::min(static_cast<unsigned>(result->rows.size()), kMostRows);
  for (unsigned row = 1; row <= rows; ++row) {
    for (const Column& column : result->columns) {
      if (fits_in_test(column.name) && column.name.find(',') == std::string::npos) {
        values.insert({label, ValueKind::kCell, row, column.name});
      }
    }
  }
}

using Tuple = std::vector<std::string>;

std::optional<Tuple> tuple_in(const Answers& answers, const std::vector<SyncValue>& values) {
  Tuple tuple;
  for (const SyncValue& value : values) {
    std::optional<std::string> one = value_in(answers, value);
    if (!one) return {};
    tuple.push_back(std::move(*one));
  }
  return tuple;
}

class ConditionFinder {
 public:
  ConditionFinder(const std::vector<std::vector<Answers>>& serial, const std::vector<Answers>& seen,
                  const std::vector<std::string>& compared)
      : serial_(serial), seen_(seen) {
    std::set<SyncValue> values;
    const auto add = [&](const Answers& answers) {
      for (const auto& [label, output] : answers) {
        if (is_compared(label, compared)) add_values(label, output, values);
      }
    };
    for (const auto& runs : serial) std::for_each(runs.begin(), runs.end(), add);
    std::for_each(seen.begin(), seen.end(), add);
    for (const SyncValue& value : values) {
      if (values_.size() < kMostValues && is_stable(value)) values_.push_back(value);
    }
  }

  std::vector<SyncCondition> find() {
    for (const SyncValue& one : values_) consider({one});
    for (size_t i = 0; found_.empty() && i < values_.size(); ++i) {
      for (size_t k = i + 1; k < values_.size(); ++k) consider({values_[i], values_[k]});
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.right.size() < b.right.size(); });
    return std::move(found_);
  }

 private:
  // The same in all executions of an order, and to be had in each.
  bool is_stable(const SyncValue& value) const {
    return std::all_of(serial_.begin(), serial_.end(), [&](const std::vector<Answers>& runs) {
      const auto first = value_in(runs.front(), value);
      return first && std::all_of(runs.begin(), runs.end(), [&](const Answers& one) {
               return value_in(one, value) == first;
             });
    });
  }

  void consider(std::vector<SyncValue> values) {
    if (found_.size() >= kMostConditions) return;
    SyncCondition condition{std::move(values), {}};
    for (const auto& runs : serial_)
      condition.right.insert(*tuple_in(runs.front(), condition.values));
    if (std::all_of(seen_.begin(), seen_.end(),
                    [&](const Answers& one) { return is_wrong(condition, one); })) {
      found_.push_back(std::move(condition));
    }
  }

  const std::vector<std::vector<Answers>>& serial_;
  const std::vector<Answers>& seen_;
  std::vector<SyncValue> values_;
  std::vector<SyncCondition> found_;
};

}  // namespace

std::optional<std::string> value_in(const Answers& answers, const SyncValue& value) {
  const auto found = answers.find(value.label);
  if (found == answers.end() || !found->second.answered) return {};
  const Output& output = found->second;
  if (value.kind == ValueKind::kError) return std::to_string(output.error);
  if (value.kind == ValueKind::kWarnings) return std::to_string(output.warning_count);
  if (output.error != 0) return value.kind == ValueKind::kCell ? "" : "-1";
  if (value.kind == ValueKind::kAffectedRows) {
    if (!output.results.empty()) return {};
    return std::to_string(output.affected_rows);
  }
  const ResultSet* result = only_result(output);
  if (result == nullptr) return {};
  const auto column = std::find_if(result->columns.begin(), result->columns.end(),
                                   [&](const Column& one) { return one.name == value.column; });
  if (column == result->columns.end()) return {};
  if (value.row > result->rows.size()) return "No such row";
  const auto& cell =
      result->rows[value.row - 1][static_cast<size_t>(column - result->columns.begin())];
  if (!cell) return "NULL";
  return fits_in_test(*cell) ? cell : std::nullopt;
}

std::vector<SyncCondition> conditions(const std::vector<std::vector<Answers>>& serial,
                                      const std::vector<Answers>& seen,
                                      const std::vector<std::string>& compared) {
  if (serial.empty() || seen.empty()) return {};
  return ConditionFinder(serial, seen, compared).find();
}

bool is_wrong(const SyncCondition& condition, const Answers& answers) {
  const std::optional<Tuple> tuple = tuple_in(answers, condition.values);
  return tuple && !condition.right.contains(*tuple);
}

}  // namespace esox
