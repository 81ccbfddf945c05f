// SPDX-License-Identifier: Apache-2.0
// See mariadb_interface.h.
#include "summaries/mariadb_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "summaries/binary_log.h"
#include "summaries/render.h"

namespace esox {
namespace {

constexpr size_t kMaxTables = 2000;
constexpr size_t kMaxBatchBytes = size_t{256} << 10;

// Errors that tell about the machine or the connection, not about the state being summarised:
// resources (1021, 1037, 1038, 1040, 1041, 1135, 1203), privileges (1044, 1045, 1142, 1143, 1227),
// shutdown and kill (1053, 1317, 1927), statement time-out (1969, 3024), no binary log to read
// (1220), packet too large (1153).
constexpr std::array<uint32_t, 19> kNotAboutTheState = {
    1021, 1037, 1038, 1040, 1041, 1135, 1203, 1044, 1045, 1142,
    1143, 1227, 1053, 1317, 1927, 1969, 3024, 1220, 1153,
};

// Why `output` cannot be taken as a statement about the state; empty if it can.
std::string unavailability(const Output& output) {
  if (!output.answered) return output.message.empty() ? "no reply" : output.message;
  const auto* const end = kNotAboutTheState.end();
  if (std::find(kNotAboutTheState.begin(), end, output.error) == end) return {};
  return render_error(output);
}

std::string quoted_name(const std::string& name) {
  std::string quoted = "`";
  for (const char c : name) {
    if (c == '`') quoted.push_back('`');
    quoted.push_back(c);
  }
  return quoted + "`";
}

std::string quoted_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "'";
}

std::string cell(const Row& row, size_t index) {
  return index < row.size() && row[index] ? *row[index] : std::string();
}

// What begins every component made of one reply: true if there are rows to go through.
bool has_rows(const Output& output, ComponentBuilder& builder) {
  if (std::string why = unavailability(output); !why.empty()) {
    builder.fail(std::move(why));
    return false;
  }
  if (output.error != 0) builder.add(Element{"", render_error(output)});
  return output.error == 0 && !output.results.empty();
}

Component definition_of(const std::string& table, const Output& output) {
  ComponentBuilder builder("definition:test." + table, ComponentKind::kMap);
  if (has_rows(output, builder) && !output.results[0].rows.empty()) {
    auto [create, auto_increment] = split_auto_increment(cell(output.results[0].rows[0], 1));
    builder.add(Element{"create", std::move(create)});
    if (!auto_increment.empty()) builder.add(Element{"auto_increment", std::move(auto_increment)});
  }
  return std::move(builder).build();
}

Component rows_of(const std::string& table, const Output& output) {
  ComponentBuilder builder("rows:test." + table, ComponentKind::kMultiset);
  if (has_rows(output, builder)) {
    for (const Row& row : output.results[0].rows) builder.add(render_row(row));
  }
  return std::move(builder).build();
}

Component check_of(const std::string& table, const Output& output) {
  ComponentBuilder builder("check:test." + table, ComponentKind::kSequence);
  if (has_rows(output, builder)) {
    for (const Row& row : output.results[0].rows) builder.add(cell(row, 2) + ": " + cell(row, 3));
  }
  return std::move(builder).build();
}

Output part_of(const Output& whole, size_t index) {
  Output part;
  part.answered = true;
  if (index < whole.results.size()) part.results.push_back(whole.results[index]);
  return part;
}

Output error_of(const Output& whole) {
  Output part = whole;
  part.results.clear();
  return part;
}

}  // namespace

std::pair<std::string, std::string> split_auto_increment(const std::string& create) {
  static constexpr std::string_view kOption = " AUTO_INCREMENT=";
  const size_t options = create.rfind("\n)");  // table options follow the last column or key
  if (options == std::string::npos) return {create, ""};
  const size_t line_end = std::min(create.find('\n', options + 1), create.size());
  const size_t comment = create.find(" COMMENT='", options);
  const size_t found = create.find(kOption, options);
  if (found == std::string::npos || found > std::min(line_end, comment)) return {create, ""};
  const size_t first = found + kOption.size();
  const size_t last = std::min(create.find_first_not_of("0123456789", first), create.size());
  return {create.substr(0, found) + create.substr(last), create.substr(first, last - first)};
}

