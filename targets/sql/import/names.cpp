// SPDX-License-Identifier: Apache-2.0
// See names.h. No parser: words, looked at with what stands beside them.
#include "targets/sql/import/names.h"

#include <algorithm>
#include <vector>

#include "base/text/letters.h"
#include "targets/sql/statement.h"

namespace esox {
namespace {

bool is_word(Tokens tokens, size_t i, std::string_view word) {
  return i < tokens.size() && tokens[i].kind == Token::Kind::kWord && tokens[i].text == word;
}

bool is_symbol(Tokens tokens, size_t i, std::string_view symbol) {
  return i < tokens.size() && tokens[i].kind == Token::Kind::kSymbol && tokens[i].text == symbol;
}

struct Name {
  std::string text;  // "database.name"; empty: there is none
  size_t past = 0;   // the token after it
};

// NAME or DATABASE.NAME at token `i`.
Name name_at(std::string_view text, Tokens tokens, size_t i, const std::string& database) {
  if (i >= tokens.size()) return {{}, i};
  const std::string first = identifier(text, tokens[i]);
  if (first.empty()) return {{}, i};
  if (is_symbol(tokens, i + 1, ".") && i + 2 < tokens.size()) {
    const std::string second = identifier(text, tokens[i + 2]);
    if (!second.empty()) return {first + "." + second, i + 3};
  }
  return {database + "." + first, i + 1};
}

constexpr std::string_view kNouns[] = {"TABLE",   "VIEW",  "PROCEDURE", "FUNCTION", "PACKAGE",
                                       "TRIGGER", "EVENT", "SEQUENCE",  "INDEX",    "DATABASE",
                                       "SCHEMA",  "USER",  "ROLE",      "SERVER",   "TABLES"};
constexpr std::string_view kBeforeNames[] = {"IF",     "NOT",   "EXISTS", "BODY",
                                             "IGNORE", "TABLE", "ONLINE"};

// The noun of CREATE, ALTER, DROP: its place, or the number of tokens.
size_t noun_at(Tokens tokens) {
  for (size_t i = 1; i < tokens.size() && !is_symbol(tokens, i, "("); ++i) {
    if (tokens[i].kind == Token::Kind::kWord && is_one_of(kNouns, tokens[i].text)) return i;
  }
  return tokens.size();
}

// The first name after the noun.
size_t first_name_at(Tokens tokens, size_t noun) {
  size_t i = noun + 1;
  while (i < tokens.size() && tokens[i].kind == Token::Kind::kWord &&
         is_one_of(kBeforeNames, tokens[i].text)) {
    ++i;
  }
  return i;
}

// Of CREATE INDEX and CREATE TRIGGER: the table after ON.
Name table_after_on(std::string_view text, Tokens tokens, size_t from,
                    const std::string& database) {
  for (size_t i = from; i < tokens.size(); ++i) {
    if (is_word(tokens, i, "ON")) return name_at(text, tokens, i + 1, database);
  }
  return {};
}

class Namer {
 public:
  Namer(std::string_view text, Tokens tokens, const std::string& database, const KnownNames& known)
      : text_(text), tokens_(tokens), database_(database), known_(known) {}

  Accesses run(bool writes) {
    if (!tokens_.empty() && is_definition(tokens_[0].text)) definition();
    verbs();
    words(writes);
    sort_accesses(accesses_);
    return std::move(accesses_);
  }

 private:
  void add(std::string object, AccessMode mode) { accesses_.push_back({std::move(object), mode}); }

  void write_names(const std::string& kind, size_t from, bool small) {
    for (size_t i = from; i < tokens_.size();) {
      const Name name = name_at(text_, tokens_, i, database_);
      if (name.text.empty()) return;
      add(kind + ":" + (small ? lower(name.text) : name.text), AccessMode::kWrite);
      if (!is_symbol(tokens_, name.past, ",") || !is_word(tokens_, 0, "DROP")) return;
      i = name.past + 1;
    }
  }

