// SPDX-License-Identifier: Apache-2.0
#include "harness/records/kind_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>
#include <utility>

namespace esox {
namespace {

constexpr size_t kDigits = 8;  // of one meeting

using Kinds = std::pair<std::string, std::string>;

Kinds in_order(std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  return {std::move(a), std::move(b)};
}

// Null: there are too many already.
KindCell* cell_of(KindMatrix& all, const std::string& first, const std::string& second) {
  const auto place = std::ranges::lower_bound(
      all, std::tie(first, second), {},
      [](const KindCell& cell) { return std::tie(cell.first, cell.second); });
  if (place != all.end() && place->first == first && place->second == second) return &*place;
  if (all.size() >= kMostKindCells) return nullptr;
  KindCell cell;
  cell.first = first;
  cell.second = second;
  return &*all.insert(place, std::move(cell));
}

void insert(Meetings& all, const std::set<OrderedContact>& more) {
  for (const OrderedContact one : more) {
    if (all.sites.size() >= kMostOfKindCell) return;
    all.sites.insert(one);
  }
}

// By client and request. What a server's own thread does is of no kind.
std::vector<std::vector<std::string>> kinds_of(const Input& input) {
  std::vector<std::vector<std::string>> kinds;
  for (const InputClient& client : input.clients) {
    std::vector<std::string>& own = kinds.emplace_back();
    for (const Request& request : client.requests) {
      own.push_back(input.language->kind(request.text));
    }
  }
  return kinds;
}

}  // namespace

size_t Meetings::pairs() const {
  size_t count = 0;
  for (auto one = sites.begin(); one != sites.end(); ++one) {
    const auto before = one == sites.begin() ? sites.end() : std::prev(one);
    const bool is_other_order = before != sites.end() && (*before | 1u) == (*one | 1u);
    count += is_other_order ? 0 : 1;
  }
  return count;
}

size_t Meetings::pairs_both_ways() const {
  return sites.size() - pairs();
}

void write_value(ValueWriter& out, const Meetings& meetings) {
  std::string text;
  text.reserve(meetings.sites.size() * kDigits);
  for (const OrderedContact one : meetings.sites) {
    fmt::format_to(std::back_inserter(text), "{:08x}", one);
  }
  out.put(text);
}

void read_value(const ValueReader& in, Meetings& meetings) {
  const std::string& text = in.text();
  if (text.size() % kDigits != 0) in.refuse("is no list of meetings");
  for (size_t at = 0; at < text.size(); at += kDigits) {
    OrderedContact one = 0;
    const char* end = text.data() + at + kDigits;
    const auto [stop, error] = std::from_chars(text.data() + at, end, one, 16);
    if (error != std::errc() || stop != end) in.refuse("is no list of meetings");
    meetings.sites.insert(one);
  }
}

void add_value(Meetings& all, const Meetings& more) {
  insert(all, more.sites);
}

void add_value(KindMatrix& all, const KindMatrix& more) {
  for (const KindCell& cell : more) {
    KindCell* known = cell_of(all, cell.first, cell.second);
    if (known != nullptr) add_fields(*known, cell);
  }
}

void note_input(KindMatrix& all, const Input& input, const InputNews& news,
                const Coverage& coverage) {
  const std::vector<std::vector<std::string>> kinds = kinds_of(input);
  std::set<Kinds> met;
  for (size_t a = 0; a < kinds.size(); ++a) {
    for (size_t b = a + 1; b < kinds.size(); ++b) {
      for (const std::string& one : kinds[a]) {
        for (const std::string& other : kinds[b]) met.insert(in_order(one, other));
      }
    }
  }
  for (const auto& [first, second] : met) {
    KindCell* cell = cell_of(all, first, second);
    if (cell == nullptr) continue;
    cell->inputs += news.first ? 1 : 0;
    cell->executions += news.executions;
    cell->findings += news.findings;
  }
  const auto kind_of = [&](uint16_t thread, uint16_t request) -> const std::string* {
    return thread < kinds.size() && request < kinds[thread].size() ? &kinds[thread][request]
                                                                   : nullptr;
  };
  for (const auto& [requests, sites] : coverage.met) {
    const std::string* one = kind_of(requests.thread, requests.request);
    const std::string* other = kind_of(requests.other_thread, requests.other_request);
    if (one == nullptr || other == nullptr) continue;
    const Kinds both = in_order(*one, *other);
    KindCell* cell = cell_of(all, both.first, both.second);
    if (cell != nullptr) insert(cell->met, sites);
  }
}

Meetings meetings_of(const KindMatrix& all) {
  Meetings met;
  for (const KindCell& cell : all) met.sites.insert(cell.met.sites.begin(), cell.met.sites.end());
  return met;
}

}  // namespace esox
