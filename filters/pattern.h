// SPDX-License-Identifier: Apache-2.0
// A regular expression and what to put in place of what it matches.
//
// By PCRE2: its syntax is that of MariaDB's own REGEXP, and its work can be bounded by a number of
// steps. A bound by the clock would let a busy machine decide a verdict; without any, a pattern
// like (a+)+$ could hang a hunt. A text on which the bound is reached, or which is longer than
// kMaxPatternText, is not changed, and the caller is told: then nothing is forgiven by it.
//
// Texts are bytes, for replies need not be UTF-8; `.` does not match a line's end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace esox {

inline constexpr size_t kMaxPatternBytes = 1000;
inline constexpr size_t kMaxPatternText = 64 << 10;

// what() says what is wrong with the pattern, without a place.
class PatternError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Pattern {
 public:
  // Throws PatternError.
  explicit Pattern(const std::string& text);

  const std::string& text() const { return text_; }

  // `in` with each match replaced by `placeholder`, taken literally. nullopt: the bound was
  // reached.
  std::optional<std::string> replaced(const std::string& in, const std::string& placeholder) const;

  // Whether it matches somewhere in `in`. nullopt: the bound was reached.
  std::optional<bool> found_in(const std::string& in) const;

  // Whether it matches the whole of `in`; false if the bound was reached.
  bool matches_whole(const std::string& in) const;

 private:
  struct Compiled;
  std::string text_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace esox
