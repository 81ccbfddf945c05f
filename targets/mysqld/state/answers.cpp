// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/answers.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/text/counted.h"
#include "base/text/letters.h"
#include "summaries/render.h"
#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/replies.h"
#include "targets/sql/statement.h"

namespace esox {
namespace {

constexpr size_t kRowsShown = 20;

bool is_rows(const Output& output) {
  return output.answered && output.error == 0 && output.results.size() == 1;
}

// "2 rows ('1'), ('2')"
std::string rows_text(const Output& output) {
  if (!is_rows(output)) return render_reply(output);
  std::vector<std::string> rows;
  for (const Row& row : output.results[0].rows) rows.push_back(render_row(row));
  if (!output.ordered) std::ranges::sort(rows);
  std::string text = counted(rows.size(), "row");
  for (size_t i = 0; i < std::min(rows.size(), kRowsShown); ++i) {
    text += (i == 0 ? " " : ", ") + rows[i];
  }
  return rows.size() > kRowsShown ? text + ", ..." : text;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// As the rules relevance-of-... have it: 0 only where full text finds the rows.
bool may_be_relevance(std::string_view number, bool of_found_rows) {
  constexpr size_t kDecimals = 5;
  const size_t point = number.find('.');
  if (point == number.npos) return of_found_rows && number == "0";
  if (!of_found_rows && number.find_first_of("123456789") == number.npos) return false;
  const std::string_view decimals = number.substr(point + 1, number.find('e') - point - 1);
  return is_digits(number.substr(0, point)) && is_digits(decimals) && decimals.size() >= kDecimals;
}

// How relevant the rows are that full text finds is of a statistic, and no part of the state.
void hide_relevance(const std::string& text, Output& answer) {
  const std::string words = upper(text);
  const size_t where = words.find("WHERE");
  const bool of_found_rows = where != words.npos && words.find("AGAINST", where) != words.npos;
  for (ResultSet& result : answer.results) {
    for (Row& row : result.rows) {
      for (Cell& cell : row) {
        if (cell && may_be_relevance(*cell, of_found_rows)) cell = "(relevance)";
      }
    }
  }
}

// Rows that tie under ORDER BY come as they are met in the table or an index, which may differ
// between two tables of the same rows: as a part of the state, an answer's rows are a bag. What the
// clients were told is compared in the order in which it came.
std::string state_text(const Question& question, const Output& answer) {
  const bool ranks = speaks(question.text, "AGAINST");
  if (!answer.ordered && !ranks) return render_reply(answer);
  Output bag = answer;
  bag.ordered = false;
  if (ranks) hide_relevance(question.text, bag);
  return render_reply(bag);
}

}  // namespace

// SQL_NO_CACHE as the first option of a plain text's SELECT; it takes half as long as the other
// way, for any text: the cache is only looked into for one that begins with SELECT (after blanks,
// brackets and comments), and what is set for this statement alone says nothing (no time limit).
// query_cache_type itself cannot be set for one statement.
std::string uncached(const std::string& select, bool any_text) {
  static constexpr std::string_view kSelect = "SELECT ";
  const bool plain = speaks(std::string_view(select).substr(0, kSelect.size()), kSelect) &&
                     !speaks(select, "SQL_") && select.find("/*") == std::string::npos;
  if (!plain && !any_text) return select;
  if (!plain) return "SET STATEMENT max_statement_time = 0 FOR " + select;
  return "SELECT SQL_NO_CACHE " + select.substr(kSelect.size());
}

bool agree(const Output& cached, const Output& fresh) {
  return cached == fresh || render_reply(cached) == render_reply(fresh);
}

// In one line, and complete where the two agree in what is shown.
std::string agreement(const Output& cached, const Output& fresh) {
  if (agree(cached, fresh)) return "answers as the tables do";
  std::string text = "answers " + rows_text(cached) + "; the tables say " + rows_text(fresh);
  if (rows_text(cached) == rows_text(fresh)) {
    text += "; the whole differs:\n" + render_reply(cached) + "\n" + render_reply(fresh);
  }
  return text;
}

Answers::Answers(std::vector<QuestionedClient> clients) : clients_(std::move(clients)) {
  for (QuestionedClient& client : clients_) {
    std::vector<Question> once;
    for (Question& question : client.questions) {
      const auto is_same = [&](const Question& other) { return other.text == question.text; };
      if (std::ranges::none_of(once, is_same)) once.push_back(std::move(question));
    }
    client.questions = std::move(once);
  }
}

void Answers::ask_cached() {
  answers_.clear();
  for (const QuestionedClient& client : clients_) {
    if (client.questions.empty() || !client.may_be_asked()) continue;
    for (const Question& question : client.questions) {
      answers_.push_back({&client, &question, client.ask(question.text), {}});
      answers_.back().cached.ordered = question.ordered;
    }
  }
}

void Answers::ask_fresh() {
  for (const QuestionedClient& client : clients_) {
    if (!client.questions.empty()) ask_fresh(client);
  }
}

void Answers::ask_fresh(const QuestionedClient& client) {
  QuestionBatch batch;
  for (Answer& answer : answers_) {
    if (answer.client != &client) continue;
    batch.add(uncached(answer.question->text, any_text_), [&answer](Output output) {
      answer.fresh = std::move(output);
      answer.fresh.ordered = answer.question->ordered;
    });
  }
  batch.run(client.ask);
}

void Answers::read(std::vector<Component>& components) {
  if (made_.empty() || answers_ != made_of_) {
    made_ = this->components();
    made_of_ = std::move(answers_);
    answers_.clear();
  }
  components.insert(components.end(), made_.begin(), made_.end());
}

std::vector<Component> Answers::components() const {
  std::map<std::string, ComponentBuilder> fresh;
  std::map<std::string, ComponentBuilder> cached;
  for (const Answer& answer : answers_) {
    const std::string& text = answer.question->text;
    auto& told = fresh.try_emplace(text, "answer:" + text, ComponentKind::kMap).first->second;
    auto& kept = cached.try_emplace(text, "query-cache:" + text, ComponentKind::kMap).first->second;
    for (const Output* output : {&answer.fresh, &answer.cached}) {
      const std::string why = unavailability(*output);
      if (!why.empty() && output == &answer.fresh) told.fail(why);
      if (!why.empty()) kept.fail(why);
    }
    told.add(Element{answer.client->name, state_text(*answer.question, answer.fresh)});
    kept.add(Element{answer.client->name, agreement(answer.cached, answer.fresh)});
  }
  std::vector<Component> components;
  components.reserve(fresh.size() + cached.size());
  for (auto& [text, builder] : fresh) components.push_back(std::move(builder).build());
  for (auto& [text, builder] : cached) components.push_back(std::move(builder).build());
  return components;
}

}  // namespace esox