  void definition() {
    const size_t noun_place = noun_at(tokens_);
    if (noun_place == tokens_.size()) return;
    const std::string& noun = tokens_[noun_place].text;
    const size_t name = first_name_at(tokens_, noun_place);
    if (noun == "DATABASE" || noun == "SCHEMA") {
      const std::string own = name < tokens_.size() ? identifier(text_, tokens_[name]) : "";
      add("database:" + (own.empty() ? database_ : own), AccessMode::kWrite);
    } else if (noun == "USER" || noun == "ROLE") {
      add("users:", AccessMode::kWrite);
    } else if (noun == "SERVER") {
      add("servers:", AccessMode::kWrite);
    } else {
      schema_object(noun, name);
      add("database:" + database_, AccessMode::kTouch);
    }
  }

  void schema_object(const std::string& noun, size_t name) {
    if (noun == "PROCEDURE" || noun == "FUNCTION" || noun == "PACKAGE") {
      write_names("routine", name, true);
    } else if (noun == "EVENT") {
      write_names("event", name, true);
    } else if (noun == "TRIGGER") {
      write_names("trigger", name, false);
      trigger_table(name);
    } else if (noun == "INDEX") {
      const Name table = table_after_on(text_, tokens_, name, database_);
      if (!table.text.empty()) add("table:" + table.text, AccessMode::kWrite);
    } else {
      write_names("table", name, false);
    }
  }

  // A trigger belongs to its table: whoever writes there runs it.
  void trigger_table(size_t name) {
    Name table = table_after_on(text_, tokens_, name, database_);
    const auto known = known_.triggers.find(name_at(text_, tokens_, name, database_).text);
    if (table.text.empty() && known != known_.triggers.end()) table.text = known->second;
    if (!table.text.empty()) add("table:" + table.text, AccessMode::kWrite);
  }

  void verbs() {
    const std::string kind = statement_kind(text_);
    if (kind == "CALL") {
      add("routine:" + lower(name_at(text_, tokens_, 1, database_).text), AccessMode::kRead);
    } else if (kind == "GRANT" || kind == "REVOKE" || kind == "RENAME USER" ||
               (kind == "SET" && is_word(tokens_, 1, "PASSWORD"))) {
      add("users:", AccessMode::kWrite);
    } else if (kind.starts_with("SHOW")) {
      show(kind);
    } else if (kind.starts_with("FLUSH") || kind == "RESET") {
      flush();
    } else if (kind == "PREPARE" || kind == "EXECUTE" || kind == "DEALLOCATE" || kind == "DROP") {
      prepared(kind);
    } else if (kind == "SET") {
      global_settings();
    }
  }

  void show(const std::string& kind) {
    static constexpr std::string_view kListings[] = {
        "SHOW TABLES", "SHOW TABLE", "SHOW OPEN", "SHOW TRIGGERS", "SHOW EVENTS", "SHOW PROCEDURE"};
    if (is_one_of(kListings, kind)) add("database:" + database_, AccessMode::kRead);
    if (kind == "SHOW GRANTS") add("users:", AccessMode::kRead);
    if (kind == "SHOW BINLOG" || kind == "SHOW BINARY" || kind == "SHOW MASTER") {
      add("logs:", AccessMode::kRead);
    }
  }

  void flush() {
    static constexpr std::string_view kCaches[] = {"TABLES", "TABLE", "CACHE", "HOSTS"};
    for (const Token& token : tokens_) {
      if (token.kind != Token::Kind::kWord) continue;
      if (is_one_of(kCaches, token.text)) add("caches:", AccessMode::kWrite);
      if (token.text == "PRIVILEGES") add("users:", AccessMode::kWrite);
      if (token.text == "LOGS" || token.text == "MASTER") add("logs:", AccessMode::kWrite);
    }
  }

  void prepared(const std::string& kind) {
    const size_t place = kind == "DEALLOCATE" || kind == "DROP" ? 2 : 1;
    if (kind == "DROP" && !is_word(tokens_, 1, "PREPARE")) return;
    if (place >= tokens_.size() || is_word(tokens_, 1, "IMMEDIATE")) return;
    const std::string name = lower(identifier(text_, tokens_[place]));
    if (name.empty()) return;
    add("prepared:" + name, kind == "EXECUTE" ? AccessMode::kRead : AccessMode::kWrite);
  }

