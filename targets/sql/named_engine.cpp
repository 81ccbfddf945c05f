// SPDX-License-Identifier: Apache-2.0
// The storage engine of an input whose statements name one themselves (ENGINE=MyISAM), where an
// input made for several has ${engine}: as the server spells it, if all tables that the setup and
// the requests make are of it; a table without ENGINE is of the server's default, which
// --default-storage-engine among the options sets. Empty if there are several, or none, or if a
// statement's text is put together elsewhere, is more than one, or sets another default.
//
// Cautious: for a rule that is meant for one engine, an engine that is not known is none
// (filters/circumstances.h).

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/text/letters.h"
#include "inputs/engine.h"
#include "targets/sql/language.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr std::string_view kDefaultOption = "default-storage-engine=";

// Of which nobody can see here what tables they make.
constexpr std::string_view kTextFromElsewhere[] = {"PREPARE", "EXECUTE", "CALL"};

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

class Engines {
 public:
  Engines(const RequestLanguage& language, std::span<const std::string> options)
      : language_(language), default_(default_engine(language, options)) {}

  void add(const std::string& text) {
    const std::string kind = statement_kind(text);
    const std::vector<Token> tokens = tokens_of(text);
    bool named = false;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const std::string& word = tokens[i].text;
      if (word == "DEFAULT_STORAGE_ENGINE" || word == "STORAGE_ENGINE") known_ = false;
      if (word != "ENGINE") continue;
      const size_t name = i + 1 < tokens.size() && tokens[i + 1].text == "=" ? i + 2 : i + 1;
      if (name >= tokens.size()) continue;
      named = true;
      engines_.insert(spelled(language_, text.substr(tokens[name].begin, tokens[name].length)));
    }
    const bool elsewhere = std::any_of(
        std::begin(kTextFromElsewhere), std::end(kTextFromElsewhere), [&](std::string_view one) {
          return kind == one || kind.starts_with(std::string(one) + " ");
        });
    if (elsewhere || text.find(';') != text.npos) known_ = false;
    const bool like = std::any_of(tokens.begin(), tokens.end(),
                                  [](const Token& token) { return token.text == "LIKE"; });
    if (kind == "CREATE TABLE" && !named && !like) engines_.insert(default_);
  }

  std::string only() const { return known_ && engines_.size() == 1 ? *engines_.begin() : ""; }
  const std::set<std::string>& all() const { return engines_; }

 private:
  const RequestLanguage& language_;
  std::string default_;
  std::set<std::string> engines_;
  bool known_ = true;
};

Engines engines_of_tables(const Input& input, std::span<const std::string> options) {
  Engines engines(*input.language, options);
  for (const std::string& text : input.setup) engines.add(text);
  for (const InputClient& client : input.clients) {
    for (const std::string& text : client.setup) engines.add(text);
    for (const Request& request : client.requests) engines.add(request.text);
  }
  return engines;
}

}  // namespace

std::string SqlLanguage::named_engine(const Input& input,
                                      std::span<const std::string> options) const {
  return engines_of_tables(input, options).only();
}

std::string SqlLanguage::engine_without_transactions(const Input& input) const {
  constexpr std::string_view kEngines[] = {"ARCHIVE", "ARIA",       "CSV",    "HEAP",
                                           "MEMORY",  "MRG_MYISAM", "MYISAM", "MERGE"};
  const Engines engines = engines_of_tables(input, input.server_options);
  for (const std::string& engine : engines.all()) {
    if (is_one_of(kEngines, upper(engine))) return engine;
  }
  return "";
}

}  // namespace esox
