// SPDX-License-Identifier: Apache-2.0
// See sql_script.h. One forward pass; every step goes on by at least one byte.
#include "targets/sql/import/sql_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text/input_error.h"
#include "base/text/letters.h"
#include "base/text/utf8.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kNowhere = std::string_view::npos;
constexpr size_t kMostUseBytes = 256;  // names have up to 64 letters

// No statement of the server begins with one of these.
constexpr std::string_view kClientCommands[] = {
    "CHARSET", "CONNECT", "EDIT",   "EXIT",   "NOPAGER", "NOTEE", "NOWARNING",
    "PAGER",   "PROMPT",  "REHASH", "SOURCE", "SYSTEM",  "TEE"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Splitter {
 public:
  Splitter(std::string_view text, const std::string& file)
      : text_(text), file_(file), marks_(file) {}

  ImportScript run() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    while (at_ < text_.size()) step();
    if (executable_depth_ > 0) fail(executable_line_, "an executable comment never ends; add */");
    finish();
    return std::move(script_);
  }

 private:
  [[noreturn]] void fail(int line, std::string_view message) const {
    throw InputError(file_, line, message);
  }

  bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  void step() {
    const char c = text_[at_];
    if (line_begins_ && !is_space(c) && command_line()) return;
    if (executable_depth_ == 0 && starts(delimiter_)) {
      finish();
      at_ += delimiter_.size();
    } else if (executable_depth_ == 0 && (starts("\\g") || starts("\\G"))) {
      finish();
      at_ += 2;
    } else if (is_space(c)) {
      blank(c);
    } else if (c == '#' || is_dash_comment()) {
      line_comment(c == '#' ? 1 : 2);
    } else if (starts("/*")) {
      comment();
    } else if (executable_depth_ > 0 && starts("*/")) {
      --executable_depth_;
      take(2);
    } else if (c == '\'' || c == '"' || c == '`') {
      quoted_text(c);
    } else {
      take(1);
    }
  }

  // What only the beginning of a line can be. True: it was, and has been dealt with.
  bool command_line() {
    line_begins_ = false;
    if (executable_depth_ > 0) return false;
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    const auto* const past = std::ranges::find_if_not(line, is_word);
    const std::string word = upper(line.substr(0, static_cast<size_t>(past - line.begin())));
    if (word == "DELIMITER" && past != line.end() && is_space(*past)) {
      finish();
      set_delimiter(line.substr(word.size()));
    } else if (begin_ != kNowhere) {
      return false;
    } else if (line.size() > 2 && line.starts_with("--") && !is_dash_comment() &&
               !starts(delimiter_)) {
      ++script_.left_out["a line for mysqltest"];
    } else if (is_one_of(kClientCommands, word)) {
      ++script_.left_out["a command of the client (" + word + ")"];
    } else {
      return false;
    }
    at_ = end;
    return true;
  }

  void set_delimiter(std::string_view rest) {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    const auto* const past = std::ranges::find_if(rest, is_space);
    const std::string_view word = rest.substr(0, static_cast<size_t>(past - rest.begin()));
    if (word.empty() || word.size() > kMaxDelimiterBytes ||
        word.find_first_of("\\'\"`") != kNowhere) {
      fail(line_, fmt::format("a delimiter cannot be {}; use up to {} bytes without quotes and "
                              "backslashes",
                              in_quotes(word), kMaxDelimiterBytes));
    }
    delimiter_ = word;
  }

  void blank(char c) {
    ++at_;
    if (c != '\n') return;
    ++line_;
    line_begins_ = true;
    if (is_whole_use()) finish();
  }

  bool is_whole_use() const {
    if (begin_ == kNowhere || executable_depth_ > 0) return false;
    const std::string_view text = text_.substr(begin_, end_ - begin_);
    if (text.size() > kMostUseBytes) return false;
    const std::vector<Token> tokens = tokens_of(text);
    return tokens.size() == 2 && tokens[0].text == "USE";
  }

  // As the server has it: 1--1 is arithmetic.
  bool is_dash_comment() const {
    if (!starts("--")) return false;
    return at_ + 2 >= text_.size() || static_cast<unsigned char>(text_[at_ + 2]) <= ' ';
  }

  void line_comment(size_t sign) {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    marks_.read(text_.substr(at_ + sign, end - at_ - sign), line_);
    at_ = end;
  }

  void comment() {
    if (starts("/*!") || starts("/*M!")) {
      if (executable_depth_++ == 0) executable_line_ = line_;
      return take(text_[at_ + 2] == '!' ? 3 : 4);
    }
    const size_t end = text_.find("*/", at_ + 2);
    if (end == kNowhere) fail(line_, "a comment that begins here never ends; add */");
    go_on_to(end + 2);
  }

  void quoted_text(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) {
      end += text_[end] == '\\' && quote != '`' ? 2 : 1;
    }
    if (end >= text_.size()) {
      fail(line_,
           fmt::format("a text that begins here with {} never ends; add another one", quote));
    }
    take(end + 1 - at_);
  }

  // So many bytes belong to the statement.
  void take(size_t bytes) {
    if (begin_ == kNowhere) {
      begin_ = at_;
      begin_line_ = line_;
    }
    line_begins_ = false;
    go_on_to(at_ + bytes);
    end_ = at_;
  }

  void go_on_to(size_t end) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<ptrdiff_t>(at_),
                                         text_.begin() + static_cast<ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void finish() {
    if (begin_ == kNowhere) return;
    std::string text = trim_statement(text_.substr(begin_, end_ - begin_));
    begin_ = kNowhere;
    executable_depth_ = 0;
    if (statement_kind(text).empty()) {
      ++script_.left_out["nothing to be run between two delimiters"];
      return;
    }
    marks_.saw_request();
    if (script_.requests.size() == kMaxScriptRequests) {
      fail(begin_line_, fmt::format("more than {} statements; split the file", kMaxScriptRequests));
    }
    script_.requests.push_back({std::move(text), begin_line_, marks_.part()});
  }

  std::string_view text_;
  const std::string& file_;
  PartMarks marks_;
  ImportScript script_;
  std::string delimiter_ = ";";
  size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;  // nothing but blanks since its beginning
  size_t begin_ = kNowhere;  // of the statement at hand
  size_t end_ = 0;           // after its last word so far
  int begin_line_ = 0;
  int executable_depth_ = 0;
  int executable_line_ = 0;
};

}  // namespace

ImportScript read_sql_script(std::string_view text, const std::string& file) {
  if (text.size() > kMaxScriptBytes) {
    throw InputError(file, 0, fmt::format("is larger than {} MB; split it", kMaxScriptBytes >> 20));
  }
  const size_t wrong = find_invalid_utf8(text);
  if (wrong != kNowhere) {
    const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(wrong), '\n');
    throw InputError(file, static_cast<int>(lines) + 1,
                     fmt::format("byte 0x{:02x} is not UTF-8; save the file as UTF-8 (dumps of "
                                 "binary data: with --hex-blob)",
                                 static_cast<unsigned char>(text[wrong])));
  }
  return Splitter(text, file).run();
}

}  // namespace esox
