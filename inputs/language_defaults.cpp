// SPDX-License-Identifier: Apache-2.0
// The answers of request_language.h that a target need not give.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/input_error.h"
#include "base/text/letters.h"
#include "inputs/input.h"
#include "inputs/request_language.h"

namespace esox {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(kBlanks); at != text.npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

class PlainLanguage final : public RequestLanguage {
  std::string_view server() const override { return ""; }
};

}  // namespace

std::string RequestLanguage::trimmed(std::string_view text) const {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

std::string RequestLanguage::complaint(std::string_view text) const {
  return text.find('\n') == text.npos ? "" : "a request is one line; write each on its own";
}

std::string RequestLanguage::kind(std::string_view text) const {
  const std::vector<std::string_view> words = words_of(text);
  return words.empty() ? "" : upper(words.front());
}

std::string RequestLanguage::kind_complaint(std::string_view kind_named) const {
  const std::string known = kind(kind_named);
  if (known == kind_named && !known.empty()) return "";
  return fmt::format("no request is of the kind {}{}", in_quotes(kind_named),
                     known.empty() ? "" : fmt::format("; write {}", in_quotes(known)));
}

std::vector<std::string> RequestLanguage::names(std::string_view text) const {
  std::vector<std::string> names;
  const std::vector<std::string_view> words = words_of(text);
  for (size_t i = 1; i < words.size(); ++i) names.push_back(lower(words[i]));
  return names;
}

std::string RequestLanguage::shape(const Input& input) const {
  std::map<std::string, size_t> numbers;
  std::string shape;
  for (const InputClient& client : input.clients) {
    for (const Request& request : client.requests) {
      shape += kind(request.text);
      for (const std::string& name : names(request.text)) {
        shape += fmt::format(" #{}", numbers.emplace(name, numbers.size() + 1).first->second);
      }
      shape += "; ";
    }
    shape += "| ";
  }
  return shape;
}

const RequestLanguage& plain_language() {
  static const PlainLanguage language;
  return language;
}

}  // namespace esox
