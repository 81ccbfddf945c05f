// SPDX-License-Identifier: Apache-2.0
#include "analysis/version_orders.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace esox {
namespace {

constexpr size_t kMaxWriters = 6;  // 720 orders of one register
constexpr size_t kMaxOrders = 576;

using Elements = std::vector<ListElement>;
using Writes = std::vector<Elements>;  // of each transaction, in its order

// To this register; nullopt: of one transaction it is not known whether it took effect.
std::optional<Writes> writes_to(const std::string& name, const ListHistory& history) {
  Writes writes;
  for (const ListUnit& unit : history.units) {
    Elements own;
    for (const ListAppend& append : unit.appends) {
      if (append.list == name) own.push_back(append.element);
    }
    if (own.empty() || unit.fate == UnitFate::kUndone) continue;
    if (unit.fate == UnitFate::kUnknown) return std::nullopt;
    writes.push_back(std::move(own));
  }
  return writes;
}

// All that end with what it holds at last. If none does, since what was written is gone or what was
// undone is there, that is its only version: an anomaly by itself.
std::vector<Elements> orders_of(Writes writes, const Elements& last) {
  std::vector<Elements> orders;
  std::ranges::sort(writes);
  do {
    Elements order;
    for (const Elements& own : writes) order.insert(order.end(), own.begin(), own.end());
    const bool ends_so = order.empty() == last.empty() && (last.empty() || order.back() == last[0]);
    if (ends_so) orders.push_back(std::move(order));
  } while (std::next_permutation(writes.begin(), writes.end()));
  if (orders.empty()) orders.push_back(last);
  return orders;
}

// Who read a register's last element has seen all before it, too.
void tell_versions(const std::string& name, const Elements& order, ListHistory& history) {
  history.last[name] = order;
  for (ListUnit& unit : history.units) {
    for (ListRead& read : unit.reads) {
      if (read.list != name || read.elements.empty()) continue;
      const auto end = std::ranges::find(order, read.elements.back());
      if (end != order.end()) read.elements.assign(order.begin(), end + 1);
    }
  }
}

}  // namespace

std::vector<ListHistory> orders_of_versions(const ListHistory& history) {
  std::vector<ListHistory> all = {history};
  for (const std::string& name : history.registers) {
    std::optional<Writes> writes = writes_to(name, history);
    if (!writes || writes->size() > kMaxWriters) return {};
    const std::vector<Elements> orders = orders_of(std::move(*writes), history.last.at(name));
    if (all.size() * orders.size() > kMaxOrders) return {};
    std::vector<ListHistory> more;
    for (const ListHistory& one : all) {
      for (const Elements& order : orders) tell_versions(name, order, more.emplace_back(one));
    }
    all = std::move(more);
  }
  return all;
}

}  // namespace esox
