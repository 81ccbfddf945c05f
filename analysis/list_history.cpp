// SPDX-License-Identifier: Apache-2.0
#include "analysis/list_history.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "base/text/number.h"

namespace esox {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct ListText {
  std::string head;
  std::vector<ListElement> elements;
  size_t end = 0;  // in the text
};

// The list that stands at `begin`; nullopt: none does.
std::optional<ListText> list_at(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end == begin || is_digit(text[begin])) return std::nullopt;
  ListText list{std::string(text.substr(begin, end - begin)), {}, end};
  while (end + 1 < text.size() && text[end] == ',' && is_digit(text[end + 1])) {
    ListElement element = 0;
    const auto [next, error] =
        std::from_chars(text.data() + end + 1, text.data() + text.size(), element);
    if (error != std::errc()) return std::nullopt;
    end = static_cast<size_t>(next - text.data());
    list.elements.push_back(element);
  }
  list.end = end;
  return list;
}

// All of `text` is one.
std::optional<ListText> list_of(std::string_view text) {
  std::optional<ListText> list = list_at(text, 0);
  return list && list->end == text.size() ? list : std::nullopt;
}

// The register that stands at `begin`, as a list of its element; nullopt: none does.
std::optional<ListText> register_at(std::string_view text, size_t begin) {
  std::optional<ListText> name = list_at(text, begin);
  if (!name || !name->elements.empty() || name->end >= text.size() || text[name->end] != '=') {
    return std::nullopt;
  }
  ListElement element = 0;
  const char* from = text.data() + name->end + 1;
  const auto [next, error] = std::from_chars(from, text.data() + text.size(), element);
  if (error != std::errc()) return std::nullopt;
  return ListText{name->head, {element}, static_cast<size_t>(next - text.data())};
}

using TextAt = std::optional<ListText> (*)(std::string_view, size_t);

// Texts in single quotes that are such.
std::vector<ListText> quoted(TextAt text_at, std::string_view statement) {
  std::vector<ListText> lists;
  for (size_t at = 0; at + 1 < statement.size(); ++at) {
    if (statement[at] != '\'') continue;
    std::optional<ListText> list = text_at(statement, at + 1);
    if (list && list->end < statement.size() && statement[list->end] == '\'') {
      lists.push_back(std::move(*list));
    }
  }
  return lists;
}

// "(7, 'a'" at `begin`, what comes behind it besides: a row and its set, as a list's text. The
// number may stand between quotes, too.
std::optional<ListText> row_at(std::string_view text, size_t begin) {
  const auto skip = [&](size_t& at, std::string_view marks) {
    at = std::min(text.find_first_not_of(marks, at), text.size());
  };
  size_t first = begin;
  skip(first, "('");
  size_t end = first;
  skip(end, "0123456789");
  const std::optional<ListElement> row = number_of<ListElement>(text.substr(first, end - first));
  skip(end, "', ");
  if (!row || text[end - 1] != '\'') return std::nullopt;
  std::optional<ListText> set = list_at(text, end);
  if (!set || !set->elements.empty() || set->end == text.size() || text[set->end] != '\'') {
    return std::nullopt;
  }
  return ListText{set->head, {*row}, set->end};
}

std::string head_of_row(ListElement row) {
  return "row " + std::to_string(row);
}

class Reader {
 public:
  Reader(const Input& input, const ExecutionRecord& record) : input_(input), record_(record) {}

  std::optional<ListHistory> run() {
    if (!learn_steps()) return std::nullopt;
    for (const std::string& statement : input_.setup) {
      if (!learn_setup(statement)) return std::nullopt;
    }
    for (const InputClient& client : input_.clients) {
      for (const Request& request : client.requests) learn_lists(request.text);
    }
    if (!read_last_versions() || history_.last.empty()) return std::nullopt;
    for (size_t c = 0; c < record_.units.of.size(); ++c) {
      for (const Unit& unit : record_.units.of[c]) add_unit(c, unit);
    }
    return whole_ ? std::optional(std::move(history_)) : std::nullopt;
  }

 private:
  // What becomes of a row.
  struct Change {
    std::string table;
    std::string from;  // its set; empty: it is not there
    std::string to;
  };

  // False: some request does more than a list's, or none appends, or two append the same element,
  // or a row that goes might be a list's.
  bool learn_steps() {
    std::set<ListElement>& elements = history_.known;
    bool appends = false;
    bool removes = false;
    for (const InputClient& client : input_.clients) {
      auto& steps = steps_.emplace_back();
      for (const Request& request : client.requests) {
        steps.push_back(input_.language->list_step(request.text));
        const ListStep& step = steps.back();
        if (step.use == ListUse::kUnknown) return false;
        const bool goes = step.use == ListUse::kChangesRow && step.name.empty();
        removes = removes || goes;
        appends = appends || step.use == ListUse::kAppends || step.use == ListUse::kWrites;
        if (!makes_version(step.use)) continue;
        if (!elements.insert(step.element).second) return false;
        if (step.use == ListUse::kWrites) history_.registers.insert(step.name);
        if (step.use == ListUse::kChangesRow) changes_[step.element] = {step.table, "", step.name};
      }
    }
    return !elements.empty() && !(appends && removes);
  }

