// SPDX-License-Identifier: Apache-2.0
// See summary_parts.h.
#include "inputs/summary_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "inputs/input_error.h"
#include "inputs/spelling.h"

namespace esox {
namespace {

// Statements about programs in the server, or calls of one, have one of these words.
constexpr std::array<std::string_view, 6> kAboutPrograms = {"TRIGGER", "PROCEDURE", "FUNCTION",
                                                            "EVENT",   "CALL",      "PACKAGE"};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool has_word_about_programs(const std::string& statement) {
  const auto same_letter = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == b;
  };
  return std::any_of(kAboutPrograms.begin(), kAboutPrograms.end(), [&](std::string_view word) {
    return std::search(statement.begin(), statement.end(), word.begin(), word.end(), same_letter) !=
           statement.end();
  });
}

bool may_have_programs(const Input& input) {
  const auto some = [](const std::vector<std::string>& statements) {
    return std::any_of(statements.begin(), statements.end(), has_word_about_programs);
  };
  return some(input.setup) ||
         std::any_of(input.clients.begin(), input.clients.end(), [&](const InputClient& client) {
           return some(client.setup) ||
                  std::any_of(client.requests.begin(), client.requests.end(),
                              [](const Request& one) { return has_word_about_programs(one.text); });
         });
}

}  // namespace

std::string summary_complaint(const std::string& text) {
  if (text.empty() || text == "auto" || text == "all" || text == "basic") return {};
  for (const std::string& part : split(text)) {
    if (std::find(kSummaryParts.begin(), kSummaryParts.end(), part) != kSummaryParts.end())
      continue;
    return fmt::format("{} is no part of the state{}; give auto, all, basic, or some of {}",
                       in_quotes(part), spelling_hint(part, kSummaryParts),
                       fmt::join(kSummaryParts, ","));
  }
  return {};
}

bool has_summary_part(const Input& input, std::string_view part) {
  const std::string& choice = input.summary;
  if (choice == "basic") return false;
  if (choice == "all") return true;
  if (choice.empty() || choice == "auto") return part != "programs" || may_have_programs(input);
  const std::vector<std::string> parts = split(choice);
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace esox
