// SPDX-License-Identifier: Apache-2.0
// See interface.h.
#include "summaries/mariadb/interface.h"

#include <utility>

#include "summaries/mariadb/batch.h"
#include "summaries/mariadb/replies.h"
#include "summaries/render.h"

namespace esox {

MariadbInterface::MariadbInterface(Ask own, std::vector<QuestionedClient> clients,
                                   std::vector<std::string> observations)
    : own_(std::move(own)), observations_(std::move(observations)), answers_(std::move(clients)) {}

// Locks still held by a session that ended in a transaction or under LOCK TABLES must not keep the
// summary waiting for a day: after 2 s the lock itself is what there is to say about the table.
void MariadbInterface::begin() {
  own_("SET SESSION lock_wait_timeout=2, SESSION innodb_lock_wait_timeout=2");
  tables_.forget();
  binary_log_.begin(own_);
}

std::vector<Component> MariadbInterface::take() {
  std::vector<Component> components;
  answers_.ask_cached();
  for (const std::string& statement : observations_) components.push_back(observe(statement));
  answers_.ask_fresh();
  Batch batch;
  binary_log_.ask(batch);
  tables_.ask(batch);
  batch.run(own_);
  answers_.read(components);
  binary_log_.read(own_, components);
  tables_.read(own_, components);
  return components;
}

Component MariadbInterface::observe(const std::string& statement) {
  ComponentBuilder builder("observation:" + statement, ComponentKind::kMultiset);
  const Output output = own_(statement);
  if (std::string why = unavailability(output); !why.empty()) builder.fail(std::move(why));
  for (const ResultSet& result : output.results) {
    builder.add("columns " + render_columns(result));
    for (const Row& row : result.rows) builder.add(render_row(row));
  }
  if (output.error != 0) builder.add(render_error(output));
  return std::move(builder).build();
}

}  // namespace esox
