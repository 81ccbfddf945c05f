// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/matrix_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/rows.h"
#include "base/text/counted.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

using Cells = std::map<std::pair<std::string, std::string>, const KindCell*>;

// Those that are shown, in the order of their names.
std::vector<std::string> shown_kinds(const KindMatrix& matrix) {
  std::map<std::string, uint64_t> inputs;
  for (const KindCell& cell : matrix) {
    inputs[cell.first] += cell.inputs;
    if (cell.second != cell.first) inputs[cell.second] += cell.inputs;
  }
  std::vector<std::pair<uint64_t, std::string>> order;
  order.reserve(inputs.size());
  for (const auto& [kind, count] : inputs) order.emplace_back(count, kind);
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (order.size() > kMostMatrixKinds) order.resize(kMostMatrixKinds);
  std::vector<std::string> kinds;
  kinds.reserve(order.size());
  for (auto& [count, kind] : order) kinds.push_back(std::move(kind));
  std::ranges::sort(kinds);
  return kinds;
}

// 0 to 4: none, fewer than 10, 50, 250 pairs, more.
size_t level_of(size_t pairs) {
  size_t level = 0;
  for (const size_t least : {1u, 10u, 50u, 250u}) level += pairs >= least ? 1 : 0;
  return level;
}

Json cell_view(const Cells& cells, const std::string& row, const std::string& column) {
  const auto known = cells.find(std::minmax(row, column));
  if (known == cells.end())
    return {{"level", "untried"}, {"pairs", ""}, {"found", false}, {"said", ""}};
  const KindCell& cell = *known->second;
  const size_t pairs = cell.met.pairs();
  return {{"level", std::to_string(level_of(pairs))},
          {"pairs", std::to_string(pairs)},
          {"found", cell.findings > 0},
          {"said",
           printable(fmt::format("{} beside {}: {}, {}, {} of call sites, {} in both orders; {}",
                                 row, column, counted(cell.inputs, "input"),
                                 counted(cell.executions, "execution"), counted(pairs, "pair"),
                                 cell.met.pairs_both_ways(), counted(cell.findings, "finding")))}};
}

}  // namespace

void put_matrix(Json& view, const KindMatrix& matrix) {
  Cells cells;
  for (const KindCell& cell : matrix) cells[{cell.first, cell.second}] = &cell;
  const std::vector<std::string> kinds = shown_kinds(matrix);
  Json rows = Json::array();
  for (size_t row = 0; row < kinds.size(); ++row) {
    Json line = Json::array();
    for (size_t column = 0; column <= row; ++column) {
      line.push_back(cell_view(cells, kinds[row], kinds[column]));
    }
    rows.push_back({{"kind", printable(kinds[row])}, {"cells", std::move(line)}});
  }
  const Meetings met = meetings_of(matrix);
  size_t all = 0;
  for (auto cell = matrix.begin(); cell != matrix.end(); ++cell) {
    all += cell == matrix.begin() || cell->first != std::prev(cell)->first ? 1 : 0;
  }
  view["some_kinds"] = !matrix.empty();
  view["kinds"] = kinds;
  view["rows"] = std::move(rows);
  view["matrix_lead"] = fmt::format(
      "{} of conflicting call sites followed each other in all, {} of them in both "
      "orders, between {} of kinds.",
      counted(met.pairs(), "distinct pair"), met.pairs_both_ways(), counted(matrix.size(), "pair"));
  view["kinds_left_out"] =
      all > kinds.size() ? "Only the kinds with the most inputs are shown; hunt.json has all." : "";
}

}  // namespace esox