MariadbInterface::MariadbInterface(Ask own, std::vector<QuestionedClient> clients,
                                   std::vector<std::string> observations)
    : own_(std::move(own)), clients_(std::move(clients)), observations_(std::move(observations)) {
  for (QuestionedClient& client : clients_) {
    std::vector<Question> plain;
    for (Question& question : client.questions) {
      const auto is_same = [&](const Question& other) { return other.text == question.text; };
      if (std::none_of(plain.begin(), plain.end(), is_same)) plain.push_back(std::move(question));
    }
    client.questions = std::move(plain);
  }
}

// Locks still held by a session that ended in a transaction or under LOCK TABLES must not keep the
// summary waiting for a day: after 2 s the lock itself is what there is to say about the table.
void MariadbInterface::begin() {
  own_("SET SESSION lock_wait_timeout=2, SESSION innodb_lock_wait_timeout=2");
  const Output status = own_("SHOW MASTER STATUS");
  binary_log_unknown_ = status.error != 0 ? render_error(status) : unavailability(status);
  binary_log_on_ = !status.results.empty() && !status.results[0].rows.empty();
  if (!binary_log_on_) return;
  log_file_ = cell(status.results[0].rows[0], 0);
  log_position_ = cell(status.results[0].rows[0], 1);
}

std::vector<Component> MariadbInterface::take() {
  std::vector<Component> components;
  std::vector<Answer> answers;
  ask_cached(answers);
  for (const std::string& statement : observations_) components.push_back(observe(statement));
  ask_fresh(answers);
  for (Answer& answer : answers) {
    Component component =
        make_component("answer:" + answer.text, ComponentKind::kMap, std::move(answer.elements));
    component.unavailable = std::move(answer.unavailable);
    components.push_back(std::move(component));
  }
  std::vector<Table> tables;
  components.push_back(list_tables(tables));
  if (binary_log_on_ || !binary_log_unknown_.empty()) components.push_back(read_binary_log());
  read_tables(tables, components);
  return components;
}

void MariadbInterface::ask_all(const QuestionedClient& client, const std::string& how,
                               std::vector<Answer>& answers) {
  for (const Question& question : client.questions) {
    const auto is_same = [&](const Answer& answer) { return answer.text == question.text; };
    auto answer = std::find_if(answers.begin(), answers.end(), is_same);
    if (answer == answers.end()) {
      answers.push_back(Answer{question.text, {}, {}});
      answer = std::prev(answers.end());
    }
    Output output = client.ask(question.text);
    output.ordered = question.ordered;
    if (answer->unavailable.empty()) answer->unavailable = unavailability(output);
    answer->elements.push_back(Element{client.name + " " + how, render_reply(output)});
  }
}

void MariadbInterface::ask_cached(std::vector<Answer>& answers) {
  for (const QuestionedClient& client : clients_) ask_all(client, "cached", answers);
}

