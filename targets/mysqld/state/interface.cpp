// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/interface.h"

#include <algorithm>
#include <map>
#include <utility>

#include "summaries/render.h"
#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/components.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

std::map<uint64_t, std::string> names_of(const std::vector<QuestionedClient>& clients) {
  std::map<uint64_t, std::string> names;
  for (const QuestionedClient& client : clients) names[client.connection_id] = client.name;
  return names;
}

void give_meanings(std::vector<Component>& components) {
  set_meanings(components, mysqld_components());
  for (Component& component : components) {
    if (!component.name.starts_with(kCheckPrefix)) continue;
    const auto is_sound = [](const Element& element) { return element.value == kSoundCheck; };
    const bool sound = std::ranges::all_of(component.elements, is_sound);
    if (sound) component.meaning = ComponentMeaning::kContent;
  }
}

}  // namespace

MysqldInterface::MysqldInterface(Ask own, std::vector<QuestionedClient> clients,
                                 std::vector<std::string> observations, MysqldParts parts)
    : own_(std::move(own)),
      parts_(std::move(parts)),
      observations_(std::move(observations)),
      tables_(parts_.has(MysqldPart::kIndexes), parts_.is_touched, parts_.tables_stay,
              parts_.server_folder),
      leftovers_(names_of(clients), LeftoverKinds{parts_.has(MysqldPart::kLeftovers),
                                                  parts_.has(MysqldPart::kTransactions),
                                                  parts_.has(MysqldPart::kKeyBlocks)}),
      cached_entries_(parts_.has(MysqldPart::kAnswers) ? clients : std::vector<QuestionedClient>()),
      answers_(parts_.has(MysqldPart::kAnswers) ? std::move(clients)
                                                : std::vector<QuestionedClient>()) {
  for (const std::string& database : parts_.databases) {
    of_other_databases_.emplace_back(parts_.has(MysqldPart::kIndexes), Tables::IsTouched(),
                                     /*they_stay=*/false, parts_.server_folder, database);
  }
}

// Locks still held by a session that ended in a transaction or under LOCK TABLES must not keep the
// summary waiting for a day: after 2 s the lock itself is what there is to say about the table.
void MysqldInterface::begin() {
  own_("SET SESSION lock_wait_timeout=2, SESSION innodb_lock_wait_timeout=2");
  // MariaDB's own: the progress of a CHECK TABLE is one more packet.
  answers_.take_any_text(takes(own_, "SET SESSION progress_report_time=0"));
  tables_.begin(own_);
  for (Tables& tables : of_other_databases_) tables.begin(own_);
  if (parts_.has(MysqldPart::kBinlog)) binary_log_.begin(own_);
  leftovers_.begin(own_);
  if (parts_.has(MysqldPart::kPrograms)) programs_.begin(own_);
  if (parts_.has(MysqldPart::kAccounts)) accounts_.begin(own_);
  if (parts_.has(MysqldPart::kDictionary)) dictionary_.begin(own_);
  if (parts_.has(MysqldPart::kAnswers)) cached_entries_.begin(own_);
}

std::vector<Component> MysqldInterface::take() {
  std::vector<Component> components;
  cached_entries_.ask_cached(own_);
  answers_.ask_cached();
  for (const std::string& statement : observations_) components.push_back(observe(statement));
  answers_.ask_fresh();
  cached_entries_.ask_fresh(own_);
  QuestionBatch batch;
  leftovers_.ask(batch);
  if (parts_.has(MysqldPart::kBinlog)) binary_log_.ask(batch);
  if (parts_.has(MysqldPart::kPrograms)) programs_.ask(batch);
  if (parts_.has(MysqldPart::kAccounts)) accounts_.ask(batch);
  if (parts_.has(MysqldPart::kDictionary)) dictionary_.ask(batch);
  tables_.ask(batch);
  for (Tables& tables : of_other_databases_) tables.ask(batch);
  batch.run(own_);
  answers_.read(components);
  cached_entries_.read(components);
  if (parts_.has(MysqldPart::kBinlog)) binary_log_.read(own_, components);
  if (parts_.has(MysqldPart::kPrograms)) programs_.read(components);
  tables_.read(own_, components);
  for (Tables& tables : of_other_databases_) tables.read(own_, components);
  leftovers_.read(tables_.names(), components);
  const std::filesystem::path folder =
      parts_.server_folder ? parts_.server_folder() : std::filesystem::path();
  if (parts_.has(MysqldPart::kDictionary)) dictionary_.read(tables_.names(), folder, components);
  if (parts_.has(MysqldPart::kFiles) && !folder.empty())
    components.push_back(files_.take(folder, tables_.names()));
  if (parts_.has(MysqldPart::kAccounts)) accounts_.read(own_, components);
  give_meanings(components);
  return components;
}

Component MysqldInterface::observe(const std::string& statement) {
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
