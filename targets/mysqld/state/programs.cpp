// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/programs.h"

#include <map>
#include <string>
#include <utility>

#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

// A database that has been dropped may leave some behind.
#define ESOX_OF_OTHERS " NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"

constexpr const char* kRoutines =
    "SELECT type, IF(db = 'test', name, CONCAT(db, '.', name)), param_list, returns, body, "
    "is_deterministic, security_type, sql_mode FROM mysql.proc WHERE db" ESOX_OF_OTHERS;
constexpr const char* kEvents =
    "SELECT IF(db = 'test', name, CONCAT(db, '.', name)), status, interval_value, interval_field, "
    "on_completion, sql_mode, body FROM mysql.event WHERE db" ESOX_OF_OTHERS;

// The same columns, of servers that keep all definitions in a data dictionary.
constexpr const char* kRoutinesOfDictionary =
    "SELECT r.ROUTINE_TYPE, IF(r.ROUTINE_SCHEMA = 'test', r.ROUTINE_NAME, CONCAT(r.ROUTINE_SCHEMA, "
    "'.', r.ROUTINE_NAME)), (SELECT GROUP_CONCAT(CONCAT_WS(' ', p.PARAMETER_MODE, "
    "p.PARAMETER_NAME, p.DTD_IDENTIFIER) ORDER BY p.ORDINAL_POSITION SEPARATOR ', ') FROM "
    "information_schema.PARAMETERS p WHERE p.SPECIFIC_SCHEMA = r.ROUTINE_SCHEMA AND "
    "p.SPECIFIC_NAME = r.SPECIFIC_NAME AND p.ROUTINE_TYPE = r.ROUTINE_TYPE AND p.ORDINAL_POSITION "
    "> 0), r.DTD_IDENTIFIER, r.ROUTINE_DEFINITION, r.IS_DETERMINISTIC, r.SECURITY_TYPE, r.SQL_MODE "
    "FROM information_schema.ROUTINES r WHERE r.ROUTINE_SCHEMA" ESOX_OF_OTHERS;
constexpr const char* kEventsOfDictionary =
    "SELECT IF(EVENT_SCHEMA = 'test', EVENT_NAME, CONCAT(EVENT_SCHEMA, '.', EVENT_NAME)), STATUS, "
    "INTERVAL_VALUE, INTERVAL_FIELD, ON_COMPLETION, SQL_MODE, EVENT_DEFINITION FROM "
    "information_schema.EVENTS WHERE EVENT_SCHEMA" ESOX_OF_OTHERS;

}  // namespace

void Programs::begin(const Ask& own) {
  const bool own_tables = takes(own, "SELECT 1 FROM mysql.proc, mysql.event LIMIT 0");
  ask_routines_ = own_tables ? kRoutines : kRoutinesOfDictionary;
  ask_events_ = own_tables ? kEvents : kEventsOfDictionary;
}

void Programs::ask(QuestionBatch& batch) {
  batch.add("SHOW TRIGGERS FROM `test`", [this](Output output) { triggers_ = std::move(output); });
  batch.add(ask_routines_, [this](Output output) { routines_ = std::move(output); });
  batch.add(ask_events_, [this](Output output) { events_ = std::move(output); });
}

// Columns: Trigger, Event, Table, Statement, Timing, ... Those of one occasion come in the order in
// which they are run.
Component Programs::triggers() const {
  std::map<std::string, int> of_occasion;
  return component_of_rows(
      "triggers", ComponentKind::kMap, triggers_, [&](const Row& row, ComponentBuilder& builder) {
        const std::string occasion = cell(row, 4) + " " + cell(row, 1) + " ON " + cell(row, 2);
        const int number = ++of_occasion[occasion];
        const std::string place = number == 1 ? "" : ", number " + std::to_string(number);
        builder.add(Element{cell(row, 0), occasion + place + ": " + cell(row, 3)});
      });
}

void Programs::read(std::vector<Component>& components) const {
  components.push_back(triggers());
  components.push_back(component_of_rows(
      "routines", ComponentKind::kMap, routines_, [](const Row& row, ComponentBuilder& builder) {
        builder.add(Element{cell(row, 0) + " " + cell(row, 1),
                            "(" + cell(row, 2) + ") RETURNS (" + cell(row, 3) + ") deterministic " +
                                cell(row, 5) + ", security " + cell(row, 6) + ", mode '" +
                                cell(row, 7) + "': " + cell(row, 4)});
      }));
  components.push_back(component_of_rows(
      "events", ComponentKind::kMap, events_, [](const Row& row, ComponentBuilder& builder) {
        builder.add(Element{cell(row, 0), cell(row, 1) + ", every " + cell(row, 2) + " " +
                                              cell(row, 3) + ", then " + cell(row, 4) + ", mode '" +
                                              cell(row, 5) + "': " + cell(row, 6)});
      }));
}

}  // namespace esox
