// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/cached_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

// The text must stay as it is, to the byte; what it ends with may be a comment.
std::string asked_within(const std::string& text) {
  return "BEGIN NOT ATOMIC " + text + "\n; END";
}

}  // namespace

void CachedEntries::begin(const Ask& own) {
  has_plugin_ = has_plugin(own, "QUERY_CACHE_INFO");
}

bool CachedEntries::is_question(const Entry& entry) const {
  return !entry.within && std::ranges::any_of(askers_, [&](const QuestionedClient& asker) {
    return std::ranges::any_of(asker.questions,
                               [&](const Question& one) { return one.text == entry.text; });
  });
}

// Sorted, for the list comes in the order of a hash table.
std::vector<CachedEntries::Entry> CachedEntries::wanted(const Output& list) const {
  std::set<Entry> entries;
  if (!list.results.empty()) {
    for (const Row& row : list.results[0].rows) {
      Entry entry{cell(row, 0), cell(row, 1) != "0"};
      if (!is_question(entry)) entries.insert(std::move(entry));
    }
  }
  return {entries.begin(), entries.end()};
}

void CachedEntries::ask_cached(const Ask& own) {
  answers_.clear();
  fresh_.clear();
  if (!has_plugin_) return;
  list_ =
      own("SELECT STATEMENT_TEXT, MORE_RESULTS_EXISTS FROM information_schema.QUERY_CACHE_INFO "
          "WHERE STATEMENT_SCHEMA = 'test'");
  std::vector<Entry> entries = wanted(list_);
  unasked_ = entries.size() - std::min(entries.size(), kMaxEntries);
  entries.resize(entries.size() - unasked_);
  if (entries.empty()) return;
  std::vector<const QuestionedClient*> askers;
  for (const QuestionedClient& asker : askers_) {
    if (asker.may_be_asked()) askers.push_back(&asker);
  }
  for (const Entry& entry : entries) {
    const std::string text = entry.within ? asked_within(entry.text) : entry.text;
    answers_.push_back({entry, "the setup", own(text)});
    for (const QuestionedClient* asker : askers) {
      answers_.push_back({entry, asker->name, asker->ask(text)});
    }
  }
}

void CachedEntries::ask_fresh(const Ask& own) {
  QuestionBatch batch;
  for (const Answer& answer : answers_) {
    const auto [place, is_new] = fresh_.try_emplace(answer.entry.text);
    if (!is_new) continue;
    batch.add(uncached(answer.entry.text),
              [fresh = &place->second](Output output) { *fresh = std::move(output); });
  }
  batch.run(own);
}

void CachedEntries::read(std::vector<Component>& components) const {
  if (!has_plugin_) return;
  ComponentBuilder builder("query-cache-entries", ComponentKind::kMultiset);
  has_rows(list_, builder);
  if (unasked_ > 0) {
    builder.fail(fmt::format("{} entries of the query cache beyond the first {} were not asked for",
                             unasked_, kMaxEntries));
  }
  for (const Answer& answer : answers_) {
    const Output& fresh = fresh_.at(answer.entry.text);
    for (const Output* output : {&answer.cached, &fresh}) {
      if (std::string why = unavailability(*output); !why.empty()) builder.fail(std::move(why));
    }
    if (!agree(answer.cached, fresh)) {
      builder.add(Element{answer.entry.text, answer.asker + " " + agreement(answer.cached, fresh)});
    }
  }
  components.push_back(std::move(builder).build());
}

}  // namespace esox
