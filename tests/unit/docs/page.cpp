// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/docs/page.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFence = "```";
constexpr const char* kPrompt = "$ ";

// A shell's quotes and backslashes, one character after the other.
class Quoting {
 public:
  // Whether `c` stands for itself, and does not end or separate words.
  bool quotes(char c) {
    const bool was_quoted = escaped_ || quote_ != '\0';
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = true;
    } else if (quote_ != '\0') {
      if (c == quote_) quote_ = '\0';
    } else if (c == '\'' || c == '"') {
      quote_ = c;
    }
    return was_quoted || open();
  }
  bool open() const { return escaped_ || quote_ != '\0'; }

 private:
  char quote_ = '\0';
  bool escaped_ = false;
};

bool is_mark(char c) {
  return c == '\'' || c == '"' || c == '\\';
}

std::string without_explanation(const std::string& line) {
  Quoting quoting;
  std::string kept;
  for (const char c : line) {
    const bool begins_word = kept.empty() || kept.back() == ' ';
    if (!quoting.quotes(c) && c == '#' && begins_word) break;
    kept += c;
  }
  kept.erase(kept.find_last_not_of(' ') + 1);
  return kept;
}

// Whether a line of a shell goes on in the next one.
bool goes_on(const std::string& line) {
  Quoting quoting;
  for (const char c : line) quoting.quotes(c);
  return quoting.open();
}

std::string joined(std::string line, const std::string& next) {
  if (line.ends_with('\\')) line.pop_back();
  line.erase(line.find_last_not_of(' ') + 1);
  return line + " " + next.substr(std::min(next.size(), next.find_first_not_of(' ')));
}

// The words of one command that begins the text, up to what ends it or takes its output.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  Quoting quoting;
  const auto end_word = [&] {
    if (!word.empty() && word != "...") words.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    const bool quoted = quoting.quotes(c);
    if (quoted && !is_mark(c)) {
      word += c;
    } else if (std::string(";|<>&)`").find(c) != std::string::npos) {
      break;
    } else if (c == ' ') {
      end_word();
    } else if (!is_mark(c) && c != '[' && c != ']') {
      word += c;
    }
  }
  end_word();
  return words;
}

void add_quoted(const std::string& paragraph, size_t line, std::vector<ShownText>& texts) {
  size_t begin = paragraph.find('`');
  while (begin != std::string::npos) {
    const size_t end = paragraph.find('`', begin + 1);
    if (end == std::string::npos) return;
    std::string text = paragraph.substr(begin + 1, end - begin - 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    const auto ends_before = std::count(paragraph.begin(), paragraph.begin() + begin, '\n');
    texts.push_back({line + static_cast<size_t>(ends_before), text});
    begin = paragraph.find('`', end + 1);
  }
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<Block> blocks_of(const std::string& page) {
  std::istringstream text(page);
  std::vector<Block> blocks;
  bool inside = false;
  std::string before;
  size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.starts_with(kFence)) {
      if (!inside) blocks.push_back({line.substr(3), before, number + 1, {}});
      inside = !inside;
    } else if (inside) {
      blocks.back().lines.push_back(line);
    } else if (!line.empty()) {
      before = line;
    }
  }
  return blocks;
}

std::vector<ShownText> typed_lines(const Block& block) {
  std::vector<ShownText> shown;
  bool continues = false;
  for (size_t i = 0; i < block.lines.size(); ++i) {
    std::string line = block.lines[i];
    const bool prompt = line.starts_with(kPrompt);
    if (block.language != "sh" && !prompt && !continues) continue;
    if (prompt) line.erase(0, std::string(kPrompt).size());
    line = without_explanation(line);
    if (continues) {
      shown.back().text = joined(shown.back().text, line);
    } else if (!line.empty()) {
      shown.push_back({block.first_line + i, line});
    }
    continues = !shown.empty() && goes_on(shown.back().text);
  }
  return shown;
}

std::vector<ShownText> quoted_texts(const std::string& page) {
  std::istringstream text(page);
  std::vector<ShownText> texts;
  bool inside = false;
  std::string paragraph;
  size_t number = 0, begun = 1;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const bool fence = line.starts_with(kFence);
    if (fence || inside || line.empty()) {
      add_quoted(paragraph, begun, texts);
      paragraph.clear();
      begun = number + 1;
      if (fence) inside = !inside;
    } else {
      paragraph += line + "\n";
    }
  }
  add_quoted(paragraph, begun, texts);
  return texts;
}

std::vector<std::vector<std::string>> esox_calls(const std::string& line) {
  // A path only where a command begins: "--home-dir /var/lib/esox" calls nothing.
  static const std::regex kCall("((^|[(;|&] *)[^ '\"();]*/|(^|[ (;'\"]))esox (?=[a-z]|--[a-z])");
  std::vector<std::vector<std::string>> calls;
  for (std::sregex_iterator it(line.begin(), line.end(), kCall), end; it != end; ++it) {
    calls.push_back(words_of(line.substr(static_cast<size_t>(it->position() + it->length()))));
  }
  return calls;
}

std::vector<std::pair<std::string, std::string>> all_pages(const std::string& sources) {
  std::vector<std::pair<std::string, std::string>> pages;
  for (const auto& entry : fs::directory_iterator(fs::path(sources) / "docs")) {
    if (entry.path().extension() != ".md") continue;
    pages.emplace_back("docs/" + entry.path().filename().string(), text_of(entry.path()));
  }
  pages.emplace_back("README.md", text_of(fs::path(sources) / "README.md"));
  std::sort(pages.begin(), pages.end());
  return pages;
}

}  // namespace esox
