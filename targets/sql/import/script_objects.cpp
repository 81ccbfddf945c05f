// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/script_objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "targets/sql/statement.h"

namespace esox {
namespace {

void append(Accesses& to, const Accesses& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The statements of a body, which tokens_of tells only the first of: "CREATE ... BEGIN a", "b",
// "END".
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::vector<Token> tokens = tokens_of(text);
    if (tokens.empty()) break;
    const size_t end =
        std::min(text.find(';', tokens.back().begin + tokens.back().length), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

// What of an INSERT stands before its values: the table it writes is there.
std::string_view target_of_insert(std::string_view text, const std::vector<Token>& tokens) {
  static constexpr std::string_view kAfter[] = {"(", "VALUES", "VALUE", "SELECT", "SET"};
  for (const Token& token : tokens) {
    if (is_one_of(kAfter, token.text)) return text.substr(0, token.begin);
  }
  return text;
}

// A routine's or trigger's statements change what they name, if any of them changes something.
AccessMode mode_of_body(std::string_view text) {
  static constexpr std::string_view kWriters[] = {"INSERT",  "UPDATE",   "DELETE",
                                                  "REPLACE", "TRUNCATE", "EXECUTE"};
  // Before ON, the INSERT of a trigger says when it acts; a body that only reads is then taken for
  // one that writes.
  for (const std::string_view piece : pieces_of(text)) {
    for (const Token& token : tokens_of(piece)) {
      if (token.kind == Token::Kind::kWord && is_one_of(kWriters, token.text)) {
        return AccessMode::kWrite;
      }
    }
  }
  return AccessMode::kRead;
}

}  // namespace

void ScriptObjects::learn(std::string_view text, const std::string& database) {
  learn_names(text, database, known_);
}

void ScriptObjects::add_uses(const Accesses& body, const std::string& of, Use use) {
  for (const Access& access : body) {
    if (!is_table(access) && !access.object.starts_with("routine:")) continue;
    if (access.object == of) continue;
    use.object = access.object;
    uses_[of].push_back(use);
  }
}

// A child's rows are checked against its parents', and parents' changes may change the child.
void ScriptObjects::foreign_keys(const Accesses& own, const std::string& child) {
  for (const Access& access : own) {
    if (!is_table(access) || access.object == child) continue;
    uses_[child].push_back({access.object, AccessMode::kRead, false, true});
    uses_[access.object].push_back({child, AccessMode::kWrite, false, true});
  }
}

void ScriptObjects::learn_uses(std::string_view text, const std::string& database) {
  const std::string kind = statement_kind(text);
  if (!kind.starts_with("CREATE ") && kind != "ALTER TABLE") return;
  const std::vector<Token> tokens = tokens_of(text);
  const Accesses own = direct(text, database);
  for (const Access& access : own) {
    if (access.mode != AccessMode::kWrite) continue;
    if (kind == "CREATE VIEW" && is_table(access)) {
      add_uses(own, access.object, {"", AccessMode::kRead, true, false});
    } else if (access.object.starts_with("routine:")) {
      add_uses(own, access.object, {"", mode_of_body(text), false, false});
    } else if (kind == "CREATE TRIGGER" && is_table(access)) {
      add_uses(own, access.object, {"", mode_of_body(text), false, true});
    } else if (kind.ends_with(" TABLE") && is_table(access) && has_word(tokens, "REFERENCES")) {
      foreign_keys(own, access.object);
    }
  }
}

void ScriptObjects::forget_uses(std::string_view text, const std::string& database) {
  static constexpr std::string_view kMakers[] = {"CREATE VIEW", "CREATE PROCEDURE",
                                                 "CREATE FUNCTION"};
  static constexpr std::string_view kDroppers[] = {"DROP TABLE", "DROP VIEW", "DROP PROCEDURE",
                                                   "DROP FUNCTION"};
  const std::string kind = statement_kind(text);
  const bool drops = is_one_of(kDroppers, kind);
  if (!drops && !is_one_of(kMakers, kind)) return;
  for (const Access& access : direct(text, database)) {
    const bool may_use = is_table(access) || access.object.starts_with("routine:");
    if (!may_use || access.mode != AccessMode::kWrite) continue;
    uses_.erase(access.object);
    for (auto& [object, uses] : uses_) {
      // Its parents' foreign keys. A view of a table that is gone still needs it.
      if (drops) std::erase_if(uses, [&](const Use& use) { return use.is_kept_up_with(access); });
    }
  }
}

Accesses ScriptObjects::direct(std::string_view text, const std::string& database) const {
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.empty()) return {};
  const std::string& verb = tokens.front().text;
  if (is_definition(verb)) return of_definition(text, database);
  if (verb != "INSERT" && verb != "REPLACE") return named_accesses(text, database, known_, true);
  Accesses accesses = named_accesses(text, database, known_, false);
  append(accesses,
         named_accesses(target_of_insert(text, tokens), database, known_, /*writes=*/true));
  sort_accesses(accesses);
  return accesses;
}

// The objects it defines are written, those in its body read.
Accesses ScriptObjects::of_definition(std::string_view text, const std::string& database) const {
  Accesses accesses = named_accesses(text, database, known_, false);
  const std::vector<std::string_view> pieces = pieces_of(text);
  for (size_t i = 1; i < pieces.size(); ++i) {
    for (Access& access : named_accesses(pieces[i], database, known_, false)) {
      if (is_private(access)) continue;
      access.mode = AccessMode::kRead;
      accesses.push_back(std::move(access));
    }
  }
  sort_accesses(accesses);
  return accesses;
}

// With what those use that are used, and so on.
void ScriptObjects::follow(Accesses& accesses) const {
  std::set<std::pair<std::string, AccessMode>> met;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Access access = accesses[i];
    const auto uses = uses_.find(access.object);
    if (uses == uses_.end() || !met.insert({access.object, access.mode}).second) continue;
    for (const Use& use : uses->second) {
      if (use.by_writers && access.mode != AccessMode::kWrite) continue;
      accesses.push_back({use.object, use.as_used ? access.mode : use.mode});
    }
  }
}

Accesses ScriptObjects::accesses_of(std::string_view text, const std::string& database) const {
  Accesses accesses = direct(text, database);
  const std::string kind = statement_kind(text);
  // To define an object does not run what is in it.
  const bool defines = is_definition(kind.substr(0, kind.find(' '))) || kind.starts_with("RENAME");
  if (!defines) follow(accesses);
  if (std::ranges::any_of(accesses, is_table)) accesses.push_back({"caches:", AccessMode::kTouch});
  sort_accesses(accesses);
  return accesses;
}

}  // namespace esox
