// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/footer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/records/lines.h"

namespace esox {
namespace {

constexpr const char* kExamples = "Examples:";
constexpr const char* kExitStatus = "Exit status:";

using Lines = std::vector<std::string>;

std::vector<Lines> paragraphs_of(const std::string& text) {
  std::vector<Lines> paragraphs;
  bool open = false;
  for (const std::string& line : lines_of(text)) {
    if (line.empty()) {
      open = false;
      continue;
    }
    if (!open) paragraphs.emplace_back();
    open = true;
    paragraphs.back().push_back(line);
  }
  return paragraphs;
}

std::string joined(const Lines& lines) {
  return fmt::format("{}", fmt::join(lines, " "));
}

Lines without_indentation(Lines lines) {
  size_t common = std::string::npos;
  for (const std::string& line : lines) common = std::min(common, line.find_first_not_of(' '));
  for (std::string& line : lines) line.erase(0, std::min(common, line.size()));
  return lines;
}

// Where the next "3 " is that begins a status: at the beginning, or after a comma.
size_t next_status(const std::string& text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    const bool at_start = i == 0 || (i >= 2 && text[i - 2] == ',' && text[i - 1] == ' ');
    if (!at_start || !std::isdigit(static_cast<unsigned char>(text[i]))) continue;
    const size_t end = text.find_first_not_of("0123456789", i);
    if (end != std::string::npos && text[end] == ' ') return i;
  }
  return std::string::npos;
}

void read_statuses(std::string text, Footer& footer) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  if (!text.empty() && text.back() == '.') text.pop_back();
  size_t at = next_status(text, 0);
  if (at != 0) return footer.statuses.push_back({"", text});
  while (at != std::string::npos) {
    const size_t blank = text.find(' ', at);
    const size_t next = next_status(text, blank);
    const size_t end = next == std::string::npos ? text.size() : next - 2;
    footer.statuses.push_back(
        {text.substr(at, blank - at), text.substr(blank + 1, end - blank - 1)});
    at = next;
  }
}

}  // namespace

std::string examples_and_statuses(const std::string& text) {
  std::string kept;
  for (const Lines& paragraph : paragraphs_of(text)) {
    const std::string& first = paragraph.front();
    if (!first.starts_with(kExamples) && !first.starts_with(kExitStatus)) continue;
    if (!kept.empty()) kept += "\n";
    for (const std::string& line : paragraph) kept += line + "\n";
  }
  return kept;
}

Footer read_footer(const std::string& text) {
  Footer footer;
  for (Lines& paragraph : paragraphs_of(text)) {
    if (paragraph.front().starts_with(kExamples)) {
      paragraph.erase(paragraph.begin());
      for (std::string& line : without_indentation(std::move(paragraph))) {
        footer.examples.push_back(std::move(line));
      }
    } else if (paragraph.front().starts_with(kExitStatus)) {
      read_statuses(joined(paragraph).substr(std::string(kExitStatus).size()), footer);
    } else {
      footer.paragraphs.push_back(joined(paragraph));
    }
  }
  return footer;
}

}  // namespace esox
