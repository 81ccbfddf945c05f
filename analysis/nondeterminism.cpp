// SPDX-License-Identifier: Apache-2.0
// Finding the narrowest name for a difference. For rows: a single column whose cells explain it,
// else all columns whose values differ as multisets, else the whole result. A component that is
// unavailable is not masked: it stays unavailable, and the execution degraded for it.
#include "analysis/nondeterminism.h"

#include <algorithm>

#include "analysis/rows.h"
#include "base/mapped.h"

namespace esox {
namespace {

const Output kNoOutput{};

class PlaceFinder {
 public:
  Masks find(const Outcome& first, const Outcome& second) {
    const size_t clients = std::max(first.outputs.size(), second.outputs.size());
    for (size_t client = 0; client < clients; ++client) {
      const size_t requests = std::max(count(first, client), count(second, client));
      for (size_t request = 0; request < requests; ++request) {
        place_ = {.client = client, .request = request};
        output(at(first, client, request), at(second, client, request));
      }
    }
    state(first.state, second.state);
    return std::move(masks_);
  }

 private:
  static size_t count(const Outcome& outcome, size_t client) {
    return client < outcome.outputs.size() ? outcome.outputs[client].size() : 0;
  }

  static const Output& at(const Outcome& outcome, size_t client, size_t request) {
    return request < count(outcome, client) ? outcome.outputs[client][request] : kNoOutput;
  }

  void add(OutputPart part, size_t result = 0, size_t column = 0) {
    OutputPlace place = place_;
    place.part = part;
    place.result = result;
    place.column = column;
    masks_.outputs[place] = 1;
  }

  void output(const Output& a, const Output& b) {
    if (a.answered != b.answered) add(OutputPart::kAnswered);
    if (a.error != b.error) add(OutputPart::kError);
    if (a.sql_state != b.sql_state) add(OutputPart::kSqlState);
    if (a.message != b.message) add(OutputPart::kMessage);
    if (a.affected_rows != b.affected_rows) add(OutputPart::kAffectedRows);
    if (a.insert_id != b.insert_id) add(OutputPart::kInsertId);
    if (a.info != b.info) add(OutputPart::kInfo);
    if (a.warning_count != b.warning_count) add(OutputPart::kWarningCount);
    warnings(a, b);
    if (a.results.size() != b.results.size()) {
      add(OutputPart::kResultCount);
      return;
    }
    for (size_t i = 0; i < a.results.size(); ++i) {
      if (a.results[i].columns != b.results[i].columns) add(OutputPart::kColumns, i);
      rows(i, a.results[i].rows, b.results[i].rows, a.ordered && b.ordered);
    }
  }

  // Texts are there for some requests only; where one side has none, nothing is known of them.
  void warnings(const Output& a, const Output& b) {
    if (a.warnings.empty() || b.warnings.empty()) return;
    const auto texts = [](const Output& output) {
      return mapped<Row>(output.warnings, [&](const Warning& w) -> Row {
        return {w.level, std::to_string(w.code), w.message};
      });
    };
    if (!same_rows(texts(a), texts(b), false)) add(OutputPart::kWarnings);
  }

  void rows(size_t result, const std::vector<Row>& a, const std::vector<Row>& b, bool ordered) {
    if (same_rows(a, b, ordered)) return;
    if (ordered && same_rows(a, b, false)) {
      add(OutputPart::kRowOrder, result);
      return;
    }
    const size_t width = a.empty() ? 0 : a.front().size();
    const auto has_width = [&](const Row& row) { return row.size() == width; };
    if (a.size() != b.size() || !std::ranges::all_of(a, has_width) ||
        !std::ranges::all_of(b, has_width)) {
      add(OutputPart::kRows, result);
      return;
    }
    const std::set<size_t> columns = explaining_columns(a, b, ordered, width);
    if (columns.empty() || columns.size() == width) {
      add(OutputPart::kRows, result);
      return;
    }
    for (size_t column : columns) add(OutputPart::kColumn, result, column);
  }

  // The columns without which the rows are equal; empty if there is no such choice.
  static std::set<size_t> explaining_columns(const std::vector<Row>& a, const std::vector<Row>& b,
                                             bool ordered, size_t width) {
    const auto explains = [&](const std::set<size_t>& columns) {
      return same_rows(without_columns(a, columns), without_columns(b, columns), ordered);
    };
    std::set<size_t> differing;
    for (size_t column = 0; column < width; ++column) {
      if (explains({column})) return {column};
      if (!same_rows(only_column(a, column), only_column(b, column), ordered)) {
        differing.insert(column);
      }
    }
    return explains(differing) ? differing : std::set<size_t>{};
  }

  static std::vector<Row> only_column(const std::vector<Row>& rows, size_t column) {
    return mapped<Row>(rows, [&](const Row& row) -> Row { return {row[column]}; });
  }

  void state(const StateSummary& a, const StateSummary& b) {
    for (const Component& component : a.components) {
      const Component* other = b.find(component.name);
      if (other == nullptr) {
        add_component(component.name);
      } else if (component.unavailable.empty() && other->unavailable.empty() &&
                 !same(component, *other)) {
        differing_component(component, *other);
      }
    }
    for (const Component& component : b.components) {
      if (a.find(component.name) == nullptr) add_component(component.name);
    }
  }

  void add_component(const std::string& name) { masks_.state[{name, std::nullopt}] = 1; }

  void differing_component(const Component& a, const Component& b) {
    const auto difference = multiset_difference(a.elements, b.elements);
    const bool listed = a.count == a.elements.size() && b.count == b.elements.size();
    const bool maps =
        a.kind == b.kind && (a.kind == ComponentKind::kMap || a.kind == ComponentKind::kCache);
    if (!maps || !listed || difference.empty()) {
      add_component(a.name);
      return;
    }
    for (const Element& element : difference.missing) masks_.state[{a.name, element.key}] = 1;
    for (const Element& element : difference.extra) masks_.state[{a.name, element.key}] = 1;
  }

  OutputPlace place_;
  Masks masks_;
};

}  // namespace

Masks differing_places(const Outcome& first, const Outcome& second) {
  return PlaceFinder().find(first, second);
}

Masks find_nondeterminism(std::span<const SerialRun> runs) {
  Masks all;
  for (const SerialRun& run : runs) {
    if (!run.infeasible.empty()) continue;
    const Masks masks = differing_places(run.first, run.second);
    for (const auto& [place, orders] : masks.outputs) all.outputs[place] += orders;
    for (const auto& [place, orders] : masks.state) all.state[place] += orders;
  }
  return all;
}

}  // namespace esox