  static bool makes_version(ListUse use) {
    return use == ListUse::kAppends || use == ListUse::kWrites || use == ListUse::kChangesRow;
  }

  // False: what a register holds at first is written again, or a row is there twice, or was
  // changed.
  bool learn_setup(const std::string& statement) {
    const ListStep step = input_.language->list_step(statement);
    const bool inserts =
        row_at(statement, std::min(statement.find('('), statement.size())).has_value();
    if (step.use == ListUse::kChangesRow && changes_.contains(step.element) && !inserts)
      return false;
    learn_lists(statement);
    for (const ListText& one : quoted(register_at, statement)) {
      if (!history_.registers.contains(one.head)) continue;
      if (history_.known.contains(one.elements[0]) || first_.contains(one.head)) return false;
      first_[one.head] = one.elements[0];
    }
    for (size_t at = 0; at < statement.size(); ++at) {
      const std::optional<ListText> row =
          statement[at] == '(' ? row_at(statement, at) : std::nullopt;
      const auto change = row ? changes_.find(row->elements[0]) : changes_.end();
      if (change == changes_.end()) continue;
      if (!change->second.from.empty()) return false;
      change->second.from = row->head;
    }
    return true;
  }

  void learn_lists(const std::string& statement) {
    for (const ListText& list : quoted(list_at, statement)) {
      heads_.insert(list.head);
      history_.known.insert(list.elements.begin(), list.elements.end());
    }
  }

  // False: something stands there twice, or nowhere, or perhaps where nobody looked.
  bool read_last_versions() {
    std::map<ListElement, std::string> sets;
    for (const Component& component : record_.outcome.state.components) {
      // Rows. Definitions and logs may tell of lists, too, but not of what they are now.
      const bool of_rows = component.kind == ComponentKind::kMultiset;
      if (component.meaning != ComponentMeaning::kContent || !of_rows) continue;
      if (component.elements.size() != component.count) return false;
      for (const Element& element : component.elements) {
        read_last_versions(element.value);
        const std::optional<ListText> row = row_at(element.value, 0);
        if (!row) continue;
        const std::string& set = sets.emplace(row->elements[0], row->head).first->second;
        if (changes_.contains(row->elements[0]) && set != row->head) return false;
      }
    }
    for (const auto& [row, change] : changes_) {
      if (change.from == change.to || !is_in_state(change.table)) return false;
      std::vector<ListElement>& last = history_.last[head_of_row(row)];
      if (sets[row] == change.to) last = {row};
      if (sets[row] != change.to && sets[row] != change.from) return false;
    }
    return std::ranges::all_of(history_.registers, [&](const std::string& name) {
      return history_.last.contains(name) && first_.contains(name);
    });
  }

  bool is_in_state(const std::string& table) const {
    const auto& components = record_.outcome.state.components;
    return std::ranges::any_of(components, [&](const Component& component) {
      return component.meaning == ComponentMeaning::kContent && component.unavailable.empty() &&
             component.name.ends_with("." + table);
    });
  }

