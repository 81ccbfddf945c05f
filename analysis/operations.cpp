// SPDX-License-Identifier: Apache-2.0
#include "analysis/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "analysis/operation_text.h"

namespace esox {
namespace {

constexpr int kKinds = 256;

// Numbers in names are process ids, counters and the like.
std::string without_digits(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

class Collector {
 public:
  Collector(const ExecutionRecord& record, Symbols& symbols, bool whole)
      : record_(record), symbols_(symbols) {
    limits_.assign(kNoThread, whole ? kMaxKeptOperations : 0);
    if (!whole) limit_to_last_switches();
  }

  Operations run() {
    size_t stretch = 0;
    for (const TraceEvent& event : record_.trace) {
      // Stretch i runs from choice i (exclusive) to choice i + 1 (inclusive).
      while (stretch + 1 < choices().size() && choices()[stretch + 1].point < event.point) {
        leave(stretch++);
      }
      if (choices().empty() || event.thread != choices()[stretch].thread) continue;
      if (event.point <= choices()[stretch].point) continue;
      const uint64_t own = passed_[event.thread] + (event.point - choices()[stretch].point);
      note(event, own);
    }
    return std::move(operations_);
  }

 private:
  const std::vector<Choice>& choices() const { return record_.choices; }

  void limit_to_last_switches() {
    std::map<ThreadId, size_t> passed;
    for (size_t i = 0; i + 1 < choices().size(); ++i) {
      size_t& own = passed[choices()[i].thread];
      own += choices()[i + 1].point - choices()[i].point;
      limits_[choices()[i].thread] = std::min(own, kMaxKeptOperations);
    }
  }

  void leave(size_t stretch) {
    passed_[choices()[stretch].thread] += choices()[stretch + 1].point - choices()[stretch].point;
  }

  void note(const TraceEvent& event, uint64_t own) {
    if (event.thread == kNoThread || own > limits_[event.thread]) return;
    if (operations_.of.size() <= event.thread) operations_.of.resize(event.thread + size_t{1});
    std::vector<uint32_t>& of = operations_.of[event.thread];
    // A point of which the trace tells nothing.
    while (of.size() < own) of.push_back(number_of(OperationName{}));
    // The last event of a point counts: a wait that ends is told under the next point's number.
    of[own - 1] = number_of(event);
  }

  uint32_t number_of(const TraceEvent& event) {
    const auto key = std::make_tuple(event.kind, event.object, event.site);
    const auto known = events_.find(key);
    if (known != events_.end()) return known->second;
    OperationName name;
    name.kind = event.kind;
    name.object = object(event);
    if (event.site != 0) {
      name.site = symbols_.site(event.site);
      name.site.resize(std::min(name.site.find(" ("), name.site.size()));
      name.function = symbols_.function(event.site);
      if (name.function == name.site) name.function = name.site.substr(0, name.site.find('+'));
    }
    return events_[key] = number_of(name);
  }

  std::string object(const TraceEvent& event) const {
    const auto path = record_.names.find(event.object);
    if (path != record_.names.end()) return without_digits(path->second);
    return event.object == 0 ? "" : symbols_.object(event.object);
  }

  uint32_t number_of(const OperationName& name) {
    const auto key = std::make_tuple(name.kind, name.object, name.site);
    const auto next = static_cast<uint32_t>(operations_.names.size());
    const auto [known, fresh] = named_.try_emplace(key, next);
    if (fresh) operations_.names.push_back(name);
    return known->second;
  }

  const ExecutionRecord& record_;
  Symbols& symbols_;
  std::vector<size_t> limits_;  // by thread
  std::map<ThreadId, uint64_t> passed_;
  std::map<std::tuple<OpKind, uint64_t, uint64_t>, uint32_t> events_;
  std::map<std::tuple<OpKind, std::string, std::string>, uint32_t> named_;
  Operations operations_;
};

bool read_number(const char*& at, const char* end, uint32_t& number) {
  const auto [stop, error] = std::from_chars(at, end, number);
  at = stop;
  return error == std::errc();
}

// "7", "7x3" or "7-12"; appends what it means.
bool unpack_part(std::string_view part, size_t most, std::vector<uint32_t>& numbers) {
  const char* at = part.data();
  const char* end = at + part.size();
  uint32_t first = 0;
  uint32_t second = 1;
  if (!read_number(at, end, first)) return false;
  const char mark = at == end ? 'x' : *at++;
  if (at != end && (!read_number(at, end, second) || at != end)) return false;
  if (at == end && !part.empty() && (part.back() == 'x' || part.back() == '-')) return false;
  if (mark != 'x' && mark != '-') return false;
  if (mark == '-' && second <= first) return false;
  const size_t count = mark == 'x' ? second : size_t{second} - first + 1;
  if (count == 0 || count > most - numbers.size()) return false;
  for (size_t i = 0; i < count; ++i) {
    numbers.push_back(mark == 'x' ? first : first + static_cast<uint32_t>(i));
  }
  return true;
}

}  // namespace

Operations operations_of(const ExecutionRecord& record, Symbols& symbols, bool whole) {
  return Collector(record, symbols, whole).run();
}

std::string kind_text(OpKind kind) {
  const std::string object = object_kind(kind);
  return object.empty() ? operation_name(kind) : fmt::format("{} {}", operation_name(kind), object);
}

OpKind kind_from_text(const std::string& text) {
  if (text == kind_text(OpKind::kNone)) return OpKind::kNone;  // as numbers of no kind are told
  for (int i = 1; i < kKinds; ++i) {
    if (kind_text(static_cast<OpKind>(i)) == text) return static_cast<OpKind>(i);
  }
  return OpKind::kNone;
}

std::string packed(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t same = i + 1;
    while (same < numbers.size() && numbers[same] == numbers[i]) ++same;
    size_t ascending = i + 1;
    while (ascending < numbers.size() &&
           numbers[ascending] == uint64_t{numbers[ascending - 1]} + 1) {
      ++ascending;
    }
    text += fmt::format("{}{}", text.empty() ? "" : " ", numbers[i]);
    if (same > i + 1) text += fmt::format("x{}", same - i);
    if (ascending > i + 1) text += fmt::format("-{}", numbers[ascending - 1]);
    i = std::max(same, ascending);
  }
  return text;
}

bool unpack(const std::string& text, size_t most, std::vector<uint32_t>& numbers) {
  numbers.clear();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    if (!unpack_part(part, most, numbers)) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace esox