  void global_settings() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!is_word(tokens_, i, "GLOBAL")) continue;
      const size_t name = i + (is_symbol(tokens_, i + 1, ".") ? 2 : 1);
      if (name < tokens_.size()) {
        add("global:" + lower(identifier(text_, tokens_[name])), AccessMode::kWrite);
      }
    }
  }

  // Every word that is a known name, or a variable.
  void words(bool writes) {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (is_symbol(tokens_, i, "@")) i = variable(i);
      if (i >= tokens_.size() || tokens_[i].kind == Token::Kind::kSymbol) continue;
      if (is_symbol(tokens_, i, ".")) continue;
      const Name name = name_at(text_, tokens_, i, database_);
      if (name.text.empty()) continue;
      if (is_symbol(tokens_, name.past, "(") && known_.routines.contains(lower(name.text))) {
        add("routine:" + lower(name.text), AccessMode::kRead);
      }
      if (known_.tables.contains(name.text)) table_word(name.text, writes);
      catalogue_word(name.text);
    }
  }

  void table_word(const std::string& name, bool writes) {
    static constexpr std::string_view kReaders[] = {
        "SELECT", "SHOW", "EXPLAIN", "DESC", "DESCRIBE", "CHECKSUM", "VALUES", "WITH", "HANDLER"};
    const bool reads = !writes || is_one_of(kReaders, first_word());
    add("table:" + name, reads ? AccessMode::kRead : AccessMode::kWrite);
  }

  // information_schema looks at the database's names.
  void catalogue_word(const std::string& name) {
    if (lower(name).starts_with("information_schema.")) {
      add("database:" + database_, AccessMode::kRead);
    }
  }

  bool is_user_at_host(size_t i) const {
    if (i == 0 || tokens_[i - 1].kind == Token::Kind::kSymbol) return false;
    return tokens_[i - 1].begin + tokens_[i - 1].length == tokens_[i].begin;
  }

  std::string first_word() const {
    for (const Token& token : tokens_) {
      if (token.kind == Token::Kind::kWord) return token.text;
    }
    return "";
  }

  // @name and @@name, at the first @; gives the place of the name.
  size_t variable(size_t i) {
    if (is_user_at_host(i)) return i + 1;
    const bool system = is_symbol(tokens_, i + 1, "@");
    size_t name = i + (system ? 2 : 1);
    if (system && is_symbol(tokens_, name + 1, ".")) name += 2;  // @@global.name
    if (name >= tokens_.size()) return name;
    const std::string text = lower(identifier(text_, tokens_[name]));
    const bool assigned = is_symbol(tokens_, name + 1, "=") || is_symbol(tokens_, name + 1, ":");
    const bool into = i > 0 && is_word(tokens_, i - 1, "INTO");
    const bool writes =
        (assigned && is_word(tokens_, 0, "SET")) || into || is_symbol(tokens_, name + 1, ":");
    if (system) {
      if (!writes) add("global:" + text, AccessMode::kRead);
    } else {
      add("variable:" + text, writes ? AccessMode::kWrite : AccessMode::kRead);
    }
    return name + 1;
  }

  std::string_view text_;
  Tokens tokens_;
  const std::string& database_;
  const KnownNames& known_;
  Accesses accesses_;
};

}  // namespace

void learn_names(std::string_view text, const std::string& database, KnownNames& known) {
  const std::vector<Token> tokens = tokens_of(text);
  if (!is_word(tokens, 0, "CREATE")) return;
  const size_t noun = noun_at(tokens);
  if (noun == tokens.size()) return;
  const size_t place = first_name_at(tokens, noun);
  const std::string name = name_at(text, tokens, place, database).text;
  const std::string& kind = tokens[noun].text;
  if (name.empty()) return;
  if (kind == "TABLE" || kind == "VIEW" || kind == "SEQUENCE") known.tables.insert(name);
  if (kind == "PROCEDURE" || kind == "FUNCTION") known.routines.insert(lower(name));
  if (kind == "TRIGGER") known.triggers[name] = table_after_on(text, tokens, place, database).text;
}

Accesses named_accesses(std::string_view text, const std::string& database, const KnownNames& known,
                        bool writes) {
  const std::vector<Token> tokens = tokens_of(text);
  return Namer(text, tokens, database, known).run(writes);
}

}  // namespace esox
