// SPDX-License-Identifier: Apache-2.0
// docs/troubleshooting.md tells of messages that esox has: each stands in the sources as it is
// quoted there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTellingBytes = 8;  // shorter pieces between dots may stand anywhere

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// All sources, with literals that continue on the next line made one.
std::string sources() {
  std::string all;
  for (const char* room :
       {"analysis", "base", "filters", "harness", "inputs", "preload", "summaries", "targets"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ESOX_SOURCES) / room)) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);) {
        line.erase(0, line.find_first_not_of(' '));
        const bool goes_on = all.ends_with("\"\n") && line.starts_with('"');
        if (goes_on) all.resize(all.size() - 2);
        all += line.substr(goes_on ? 1 : 0) + "\n";
      }
    }
  }
  return all;
}

// What stands between backticks in lines that name messages: "**`...`**" and rows of tables.
std::vector<std::string> quoted_messages(const std::string& page) {
  std::vector<std::string> messages;
  std::istringstream lines(page);
  const std::regex quoted("`([^`]+)`");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `")) line = line.substr(0, line.find('|', 1));
    if (!line.starts_with("**`") && !line.starts_with("| `")) continue;
    for (std::sregex_iterator it(line.begin(), line.end(), quoted), end; it != end; ++it) {
      messages.push_back((*it)[1]);
    }
  }
  return messages;
}

std::vector<std::string> pieces_of(const std::string& message) {
  std::vector<std::string> pieces;
  size_t begin = 0;
  while (begin < message.size()) {
    const size_t end = std::min(message.find("...", begin), message.size());
    std::string piece = message.substr(begin, end - begin);
    if (piece.size() >= kTellingBytes) pieces.push_back(piece);
    begin = end + 3;
  }
  return pieces;
}

TEST(Troubleshooting, QuotesMessagesThatEsoxHas) {
  const auto messages =
      quoted_messages(text_of(fs::path(ESOX_SOURCES) / "docs/troubleshooting.md"));
  ASSERT_GE(messages.size(), 30u);
  const std::string all = sources();
  for (const std::string& message : messages) {
    for (const std::string& piece : pieces_of(message)) {
      EXPECT_NE(all.find(piece), std::string::npos) << message << ": " << piece;
    }
  }
}

}  // namespace
}  // namespace esox