// The session's own setting is kept in a user variable and put back, for a kept server's sake.
void MariadbInterface::ask_fresh(std::vector<Answer>& answers) {
  for (const QuestionedClient& client : clients_) {
    if (client.questions.empty()) continue;
    const Output off = client.ask(
        "SET @esox_query_cache_type = @@SESSION.query_cache_type, SESSION query_cache_type = OFF");
    if (off.error == 0 && off.answered) {
      ask_all(client, "fresh", answers);
      client.ask("SET SESSION query_cache_type = @esox_query_cache_type");
      continue;
    }
    const std::string why = off.answered ? render_error(off) : unavailability(off);
    for (const Question& question : client.questions) {
      for (Answer& answer : answers) {
        if (answer.text == question.text && answer.unavailable.empty()) answer.unavailable = why;
      }
    }
  }
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

Component MariadbInterface::list_tables(std::vector<Table>& tables) {
  ComponentBuilder builder("tables", ComponentKind::kSet);
  const Output output = own_("SHOW FULL TABLES FROM `test`");
  if (has_rows(output, builder)) {
    for (const Row& row : output.results[0].rows) {
      tables.push_back(Table{cell(row, 0), cell(row, 1)});
      builder.add(cell(row, 0) + " " + cell(row, 1));
    }
  }
  if (tables.size() > kMaxTables) {
    builder.fail(fmt::format("{} tables in database test; at most {} are summarised", tables.size(),
                             kMaxTables));
    tables.clear();
  }
  return std::move(builder).build();
}

// The logs from the one written to at begin() on. If that one is gone, or is now shorter (RESET
// MASTER starts again at number one), everything that is there counts.
Component MariadbInterface::read_binary_log() {
  ComponentBuilder builder("binlog", ComponentKind::kSequence);
  if (!binary_log_unknown_.empty()) builder.fail(binary_log_unknown_);
  const Output logs = own_("SHOW BINARY LOGS");
  if (!has_rows(logs, builder)) return std::move(builder).build();
  const std::vector<Row>& files = logs.results[0].rows;
  const auto is_first = [this](const Row& row) {
    return cell(row, 0) == log_file_ &&
           std::stoull("0" + cell(row, 1)) >= std::stoull("0" + log_position_);
  };
  const auto first = std::find_if(files.begin(), files.end(), is_first);
  std::vector<std::string> statements;
  for (auto file = first == files.end() ? files.begin() : first; file != files.end(); ++file) {
    std::string statement = "SHOW BINLOG EVENTS IN " + quoted_text(cell(*file, 0));
    if (file == first) statement += " FROM " + log_position_;
    statements.push_back(std::move(statement));
  }
  for (const Output& events : ask_batch(statements)) {
    if (!has_rows(events, builder)) continue;
    for (const Row& row : events.results[0].rows) {
      if (auto event = normalised_event(cell(row, 2), cell(row, 5))) builder.add(std::move(*event));
    }
  }
  return std::move(builder).build();
}

void MariadbInterface::read_tables(const std::vector<Table>& tables,
                                   std::vector<Component>& components) {
  std::vector<std::string> statements;
  for (const Table& table : tables) {
    const std::string name = "`test`." + quoted_name(table.name);
    const bool is_table = table.type == "BASE TABLE";  // others take no index hint
    statements.push_back("SHOW CREATE TABLE " + name);
    statements.push_back("SELECT SQL_NO_CACHE * FROM " + name + (is_table ? " USE INDEX ()" : ""));
  }
  for (const Table& table : tables) {
    statements.push_back("CHECK TABLE `test`." + quoted_name(table.name));
  }
  const std::vector<Output> outputs = ask_batch(statements);
  for (size_t i = 0; i < tables.size(); ++i) {
    components.push_back(definition_of(tables[i].name, outputs[2 * i]));
    components.push_back(rows_of(tables[i].name, outputs[2 * i + 1]));
    components.push_back(check_of(tables[i].name, outputs[2 * tables.size() + i]));
  }
}

// Many statements in one request; each must give exactly one result set. A statement that fails
// ends the server's batch: what follows it is sent again, so the outputs are as if each had been
// alone.
std::vector<Output> MariadbInterface::ask_batch(const std::vector<std::string>& statements) {
  std::vector<Output> outputs;
  while (outputs.size() < statements.size()) {
    std::string text;
    size_t last = outputs.size();
    for (; last < statements.size() && text.size() < kMaxBatchBytes; ++last) {
      if (!text.empty()) text += ";\n";
      text += statements[last];
    }
    const Output whole = own_(text);
    const size_t asked = last - outputs.size();
    const size_t answered = std::min(whole.results.size(), asked);
    for (size_t i = 0; i < answered; ++i) outputs.push_back(part_of(whole, i));
    if (!whole.answered || (whole.error == 0 && answered < asked)) {
      Output lost = error_of(whole);
      lost.answered = false;
      if (lost.message.empty()) lost.message = "the server gave fewer results than statements";
      outputs.resize(statements.size(), lost);
    } else if (answered < asked) {
      outputs.push_back(error_of(whole));
    }
  }
  return outputs;
}

}  // namespace esox
