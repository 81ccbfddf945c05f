// SPDX-License-Identifier: Apache-2.0
// The requests of servers that speak SQL as MySQL does: what they have in common. Lexical, with the
// limits of statement.h. What is long of it stands in shape.cpp, value_rows.cpp, parts.cpp,
// replaceable.cpp and table_engines.cpp.
#pragma once

#include "inputs/request_language.h"
#include "targets/sql/statement.h"

namespace esox {

class SqlLanguage : public RequestLanguage {
 public:
  std::string trimmed(std::string_view text) const override { return trim_statement(text); }
  std::string complaint(std::string_view /*text*/) const override { return ""; }
  bool orders_rows(std::string_view text) const override { return esox::orders_rows(text); }

  std::string kind(std::string_view text) const override { return statement_kind(text); }
  std::string kind_complaint(std::string_view kind) const override;
  std::vector<std::string> names(std::string_view text) const override { return names_in(text); }
  std::vector<std::string> names_made(std::string_view text) const override;
  std::string shape(const Input& input) const override;
  std::vector<TextSpan> removable(std::string_view text) const override;
  std::vector<ReplaceablePart> replaceable(std::string_view text,
                                           const Holdings& holdings) const override;
  std::string harmless() const override { return "SELECT 1"; }

  bool is_one_step(std::string_view text, std::span<const std::string> setup) const override;
  std::span<const Splitting> splittings() const override;
  std::vector<RequestPart> parts(std::string_view text, std::string_view splitting) const override;
  std::vector<TaskCut> task_cuts(std::string_view text, std::string_view task) const override;
  SessionEffect session_effect(std::string_view text) const override {
    return esox::session_effect(text);
  }
  bool undoes_transaction(uint32_t error) const override;
  std::string undoing() const override { return "ROLLBACK"; }
  bool ends_transaction_first(std::string_view text) const override {
    return esox::ends_transaction_first(text);
  }
  bool tells_of_last_request(std::string_view text) const override {
    return esox::tells_of_last_request(text);
  }
  ListStep list_step(std::string_view text) const override { return esox::list_step(text); }
  ViewStep view_step(std::string_view text) const override { return esox::view_step(text); }
  bool leaves_views_alone(std::string_view text, bool but_level) const override {
    return esox::leaves_views_alone(text, but_level);
  }
  bool only_begins_or_marks(std::string_view text) const override {
    return esox::only_begins_or_marks(text);
  }
  bool is_mere_session_setting(std::string_view text) const override {
    return esox::is_mere_session_setting(text);
  }
  bool ends_server(std::string_view text) const override { return kind(text) == "SHUTDOWN"; }
  bool only_of_existence(uint32_t error) const override;
  bool changes_more_than_state(std::string_view text) const override;

  std::span<const std::string_view> reserved_options() const override;
  std::span<const IsolationLevel> isolation_levels() const override;
  RequestEngines touched_engines(const Input& input,
                                 std::span<const std::string> options) const override;
  std::string engine_without_transactions(const Input& input) const override;
};

}  // namespace esox
