// SPDX-License-Identifier: Apache-2.0
// The storage engines of the tables that each request of an input touches, as the server spells
// them, by the input's own statements: a table is of all engines that some statement of the setup
// or of any client gives it (clients may come in any order); one without ENGINE is of the server's
// default, which --default-storage-engine among the options sets. A request touches what it names
// and what definitions tie to that: a view and its tables, a trigger and those it writes to, parent
// and child, old name and new. One that acts on what it does not name (SHOW TABLE STATUS) touches
// every table. Of a request that touches none nothing is said, and of no request if some statement
// sets another default or may make tables in a text that cannot be read here.
//
// Cautious: for a rule that is meant for some engines, an engine that is not known is none
// (filters/circumstances.h).

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/text/letters.h"
#include "inputs/engine.h"
#include "targets/sql/language.h"
#include "targets/sql/tokens.h"
#include "targets/sql/touched_tables.h"

namespace esox {
namespace {

constexpr std::string_view kDefaultOption = "default-storage-engine=";

// What a definition may make for others to name.
constexpr std::string_view kNamed[] = {"TABLE", "VIEW", "SEQUENCE", "FUNCTION", "PACKAGE"};
// Of these, what has an engine.
constexpr std::string_view kWithEngine[] = {"CREATE TABLE", "CREATE SEQUENCE", "ALTER TABLE",
                                            "ALTER SEQUENCE"};
constexpr std::string_view kMakers[] = {"CREATE TABLE", "CREATE SEQUENCE"};
// In whose text other statements stand.
constexpr std::string_view kHoldOthers[] = {"PREPARE",          "EXECUTE",         "SET",
                                            "CREATE PROCEDURE", "CREATE FUNCTION", "CREATE PACKAGE",
                                            "CREATE EVENT",     "CREATE TRIGGER",  "ALTER EVENT",
                                            "ALTER PROCEDURE",  "ALTER FUNCTION"};
// Words of one that makes tables, or of another engine than is seen; with TABLE, CREATE and ALTER.
constexpr std::string_view kOfEngines[] = {"DEFAULT_STORAGE_ENGINE", "STORAGE_ENGINE", "ENGINE"};

using Names = std::set<std::string>;  // in capitals

std::string spelled(const RequestLanguage& language, std::string name) {
  std::erase_if(name, [](char c) { return c == '\'' || c == '"' || c == '`'; });
  return known_engine(language, name).value_or(name);
}

// "--default-storage-engine=Aria", also with underscores.
std::string default_engine(const RequestLanguage& language, std::span<const std::string> options) {
  std::string engine = "InnoDB";
  for (std::string option : options) {
    std::replace(
        option.begin(),
        option.begin() + static_cast<std::ptrdiff_t>(std::min(option.find('='), option.size())),
        '_', '-');
    const size_t at = option.find(kDefaultOption);
    if (at != option.npos) engine = spelled(language, option.substr(at + kDefaultOption.size()));
  }
  return engine;
}

Names common(const Names& some, const Names& others) {
  Names both;
  std::ranges::set_intersection(some, others, std::inserter(both, both.end()));
  return both;
}

// PREPARE and EXECUTE IMMEDIATE of what is put together when they come.
bool is_put_together(Tokens tokens) {
  for (const std::string_view before : {"FROM", "IMMEDIATE"}) {
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!is_keyword(tokens[i], before)) continue;
      return tokens[i + 1].kind != Token::Kind::kQuoted || i + 2 != tokens.size();
    }
  }
  return false;
}

bool may_make_tables_unseen(const std::string& text, const std::string& kind, Tokens tokens) {
  const bool holds = is_one_of(kHoldOthers, kind);
  if (!holds && text.find(';') == text.npos) return false;
  if ((kind == "PREPARE" || kind == "EXECUTE") && is_put_together(tokens)) return true;
  const Names words = words_of(text);
  const bool defines = words.contains("CREATE") || words.contains("ALTER");
  const bool of_engines = std::ranges::any_of(
      kOfEngines, [&](std::string_view one) { return words.contains(std::string(one)); });
  return of_engines || (words.contains("TABLE") && defines);
}

