// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/versions.h"

#include <algorithm>

#include "base/text/number.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

bool is_plain_word(std::string_view text) {
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         std::ranges::all_of(text, is_word_character);
}

// Takes one token after the other, as long as they are what is expected.
class Form {
 public:
  explicit Form(std::string_view statement) : text_(statement), tokens_(tokens_of(statement)) {}

  // Words in capitals and symbols, one blank between them.
  Form& expect(std::string_view expected) {
    while (!expected.empty()) {
      const size_t blank = std::min(expected.find(' '), expected.size());
      ok_ = ok_ && next_is(expected.substr(0, blank));
      ++at_;
      expected.remove_prefix(std::min(blank + 1, expected.size()));
    }
    return *this;
  }
  bool next_is(std::string_view word) const {
    return at_ < tokens_.size() && tokens_[at_].kind != Token::Kind::kQuoted &&
           !tokens_[at_].member && tokens_[at_].text == word;
  }
  // The same, if it is there.
  bool take(std::string_view expected) {
    Form ahead = *this;
    if (!ahead.expect(expected).ok_) return false;
    *this = ahead;
    return true;
  }
  Form& name(std::string& name) {
    const bool is_name = at_ < tokens_.size() && tokens_[at_].kind == Token::Kind::kWord;
    ok_ = ok_ && is_name;
    if (is_name) name = written();
    ++at_;
    return *this;
  }
  Form& number(uint64_t& number) {
    const std::optional<uint64_t> found =
        at_ < tokens_.size() ? number_of<uint64_t>(written()) : std::nullopt;
    ok_ = ok_ && found;
    number = found.value_or(0);
    ++at_;
    return *this;
  }
  // Between single quotes.
  Form& quoted(std::string& inside) {
    const std::string_view all = at_ < tokens_.size() ? written() : std::string_view();
    const bool is_quoted = all.size() > 2 && all.front() == '\'' && all.back() == '\'';
    ok_ = ok_ && is_quoted;
    if (is_quoted) inside = all.substr(1, all.size() - 2);
    ++at_;
    return *this;
  }
  Form& set_name(std::string& name) {
    quoted(name);
    ok_ = ok_ && is_plain_word(name);
    return *this;
  }
  bool at_end() const { return ok_ && at_ == tokens_.size(); }
  bool fits() const { return ok_; }
  // Whether the rest holds no such symbol.
  bool lacks(std::string_view symbol) const {
    return std::none_of(tokens_.begin() + static_cast<ptrdiff_t>(std::min(at_, tokens_.size())),
                        tokens_.end(),
                        [&](const Token& token) { return is_symbol(token, symbol); });
  }

 private:
  std::string_view written() const { return text_.substr(tokens_[at_].begin, tokens_[at_].length); }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  bool ok_ = true;
};

// What locks rows at the end of a SELECT and asks for nothing else.
void take_lock(Form& form) {
  if (form.take("ORDER BY ID")) form.take("ASC");
  if (form.take("FOR UPDATE") || form.take("FOR SHARE")) return;
  form.take("LOCK IN SHARE MODE");
}

}  // namespace

std::optional<uint64_t> appended_element(std::string_view statement) {
  const std::vector<Token> tokens = tokens_of(statement);
  std::optional<uint64_t> found;
  for (size_t i = 0; i + 5 < tokens.size(); ++i) {
    if (!is_keyword(tokens[i], "CONCAT")) continue;
    const Token& value = tokens[i + 4];
    const std::string_view quoted = statement.substr(value.begin, value.length);
    const bool to_itself =
        i > 1 && is_symbol(tokens[i - 1], "=") && tokens[i - 2].text == tokens[i + 2].text;
    const bool is_plain = to_itself && is_symbol(tokens[i + 1], "(") &&
                          is_symbol(tokens[i + 3], ",") && is_symbol(tokens[i + 5], ")") &&
                          quoted.size() > 3;
    if (found || !is_plain || quoted.substr(0, 2) != "'," || quoted.back() != '\'') {
      return std::nullopt;
    }
    found = number_of<uint64_t>(quoted.substr(2, quoted.size() - 3));
    if (!found) return std::nullopt;
  }
  return found;
}

std::optional<ListStep> register_write(std::string_view statement) {
  Form form(statement);
  std::string table;
  std::string column;
  std::string value;
  form.expect("UPDATE").name(table);
  if (form.take("FORCE INDEX (")) form.name(column).expect(")");
  form.expect("SET").name(column).expect("=").quoted(value);
  const bool last = form.at_end() || (form.next_is("WHERE") && form.lacks(","));
  const size_t sign = std::min(value.find('='), value.size());
  const std::string name = value.substr(0, sign);
  const std::optional<uint64_t> element =
      number_of<uint64_t>(std::string_view(value).substr(std::min(sign + 1, value.size())));
  if (!form.fits() || !last || !is_plain_word(name) || !element) return std::nullopt;
  return ListStep{ListUse::kWrites, *element, name};
}

std::optional<ListStep> row_change(std::string_view statement) {
  ListStep step{ListUse::kChangesRow};
  Form insertion(statement);
  insertion.expect("INSERT INTO").name(step.table);
  insertion.take("( ID , S )");
  insertion.expect("VALUES (").number(step.element).expect(",").set_name(step.name).expect(")");
  if (insertion.at_end()) return step;
  Form move(statement);
  move.expect("UPDATE").name(step.table).expect("SET S =").set_name(step.name);
  if (move.expect("WHERE ID =").number(step.element).at_end()) return step;
  Form removal(statement);
  step.name.clear();
  removal.expect("DELETE FROM").name(step.table).expect("WHERE ID =").number(step.element);
  return removal.at_end() ? std::optional(step) : std::nullopt;
}

ListStep rows_read(std::string_view select) {
  ListStep step{ListUse::kReads};
  Form form(select);
  form.expect("SELECT ID , S FROM").name(step.table);
  std::string word;
  if (form.take("FORCE INDEX (")) form.name(word).expect(")");
  if (form.take("WHERE S =")) {
    form.set_name(step.sets.emplace_back());
  } else if (form.take("WHERE S IN (")) {
    do {
      form.set_name(step.sets.emplace_back());
    } while (form.take(","));
    form.expect(")");
  }
  take_lock(form);
  return form.at_end() ? step : ListStep{ListUse::kReads};
}

}  // namespace esox
