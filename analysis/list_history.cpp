// SPDX-License-Identifier: Apache-2.0
#include "analysis/list_history.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

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

// Texts in single quotes that are lists.
std::vector<ListText> quoted_lists(std::string_view statement) {
  std::vector<ListText> lists;
  for (size_t at = 0; at + 1 < statement.size(); ++at) {
    if (statement[at] != '\'') continue;
    std::optional<ListText> list = list_at(statement, at + 1);
    if (list && list->end < statement.size() && statement[list->end] == '\'') {
      lists.push_back(std::move(*list));
    }
  }
  return lists;
}

class Reader {
 public:
  Reader(const Input& input, const ExecutionRecord& record) : input_(input), record_(record) {}

  std::optional<ListHistory> run() {
    if (!learn_steps()) return std::nullopt;
    for (const std::string& statement : input_.setup) learn_lists(statement);
    for (const InputClient& client : input_.clients) {
      for (const Request& request : client.requests) learn_lists(request.text);
    }
    read_last_versions();
    if (history_.last.empty()) return std::nullopt;
    for (size_t c = 0; c < record_.units.of.size(); ++c) {
      for (const Unit& unit : record_.units.of[c]) add_unit(c, unit);
    }
    return std::move(history_);
  }

 private:
  // False: some request does more than a list's, or none appends, or two append the same element.
  bool learn_steps() {
    std::set<ListElement>& elements = history_.known;
    for (const InputClient& client : input_.clients) {
      auto& steps = steps_.emplace_back();
      for (const Request& request : client.requests) {
        steps.push_back(input_.language->list_step(request.text));
        const ListStep& step = steps.back();
        if (step.use == ListUse::kUnknown) return false;
        if (step.use == ListUse::kAppends && !elements.insert(step.element).second) return false;
      }
    }
    return !elements.empty();
  }

  void learn_lists(const std::string& statement) {
    for (const ListText& list : quoted_lists(statement)) {
      heads_.insert(list.head);
      history_.known.insert(list.elements.begin(), list.elements.end());
    }
  }

  void read_last_versions() {
    for (const Component& component : record_.outcome.state.components) {
      if (component.meaning != ComponentMeaning::kContent) continue;
      for (const Element& element : component.elements) read_last_versions(element.value);
    }
  }

  void read_last_versions(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (at > 0 && is_word(text[at - 1])) continue;
      std::optional<ListText> list = list_at(text, at);
      if (!list || !heads_.contains(list->head)) continue;
      history_.last.emplace(list->head, std::move(list->elements));
    }
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
      if (whole || use == ListUse::kAppends) add_request(one, {client, i}, outputs[i]);
      if (!outputs[i].answered) one.fate = UnitFate::kUnknown;
      if (outputs[i].error != 0) continue;
      if (use == ListUse::kTakesSnapshot) one.snapshot = stamps[i];
      if (use == ListUse::kReads && !one.snapshot) one.snapshot = stamps[i];
      if (use == ListUse::kAbandonsPart) one.fate = UnitFate::kUnknown;
      if (use == ListUse::kAbandons) one.fate = UnitFate::kUndone;
    }
    // Not told whether the transaction is open then, or whether a COMMIT that failed took effect.
    if (unit.last < outputs.size() && outputs[unit.last].error != 0) one.fate = UnitFate::kUnknown;
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

  void add_request(ListUnit& unit, const RequestId& id, const Output& output) const {
    const ListStep& step = steps_[id.client][id.request];
    if (output.error != 0 || !output.answered) return;
    if (step.use == ListUse::kAppends && output.affected_rows > 0) {
      unit.appends.push_back({id, step.element});
    }
    const bool current = step.use == ListUse::kReadsCurrent;
    if (!current && step.use != ListUse::kReads) return;
    for (const ResultSet& result : output.results) {
      for (const Row& row : result.rows) {
        for (const Cell& cell : row) {
          std::optional<ListText> list = cell ? list_of(*cell) : std::nullopt;
          if (!list || !heads_.contains(list->head)) continue;
          unit.reads.push_back({id, list->head, std::move(list->elements),
                                record_.stamps[id.client][id.request], current});
        }
      }
    }
  }

  const Input& input_;
  const ExecutionRecord& record_;
  std::vector<std::vector<ListStep>> steps_;  // [client][request]
  std::set<std::string> heads_;
  ListHistory history_;
};

}  // namespace

std::optional<ListHistory> list_history(const Input& input, const ExecutionRecord& record) {
  return Reader(input, record).run();
}

}  // namespace esox