  void read_last_versions(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (at > 0 && is_word(text[at - 1])) continue;
      if (std::optional<ListText> one = register_at(text, at); one && is_register(*one)) {
        // In two rows there are two registers of one name.
        const auto [known, is_new] = history_.last.emplace(one->head, version_of(*one));
        if (!is_new && known->second != version_of(*one)) whole_ = false;
        continue;
      }
      std::optional<ListText> list = list_at(text, at);
      if (!list || !heads_.contains(list->head)) continue;
      history_.last.emplace(list->head, std::move(list->elements));
    }
  }

  bool is_register(const ListText& text) const { return history_.registers.contains(text.head); }

  // What it holds at first is no element.
  std::vector<ListElement> version_of(const ListText& text) const {
    const auto first = first_.find(text.head);
    const bool is_first = first != first_.end() && first->second == text.elements[0];
    return is_first ? std::vector<ListElement>() : text.elements;
  }

  void add_unit(size_t client, const Unit& unit) {
    const auto& outputs = record_.outcome.outputs[client];
    const auto& stamps = record_.stamps[client];
    ListUnit one;
    one.client = client;
    one.unit = unit;
    one.end = stamps[unit.last];
    bool whole = true;
    for (size_t i = unit.first; i <= unit.last && i < outputs.size(); ++i) {
      const ListUse use = steps_[client][i].use;
      // What is undone may be its view, too (a savepoint of before it was taken).
      whole = whole && use != ListUse::kAbandonsPart;
      if (whole || makes_version(use)) add_request(one, {client, i}, outputs[i]);
      if (!outputs[i].answered) one.fate = UnitFate::kUnknown;
      if (outputs[i].error != 0) continue;
      if (use == ListUse::kTakesSnapshot) one.snapshot = stamps[i];
      if (use == ListUse::kReads && !one.snapshot) one.snapshot = stamps[i];
      if (use == ListUse::kLetsGo) one.reads.clear();
      if (use == ListUse::kAbandonsPart) one.fate = UnitFate::kUnknown;
      if (use == ListUse::kAbandons) one.fate = UnitFate::kUndone;
    }
    // Not told whether the transaction is open then, or whether a COMMIT that failed took effect.
    if (unit.last < outputs.size() && outputs[unit.last].error != 0) one.fate = UnitFate::kUnknown;
    // Prepared, and perhaps let go by its session: another request commits it, or undoes it.
    if (steps_[client][unit.last].use == ListUse::kLetsGo) one.fate = UnitFate::kUnknown;
    if (unit.undone) one.fate = UnitFate::kUndone;
    if (unit.last < outputs.size() && outputs[unit.last].in_transaction.value_or(false)) {
      // Either the next request ends it, or this one has begun the next one (COMMIT AND CHAIN).
      const bool is_last = unit.last + 1 == outputs.size();
      if (is_last) one.fate = UnitFate::kUnknown;
      if (!is_last) one.end.response = stamps[unit.last + 1].response;
    }
    for (const ListAppend& append : one.appends) {
      history_.writer.emplace(append.element, history_.units.size());
    }
    history_.units.push_back(std::move(one));
  }

  void add_request(ListUnit& unit, const RequestId& id, const Output& output) {
    const ListStep& step = steps_[id.client][id.request];
    if (output.error != 0 || !output.answered) return;
    if (makes_version(step.use) && output.affected_rows > 0) {
      const bool row = step.use == ListUse::kChangesRow;
      unit.appends.push_back(
          {id, step.element, step.use, row ? head_of_row(step.element) : step.name});
      if (step.use == ListUse::kWrites && output.affected_rows > 1) whole_ = false;
    }
    const bool current = step.use == ListUse::kReadsCurrent;
    if (!current && step.use != ListUse::kReads) return;
    const ListRead read{id, "", {}, record_.stamps[id.client][id.request], current};
    for (const ResultSet& result : output.results) {
      for (const Row& row : result.rows) {
        for (const Cell& cell : row) add_version(unit, read, cell);
      }
      if (!step.table.empty()) add_rows(unit, read, step, result);
    }
  }

  void add_version(ListUnit& unit, ListRead read, const Cell& cell) const {
    std::optional<ListText> one = cell ? register_at(*cell, 0) : std::nullopt;
    if (one && one->end == cell->size() && is_register(*one)) {
      read.list = one->head;
      read.elements = version_of(*one);
    } else {
      one = cell ? list_of(*cell) : std::nullopt;
      if (!one || !heads_.contains(one->head)) return;
      read.list = one->head;
      read.elements = std::move(one->elements);
    }
    unit.reads.push_back(std::move(read));
  }

  // Each row of the table that may be of one of the sets read.
  void add_rows(ListUnit& unit, ListRead read, const ListStep& step,
                const ResultSet& result) const {
    std::map<ListElement, std::string> seen;
    for (const Row& row : result.rows) {
      const std::optional<ListElement> number =
          row[0] ? number_of<ListElement>(*row[0]) : std::nullopt;
      if (number && row.size() == 2 && row[1]) seen[*number] = *row[1];
    }
    const auto shown = [&](const std::string& set) {
      const auto& sets = step.sets;
      return sets.empty() || std::ranges::find(sets, set) != sets.end() ? set : "";
    };
    for (const auto& [row, change] : changes_) {
      const std::string before = shown(change.from);
      const std::string after = shown(change.to);
      if (change.table != step.table || before == after) continue;
      const std::string& set = seen[row];
      if (set != before && set != after) continue;
      read.list = head_of_row(row);
      read.elements.clear();
      if (set == after) read.elements = {row};
      read.predicate = set.empty();
      unit.reads.push_back(read);
    }
  }

  const Input& input_;
  const ExecutionRecord& record_;
  std::vector<std::vector<ListStep>> steps_;  // [client][request]
  std::set<std::string> heads_;
  std::map<std::string, ListElement> first_;  // what registers hold at first
  std::map<ListElement, Change> changes_;     // by row
  ListHistory history_;
  bool whole_ = true;  // what was done can be told
};

}  // namespace

std::optional<ListHistory> list_history(const Input& input, const ExecutionRecord& record) {
  return Reader(input, record).run();
}

}  // namespace esox
