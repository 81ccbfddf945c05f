// SPDX-License-Identifier: Apache-2.0
#include "analysis/differences.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/rows.h"
#include "base/mapped.h"
#include "summaries/garbled.h"

namespace esox {
namespace {

std::string error_text(const Output& output) {
  if (!output.answered) return "no reply";
  if (output.error == 0) return "success";
  return fmt::format("error {} ({}): {}", output.error, output.sql_state,
                     printable_cut(output.message));
}

std::vector<std::string> texts(const std::vector<Row>& rows) {
  return mapped<std::string>(rows, [&](const Row& row) { return row_text(row); });
}

std::string columns_text(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    if (!text.empty()) text += ", ";
    text += printable_cut(column.name) + " " + column.type;
  }
  return text;
}

size_t first_difference(const std::vector<Row>& a, const std::vector<Row>& b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

// Compares one reply. Every step first asks whether the part differs at all, then whether a mask
// covers it, so that a mask is noted only where it hid something.
class OutputComparer {
 public:
  OutputComparer(const Output& concurrent, const Output& serial, const Masks& masks,
                 RequestComparison& to)
      : concurrent_(concurrent), serial_(serial), masks_(masks), to_(to) {}

  void run() {
    if (outcome_kind_differs()) return;  // the rest follows from it and would only be noise
    if (neither_came()) return;
    value(OutputPart::kSqlState, serial_.sql_state, concurrent_.sql_state);
    value(OutputPart::kMessage, serial_.message, concurrent_.message);
    value(OutputPart::kAffectedRows, serial_.affected_rows, concurrent_.affected_rows);
    value(OutputPart::kInsertId, serial_.insert_id, concurrent_.insert_id);
    value(OutputPart::kInfo, serial_.info, concurrent_.info);
    value(OutputPart::kWarningCount, serial_.warning_count, concurrent_.warning_count);
    warnings();
    results();
    drop_consequence();
  }

 private:
  OutputPlace place(OutputPart part, size_t result = 0, size_t column = 0) const {
    return {to_.client, to_.request, part, result, column};
  }

  // True if `part` is masked; the mask is noted, for it hid a difference.
  bool forgiven(const OutputPlace& where) {
    if (!masks_.hides(where)) return false;
    to_.masked.push_back(where);
    return true;
  }

  void report(OutputPart part, std::string serial, std::string concurrent, size_t result = 0) {
    OutputDifference difference;
    difference.part = part;
    difference.result = result;
    difference.serial = std::move(serial);
    difference.concurrent = std::move(concurrent);
    to_.differences.push_back(std::move(difference));
  }

  template <class T>
  void value(OutputPart part, const T& serial, const T& concurrent) {
    if (serial == concurrent || forgiven(place(part))) return;
    if constexpr (std::is_same_v<T, std::string>) {
      report(part, printable_cut(serial), printable_cut(concurrent));
    } else {
      report(part, std::to_string(serial), std::to_string(concurrent));
    }
  }

  bool outcome_kind_differs() {
    if (concurrent_.answered != serial_.answered && !forgiven(place(OutputPart::kAnswered))) {
      report(OutputPart::kAnswered, error_text(serial_), error_text(concurrent_));
      return true;
    }
    if (concurrent_.error != serial_.error && !forgiven(place(OutputPart::kError))) {
      report(OutputPart::kError, error_text(serial_), error_text(concurrent_));
      return true;
    }
    return false;
  }

  // How a client came to know that no reply would come is the machine's doing.
  bool neither_came() const { return is_missing(concurrent_) && is_missing(serial_); }

  // The library counts a result's rows as affected rows: where rows differ, saying so is enough.
  void drop_consequence() {
    auto& list = to_.differences;
    const auto is = [](OutputPart part) {
      return [part](const OutputDifference& difference) { return difference.part == part; };
    };
    if (std::ranges::none_of(list, is(OutputPart::kRows))) return;
    std::erase_if(list, is(OutputPart::kAffectedRows));
  }

  void warnings() {
    if (serial_.warnings.empty() || concurrent_.warnings.empty()) return;
    const auto lines = [](const Output& output) {
      return mapped<std::string>(output.warnings, [&](const Warning& w) {
        return fmt::format("{} {}: {}", w.level, w.code, printable(w.message));
      });
    };
    auto difference = multiset_difference(lines(serial_), lines(concurrent_));
    if (difference.empty() || forgiven(place(OutputPart::kWarnings))) return;
    report(OutputPart::kWarnings, "", "");
    to_.differences.back().missing = std::move(difference.missing);
    to_.differences.back().extra = std::move(difference.extra);
  }

  void results() {
    if (masks_.hides(place(OutputPart::kResultCount))) {
      if (serial_.results != concurrent_.results) forgiven(place(OutputPart::kResultCount));
      return;
    }
    if (serial_.results.size() != concurrent_.results.size()) {
      report(OutputPart::kResultCount, std::to_string(serial_.results.size()),
             std::to_string(concurrent_.results.size()));
      return;
    }
    for (size_t i = 0; i < serial_.results.size(); ++i) result(i);
  }

  void result(size_t i) {
    const ResultSet& serial = serial_.results[i];
    const ResultSet& concurrent = concurrent_.results[i];
    if (serial.columns != concurrent.columns && !forgiven(place(OutputPart::kColumns, i))) {
      report(OutputPart::kColumns, columns_text(serial.columns), columns_text(concurrent.columns),
             i);
    }
    const bool ordered = serial_.ordered && concurrent_.ordered;
    if (same_rows(serial.rows, concurrent.rows, ordered)) return;
    if (forgiven(place(OutputPart::kRows, i))) return;
    rows(i, ordered, serial.rows, concurrent.rows);
  }

  void rows(size_t i, bool ordered, const std::vector<Row>& all_serial,
            const std::vector<Row>& all_concurrent) {
    const std::set<size_t> columns = masked_columns(i);
    const auto serial = without_columns(all_serial, columns);
    const auto concurrent = without_columns(all_concurrent, columns);
    if (same_rows(serial, concurrent, ordered)) {
      for (size_t column : columns) to_.masked.push_back(place(OutputPart::kColumn, i, column));
      return;
    }
    if (same_rows(serial, concurrent, false)) {
      row_order(i, serial, concurrent);
      return;
    }
    const auto difference = multiset_difference(serial, concurrent);
    report(OutputPart::kRows, fmt::format("{} rows", serial.size()),
           fmt::format("{} rows", concurrent.size()), i);
    to_.differences.back().missing = texts(difference.missing);
    to_.differences.back().extra = texts(difference.extra);
  }

  void row_order(size_t i, const std::vector<Row>& serial, const std::vector<Row>& concurrent) {
    if (forgiven(place(OutputPart::kRowOrder, i))) return;
    const size_t row = first_difference(serial, concurrent);
    report(OutputPart::kRowOrder, fmt::format("row {} is {}", row + 1, row_text(serial[row])),
           fmt::format("row {} is {}", row + 1, row_text(concurrent[row])), i);
  }

  std::set<size_t> masked_columns(size_t result) const {
    std::set<size_t> columns;
    for (auto it = masks_.outputs.lower_bound(place(OutputPart::kColumn, result));
         it != masks_.outputs.end() && it->first <= place(OutputPart::kColumn, result, SIZE_MAX);
         ++it) {
      columns.insert(it->first.column);
    }
    return columns;
  }

  const Output& concurrent_;
  const Output& serial_;
  const Masks& masks_;
  RequestComparison& to_;
};

std::string element_text(const Element& element) {
  if (element.key.empty()) return printable_cut(element.value);
  return printable_cut(element.key) + " = " + printable_cut(element.value);
}

std::vector<std::string> texts(const std::vector<Element>& elements) {
  std::vector<std::string> lines;
  lines.reserve(elements.size());
  for (const Element& element : elements) lines.push_back(element_text(element));
  return lines;
}

std::vector<Element> without_keys(std::vector<Element> elements,
                                  const std::vector<std::string>& keys) {
  std::erase_if(elements, [&](const Element& element) {
    return std::ranges::binary_search(keys, element.key);
  });
  return elements;
}

bool fully_listed(const Component& component) {
  return component.elements.size() == component.count;
}

// Where not all elements are listed, the list holds the smallest ones: beyond the end of the
// shorter-reaching list nothing is known, and a difference there would be invented.
void drop_unknown(const Component& side, std::vector<Element>& differences) {
  if (fully_listed(side) || side.elements.empty()) return;
  const Element& last = *std::ranges::max_element(side.elements);
  std::erase_if(differences, [&](const Element& element) { return element > last; });
}

std::string order_note(const Component& concurrent, const Component& serial) {
  size_t i = 0;
  while (serial.elements[i] == concurrent.elements[i]) ++i;
  return fmt::format("the same elements in another order: element {} is {} instead of {}", i + 1,
                     element_text(concurrent.elements[i]), element_text(serial.elements[i]));
}

// Fills in how the elements differ; both sides are available and known to differ.
void describe_difference(const Component& concurrent, const Component& serial,
                         ComponentComparison& to) {
  to.match = ComponentMatch::kDifferent;
  auto difference = multiset_difference(serial.elements, concurrent.elements);
  if (concurrent.kind != ComponentKind::kSequence) {
    drop_unknown(concurrent, difference.missing);
    drop_unknown(serial, difference.extra);
  }
  to.missing = texts(difference.missing);
  to.extra = texts(difference.extra);
  if (!fully_listed(concurrent) || !fully_listed(serial)) {
    to.note =
        fmt::format("of {} elements {} are listed, of {} after the serial run {}", concurrent.count,
                    concurrent.elements.size(), serial.count, serial.elements.size());
  } else if (difference.empty() && serial.elements != concurrent.elements) {
    to.note = order_note(concurrent, serial);
  } else if (difference.empty()) {
    to.note = fmt::format("a {} instead of a {}", name_of(concurrent.kind), name_of(serial.kind));
  }
}

bool are_caches(const Component& concurrent, const Component& serial) {
  return concurrent.kind == ComponentKind::kCache && serial.kind == ComponentKind::kCache;
}

// Of all elements listed; a cache may hold fewer of them.
void compare_caches(const Component& concurrent, const Component& serial, ComponentComparison& to) {
  describe_difference(concurrent, serial, to);
  if (!to.extra.empty() || !fully_listed(concurrent) || !fully_listed(serial)) return;
  to.match = ComponentMatch::kEqual;
  to.note = fmt::format("lacks {} elements, as a cache may", to.missing.size());
  to.missing.clear();
}

// A map of which some keys are masked compares by its other elements; its digest covers them all.
void compare_unmasked_keys(const Component& concurrent, const Component& serial,
                           const std::vector<std::string>& keys, ComponentComparison& to) {
  if (!fully_listed(concurrent) || !fully_listed(serial)) {
    to.match = ComponentMatch::kUnavailable;
    to.note = fmt::format("too large to compare without its masked keys: {} of {} elements listed",
                          concurrent.elements.size(), concurrent.count);
    return;
  }
  const auto a = without_keys(concurrent.elements, keys);
  const auto b = without_keys(serial.elements, keys);
  auto difference = multiset_difference(b, a);
  const bool counts =
      are_caches(concurrent, serial) ? !difference.extra.empty() : !difference.empty();
  if (counts) {
    to.match = ComponentMatch::kDifferent;
    to.missing = texts(difference.missing);
    to.extra = texts(difference.extra);
    return;
  }
  const auto hidden = multiset_difference(serial.elements, concurrent.elements);
  std::set<std::string> hid;
  for (const Element& element : hidden.missing) hid.insert(element.key);
  for (const Element& element : hidden.extra) hid.insert(element.key);
  for (const std::string& key : hid) to.masked.push_back({to.name, key});
}

void compare_existing(const Component& concurrent, const Component& serial, const Masks& masks,
                      ComponentComparison& to) {
  if (!concurrent.unavailable.empty() || !serial.unavailable.empty()) {
    to.match = ComponentMatch::kUnavailable;
    to.note = concurrent.unavailable.empty()
                  ? "unavailable in the serial run: " + printable(serial.unavailable)
                  : "unavailable: " + printable(concurrent.unavailable);
    return;
  }
  if (same(concurrent, serial)) return;
  const auto keys = masks.hidden_keys(to.name);
  if (keys.empty() && are_caches(concurrent, serial)) {
    compare_caches(concurrent, serial, to);
  } else if (keys.empty()) {
    describe_difference(concurrent, serial, to);
  } else {
    compare_unmasked_keys(concurrent, serial, keys, to);
  }
}

}  // namespace

RequestComparison compare_output(const Output& concurrent, const Output& serial, size_t client,
                                 size_t request, const Masks& masks) {
  RequestComparison comparison;
  comparison.client = client;
  comparison.request = request;
  OutputComparer(concurrent, serial, masks, comparison).run();
  return comparison;
}

ComponentComparison compare_component(const std::string& name, const Component* concurrent,
                                      const Component* serial, const Masks& masks) {
  ComponentComparison comparison;
  comparison.name = name;
  const Component* told = concurrent != nullptr ? concurrent : serial;
  if (told != nullptr) comparison.meaning = told->meaning;
  if (masks.hides_component(name)) {
    const bool equal = concurrent != nullptr && serial != nullptr && same(*concurrent, *serial);
    if (!equal) comparison.masked.push_back({name, std::nullopt});
  } else if (concurrent != nullptr && serial != nullptr) {
    compare_existing(*concurrent, *serial, masks, comparison);
  } else if (concurrent != nullptr || serial != nullptr) {
    comparison.match = ComponentMatch::kDifferent;
    auto& elements = concurrent != nullptr ? comparison.extra : comparison.missing;
    elements = texts(told->elements);
    comparison.note = concurrent != nullptr ? "does not exist after the serial run"
                                            : "does not exist after the concurrent run";
  }
  return comparison;
}

}  // namespace esox
