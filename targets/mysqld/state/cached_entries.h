// SPDX-License-Identifier: Apache-2.0
// Every entry of the query cache against the tables, where the plugin query_cache_info lists them:
//   query-cache-entries  multiset  by entry: what it answers, and what the tables say, if they
//   differ
//
// The clients' own plain SELECTs are seen to by answers.h. Here are the others: SELECTs of the
// setup, of procedures and compound statements, of prepared ones, in brackets or with WITH.
//
// The plugin lists the texts and not the answers, and an entry is found only by a session with the
// settings that made it. So each is asked for on each client's connection and on our own, which
// made those of the setup; one of a procedure from within a compound statement, for that more
// results follow is one of the settings. An entry that nobody's session finds any more (its client
// went on to other settings) cannot be asked for: a fresh answer comes, and agrees. That an entry
// is there is no part of the state.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "summaries/component.h"
#include "summaries/source.h"
#include "targets/mysqld/state/answers.h"

namespace esox {

// More are not asked for.
inline constexpr size_t kMaxEntries = 100;

class CachedEntries {
 public:
  // `askers`: the clients, with their questions, which are left out here.
  explicit CachedEntries(std::vector<QuestionedClient> askers) : askers_(std::move(askers)) {}

  // Learns whether the plugin is there.
  void begin(const Ask& own);

  // Before anything else is asked for, since that makes entries: lists them, and takes their
  // answers.
  void ask_cached(const Ask& own);
  void ask_fresh(const Ask& own);
  void read(std::vector<Component>& components) const;

 private:
  struct Entry {
    std::string text;
    bool within = false;  // more results followed it
    auto operator<=>(const Entry&) const = default;
  };
  struct Answer {
    Entry entry;
    std::string asker;
    Output cached;
  };
  std::vector<Entry> wanted(const Output& list) const;
  bool is_question(const Entry& entry) const;

  std::vector<QuestionedClient> askers_;
  bool has_plugin_ = false;
  Output list_;
  size_t unasked_ = 0;
  std::vector<Answer> answers_;
  std::map<std::string, Output> fresh_;  // by text
};

}  // namespace esox
