// SPDX-License-Identifier: Apache-2.0
#include "filters/expiry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "base/text/input_error.h"

namespace esox {
namespace {

constexpr const char* kForm = "dddd-dd-dd";

bool has_form(const std::string& text) {
  const std::string form = kForm;
  return std::ranges::equal(text, form, [](char c, char f) {
    return f == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == f;
  });
}

}  // namespace

std::optional<std::string> date_of(const std::string& text) {
  if (!has_form(text)) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(std::stoi(text.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(std::stoi(text.substr(5, 2)))),
      std::chrono::day(static_cast<unsigned>(std::stoi(text.substr(8, 2))))};
  if (!date.ok()) return std::nullopt;
  return text;
}

std::vector<const Rule*> expired(const RuleSet& rules, const std::string& today) {
  std::vector<const Rule*> over;
  for (const Rule& rule : rules.rules) {
    if (!rule.expires.empty() && rule.expires < today) over.push_back(&rule);
  }
  return over;
}

void refuse_expired(const RuleSet& rules, const std::string& today) {
  const std::vector<const Rule*> over = expired(rules, today);
  if (over.empty()) return;
  const Rule& first = *over.front();
  throw InputError(
      "", 0,
      fmt::format("{}: rule {} of {} expired on {}{}; look at what it hides (esox "
                  "filters test), then give it a new date or remove it",
                  first.origin, in_quotes(first.name), first.owner, first.expires,
                  over.size() == 1 ? "" : fmt::format(", and {} more with it", over.size() - 1)));
}

}  // namespace esox