// SET [SESSION] default_storage_engine = name, with nothing else: where the name is.
const Token* default_for_session(const std::string& kind, Tokens tokens) {
  if (kind != "SET" || tokens.size() < 4 || tokens.size() > 5) return nullptr;
  if (tokens.size() == 5 && tokens[1].text != "SESSION" && tokens[1].text != "LOCAL")
    return nullptr;
  const Tokens end = tokens.last(3);
  constexpr std::string_view kDefaults[] = {"DEFAULT_STORAGE_ENGINE", "STORAGE_ENGINE"};
  if (!is_one_of(kDefaults, end[0].text) || !is_symbol(end[1], "=")) return nullptr;
  const bool is_name = end[2].kind != Token::Kind::kSymbol && end[2].text != "DEFAULT";
  return is_name ? &end[2] : nullptr;
}

// A SET of one variable, without blanks: "@X=@@DEFAULT_STORAGE_ENGINE".
std::string assignment(const std::string& kind, Tokens tokens) {
  std::string text;
  for (size_t i = 1; kind == "SET" && i < tokens.size(); ++i) text += tokens[i].text;
  return text;
}

// CREATE TABLE t LIKE other, t (LIKE other): of the other's engine.
bool is_like(Tokens tokens, size_t after_name) {
  if (after_name < tokens.size() && is_symbol(tokens[after_name], "(")) ++after_name;
  return after_name < tokens.size() && is_keyword(tokens[after_name], "LIKE");
}

class TableEngines {
 public:
  TableEngines(const RequestLanguage& language, std::span<const std::string> options)
      : language_(language), of_server_(default_engine(language, options)), default_(of_server_) {}

  void begin_session() { default_ = of_server_; }

  void add(const std::string& text) {
    const std::string kind = statement_kind(text);
    const std::vector<Token> tokens = tokens_of(text);
    if (const Token* engine = default_for_session(kind, tokens)) {
      default_ = spelled(language_, text.substr(engine->begin, engine->length));
      return;
    }
    if (keeps_default(assignment(kind, tokens))) return;
    if (may_make_tables_unseen(text, kind, tokens)) known_ = false;
    const bool defines = kind.starts_with("CREATE") || kind.starts_with("ALTER");
    if (!defines && kind != "RENAME TABLE") return;
    const Subject subject = add_names(text, tokens);
    ties_.push_back(words_of(text));
    if (!is_one_of(kWithEngine, kind)) return;
    Names engines = named_engines(text, tokens);
    if (engines.empty() && is_one_of(kMakers, kind) && !is_like(tokens, subject.end)) {
      engines.insert(default_);
    }
    (subject.name.empty() ? of_any_ : of_name_[subject.name]).merge(engines);
  }

  std::vector<std::string> touched_by(const std::string& request) const {
    if (!known_) return {};
    Names engines = of_any_;
    const bool some = names_what_it_touches(request);
    const Names reached = some ? reached_from(common(words_of(request), names_)) : Names();
    for (const auto& [name, own] : of_name_) {
      if (!some || reached.contains(name)) engines.insert(own.begin(), own.end());
    }
    return {engines.begin(), engines.end()};
  }

  Names all() const {
    Names engines = of_any_;
    for (const auto& [name, own] : of_name_) engines.insert(own.begin(), own.end());
    return engines;
  }

 private:
  // SET @x=@@default_storage_engine, and SET default_storage_engine=@x after that: as a test does
  // that gives the default back. Who names another @x has not told what the default is.
  bool keeps_default(const std::string& assigned) {
    constexpr std::string_view kKeep = "=@@DEFAULT_STORAGE_ENGINE";
    constexpr std::string_view kGiveBack = "DEFAULT_STORAGE_ENGINE=@";
    if (assigned.starts_with("@") && assigned.ends_with(kKeep)) {
      kept_defaults_[assigned.substr(1, assigned.size() - 1 - kKeep.size())] = default_;
      return true;
    }
    if (!assigned.starts_with(kGiveBack)) return false;
    const auto kept = kept_defaults_.find(assigned.substr(kGiveBack.size()));
    if (kept == kept_defaults_.end()) return false;
    default_ = kept->second;
    return true;
  }

