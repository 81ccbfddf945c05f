// SPDX-License-Identifier: Apache-2.0
// What the query cache answers, and what the tables say.
//   answer:SELECT ...       map  by client: the answer, past the query cache
//   query-cache:SELECT ...  map  by client: that the query cache answers the same, or what it
//                                answers instead, and what the tables say
// for each plain SELECT of a client, asked on that client's own connection: entries of the cache
// are found only by a session with the same settings, and by the very text that made them, sent
// alone. So the cached answers take one trip each; the fresh ones one per client.
//
// That an entry is *there* is no part of the state: the server may leave one out whenever it is
// busy. Only what it answers counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "summaries/source.h"

namespace esox {

// A plain SELECT of a client's session: one that may be asked again without changing anything. The
// caller chooses (cacheable_select.h).
struct Question {
  std::string text;
  bool ordered = false;  // the statement orders its rows
};

struct QuestionedClient {
  std::string name;  // "A"
  Ask ask;           // on the client's own connection, idle by then
  std::vector<Question> questions;
  uint64_t connection_id = 0;  // the server's number of it
  // Before the first question: whether it is to be asked at all. Not in a transaction: it would
  // answer as its snapshot has it, and at SERIALIZABLE wait for others' locks.
  std::function<bool()> may_be_asked = [] { return true; };
};

// The statement that gives the answer to a SELECT past the query cache: only a text that begins
// with SELECT is looked up there (after blanks, brackets and comments).
// `any_text`: the server can set something for one statement (SET STATEMENT ... FOR, MariaDB's
// own); else what is no plain SELECT is given as it is, and its answer may come from the cache.
std::string uncached(const std::string& select, bool any_text = true);

bool agree(const Output& cached, const Output& fresh);

// "answers as the tables do", or "answers 1 row ('2'); the tables say 1 row ('3')".
std::string agreement(const Output& cached, const Output& fresh);

class Answers {
 public:
  explicit Answers(std::vector<QuestionedClient> clients);

  // As uncached() has it; before the others.
  void take_any_text(bool any_text) { any_text_ = any_text; }
  void ask_cached();
  void ask_fresh();
  void read(std::vector<Component>& components);

 private:
  struct Answer {
    const QuestionedClient* client;
    const Question* question;
    Output cached;
    Output fresh;
    bool operator==(const Answer&) const = default;
  };
  void ask_fresh(const QuestionedClient& client);
  std::vector<Component> components() const;

  bool any_text_ = true;
  std::vector<QuestionedClient> clients_;
  std::vector<Answer> answers_;
  // Most executions end with the answers of the one before: the components are not made again.
  std::vector<Answer> made_of_;
  std::vector<Component> made_;
};

}  // namespace esox
