// SPDX-License-Identifier: Apache-2.0
// See programs.h.
#include "summaries/mariadb/programs.h"

#include <utility>

#include "summaries/mariadb/replies.h"

namespace esox {

void Programs::ask(Batch& batch) {
  batch.add("SHOW TRIGGERS FROM `test`", [this](Output output) { triggers_ = std::move(output); });
  batch.add(
      "SELECT type, name, param_list, returns, body, is_deterministic, security_type, sql_mode "
      "FROM mysql.proc WHERE db = 'test'",
      [this](Output output) { routines_ = std::move(output); });
  batch.add(
      "SELECT name, status, interval_value, interval_field, on_completion, sql_mode, body FROM "
      "mysql.event WHERE db = 'test'",
      [this](Output output) { events_ = std::move(output); });
}

void Programs::read(std::vector<Component>& components) const {
  ComponentBuilder triggers("triggers", ComponentKind::kMap);
  if (has_rows(triggers_, triggers)) {  // Trigger, Event, Table, Statement, Timing, ...
    for (const Row& row : triggers_.results[0].rows) {
      triggers.add(Element{cell(row, 0), cell(row, 4) + " " + cell(row, 1) + " ON " + cell(row, 2) +
                                             ": " + cell(row, 3)});
    }
  }
  components.push_back(std::move(triggers).build());

  ComponentBuilder routines("routines", ComponentKind::kMap);
  if (has_rows(routines_, routines)) {
    for (const Row& row : routines_.results[0].rows) {
      routines.add(Element{cell(row, 0) + " " + cell(row, 1),
                           "(" + cell(row, 2) + ") RETURNS (" + cell(row, 3) + ") deterministic " +
                               cell(row, 5) + ", security " + cell(row, 6) + ", mode '" +
                               cell(row, 7) + "': " + cell(row, 4)});
    }
  }
  components.push_back(std::move(routines).build());

  ComponentBuilder events("events", ComponentKind::kMap);
  if (has_rows(events_, events)) {
    for (const Row& row : events_.results[0].rows) {
      events.add(Element{cell(row, 0), cell(row, 1) + ", every " + cell(row, 2) + " " +
                                           cell(row, 3) + ", then " + cell(row, 4) + ", mode '" +
                                           cell(row, 5) + "': " + cell(row, 6)});
    }
  }
  components.push_back(std::move(events).build());
}

}  // namespace esox