  // What a definition is of: its name, if that is plain, and the place after it.
  struct Subject {
    std::string name;
    size_t end = 0;
  };

  // Notes it, and the new names that it gives.
  Subject add_names(const std::string& text, Tokens tokens) {
    constexpr std::string_view kBetween[] = {"TABLE", "IF", "NOT", "EXISTS", "BODY", "TO", "AS"};
    std::optional<Subject> subject;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool is_subject = !subject && is_one_of(kNamed, tokens[i].text);
      if (!is_subject && !is_before_new_name(tokens, i)) continue;
      size_t at = i + 1;
      while (at < tokens.size() && is_one_of(kBetween, tokens[at].text)) ++at;
      if (at + 2 < tokens.size() && is_symbol(tokens[at + 1], ".")) at += 2;
      const std::string name = at < tokens.size() ? upper(identifier(text, tokens[at])) : "";
      if (is_subject) subject = Subject{is_plain_name(name) ? name : "", at + 1};
      if (is_plain_name(name)) names_.insert(name);
    }
    return subject.value_or(Subject{});
  }

  // RENAME TABLE ... TO, ALTER TABLE ... RENAME, ... CONVERT PARTITION p TO TABLE.
  static bool is_before_new_name(Tokens tokens, size_t i) {
    constexpr std::string_view kParts[] = {"COLUMN", "INDEX", "KEY"};
    const bool renames_table = is_keyword(tokens.front(), "RENAME");
    const std::string_view next = i + 1 < tokens.size() ? tokens[i + 1].text : std::string_view();
    if (is_keyword(tokens[i], "TO")) return renames_table || next == "TABLE";
    return is_keyword(tokens[i], "RENAME") && !renames_table && !is_one_of(kParts, next);
  }

  Names named_engines(const std::string& text, Tokens tokens) const {
    Names engines;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text != "ENGINE") continue;
      const size_t name = i + 1 < tokens.size() && tokens[i + 1].text == "=" ? i + 2 : i + 1;
      if (name >= tokens.size()) continue;
      engines.insert(spelled(language_, text.substr(tokens[name].begin, tokens[name].length)));
    }
    return engines;
  }

  Names reached_from(Names reached) const {
    for (size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const Names& tie : ties_) {
        if (!common(tie, reached).empty()) reached.merge(common(tie, names_));
      }
    }
    return reached;
  }

  const RequestLanguage& language_;
  const std::string of_server_;
  std::string default_;                               // of the session
  std::map<std::string, std::string> kept_defaults_;  // under the names of user variables
  Names names_;                                       // of tables, views and the like
  std::map<std::string, Names> of_name_;              // engines
  Names of_any_;                                      // of tables whose name is not plain
  std::vector<Names> ties_;                           // the words of each definition
  bool known_ = true;
};

TableEngines engines_of_tables(const Input& input, std::span<const std::string> options) {
  TableEngines engines(*input.language, options);
  for (const std::string& text : input.setup) engines.add(text);
  for (const InputClient& client : input.clients) {
    engines.begin_session();
    for (const std::string& text : client.setup) engines.add(text);
    for (const Request& request : client.requests) engines.add(request.text);
  }
  return engines;
}

}  // namespace

RequestEngines SqlLanguage::touched_engines(const Input& input,
                                            std::span<const std::string> options) const {
  const TableEngines engines = engines_of_tables(input, options);
  RequestEngines touched;
  for (const InputClient& client : input.clients) {
    auto& own = touched.emplace_back();
    for (const Request& request : client.requests) own.push_back(engines.touched_by(request.text));
  }
  return touched;
}

std::string SqlLanguage::engine_without_transactions(const Input& input) const {
  constexpr std::string_view kEngines[] = {"ARCHIVE", "ARIA",       "CSV",    "HEAP",
                                           "MEMORY",  "MRG_MYISAM", "MYISAM", "MERGE"};
  for (const std::string& engine : engines_of_tables(input, input.server_options).all()) {
    if (is_one_of(kEngines, upper(engine))) return engine;
  }
  return "";
}

}  // namespace esox
