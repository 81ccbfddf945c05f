// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/added_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <string_view>

namespace esox {
namespace {

constexpr size_t kContextLines = 3;  // of a patch

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_blank(char letter) {
  return std::isspace(static_cast<unsigned char>(letter)) != 0;
}

// Comments, strings and what is for the preprocessor, as blanks: the rest is code, and stands where
// it stood.
std::string code_of(const std::string& text) {
  std::string code = text;
  bool in_line = false;  // something but blanks was in this line
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    return to;
  };
  const auto line_end = [&](size_t at) {
    size_t end = text.find('\n', at);
    while (end != std::string::npos && end > 0 && text[end - 1] == '\\') {
      end = text.find('\n', end + 1);
    }
    return std::min(end, text.size());
  };
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i, 2);
    if (rest == "//" || (text[i] == '#' && !in_line)) {
      i = blank(i, line_end(i));
    } else if (rest == "/*") {
      i = blank(i, std::min(text.find("*/", i + 2), text.size() - 2) + 2);
    } else if (text[i] == '"' || text[i] == '\'') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      in_line = true;
      i = blank(i + 1, end) + 1;
    } else {
      in_line = text[i] != '\n' && (in_line || !is_blank(text[i]));
      ++i;
    }
  }
  return code;
}

size_t after_blanks(const std::string& code, size_t at) {
  while (at < code.size() && is_blank(code[at])) ++at;
  return at;
}

// The brace that belongs to `at`'s; the text's end if there is none.
size_t after_closing(const std::string& code, size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == '(') ++depth;
    if (code[at] == ')' && --depth == 0) return at + 1;
  }
  return code.size();
}

struct Body {
  size_t begin = 0;  // its brace
  size_t end = 0;
};

// Where the name stands at the beginning of a definition: not within another function, and before
// its parameters a brace comes after them sooner than a semicolon.
std::vector<Body> bodies_of(const std::string& code, const std::string& function) {
  std::vector<Body> bodies;
  for (size_t at = code.find(function); at != std::string::npos;
       at = code.find(function, at + function.size())) {
    const size_t line = at == 0 ? 0 : code.rfind('\n', at - 1) + 1;
    const bool begins = at == 0 || (!is_name_letter(code[at - 1]) && code[at - 1] != ':' &&
                                    code[at - 1] != '.' && code[at - 1] != '>');
    const size_t parameters = after_blanks(code, at + function.size());
    if (!begins || is_blank(code[line]) || parameters >= code.size() || code[parameters] != '(') {
      continue;
    }
    const size_t brace = code.find_first_of("{;", after_closing(code, parameters));
    if (brace == std::string::npos || code[brace] == ';') continue;
    const size_t end = code.find("\n}", brace);
    if (end != std::string::npos) bodies.push_back({brace, end});
  }
  return bodies;
}

std::string word_at(const std::string& code, size_t at) {
  size_t end = at;
  while (end < code.size() && is_name_letter(code[end])) ++end;
  return code.substr(at, end - at);
}

// A statement of its own can follow here.
bool can_follow(const std::string& code, size_t at) {
  static const std::set<std::string> kGoesOn = {"else", "while", "catch"};
  at = after_blanks(code, at);
  return at < code.size() &&
         std::string_view(",;)=.?:&|<>+-*/").find(code[at]) == std::string::npos &&
         !kGoesOn.contains(word_at(code, at));
}

// A brace that begins a list, a class or a switch, in which no statement stands.
bool begins_no_block(const std::string& code, size_t brace) {
  static const std::regex kOther(R"((=\s*$)|\b(struct|class|union|enum|switch)\b)");
  size_t begin = brace;
  while (begin > 0 && std::string_view(";{}").find(code[begin - 1]) == std::string::npos) --begin;
  return std::regex_search(code.substr(begin, brace - begin), kOther);
}

size_t line_of(const std::string& text, size_t at) {
  return 1 +
         static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

std::string name_of_point(const std::string& function, size_t line) {
  std::string name;
  for (const char letter : function) name += is_name_letter(letter) ? letter : '_';
  return fmt::format("{}_{}", name, line);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string statement_of(const AddedPoint& point) {
  return fmt::format("DEBUG_SYNC_C(\"{}\");", point.name);
}

// As far in as what comes next.
std::string line_of_its_own(const std::vector<std::string>& lines, const AddedPoint& point) {
  std::string like = lines[point.line - 1];
  for (size_t i = point.line; i < lines.size(); ++i) {
    const size_t first = lines[i].find_first_not_of(" \t");
    if (first == std::string::npos || lines[i][first] == '#') continue;
    if (lines[i][first] != '}') like = lines[i];
    break;
  }
  return like.substr(0, std::min(like.find_first_not_of(" \t"), like.size())) + statement_of(point);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append("\n");
  return text;
}

}  // namespace

std::vector<AddedPoint> points_to_add(const std::string& text, const std::string& function) {
  const std::string code = code_of(text);
  std::vector<AddedPoint> points;
  for (const Body& body : bodies_of(code, function)) {
    int depth = 0;  // of parentheses
    for (size_t at = body.begin; at < body.end; ++at) {
      if (code[at] == '(') ++depth;
      if (code[at] == ')') depth = std::max(0, depth - 1);
      const bool ends = code[at] == ';' || code[at] == '}' || code[at] == '{';
      const size_t next = code.find_first_not_of(" \t", at + 1);
      if (!ends || depth > 0 || next == std::string::npos || code[next] != '\n' ||
          !can_follow(code, next) || (code[at] == '{' && begins_no_block(code, at))) {
        continue;
      }
      const size_t line = line_of(text, at);
      points.push_back({name_of_point(function, line), line});
    }
  }
  return points;
}

std::string with_points(const std::string& text, const std::vector<AddedPoint>& points) {
  std::vector<std::string> lines = lines_of(text);
  const std::string code = code_of(text);
  const std::vector<std::string> coded = lines_of(code);
  for (const AddedPoint& point : points) {
    // Before a comment, which may go on in the next line.
    const size_t end = coded[point.line - 1].find_last_not_of(" \t") + 1;
    lines[point.line - 1].insert(end, " " + statement_of(point));
  }
  return joined(lines);
}

std::string with_point_lines(const std::string& text, const std::vector<AddedPoint>& points) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<std::string> with;
  for (size_t i = 0; i < lines.size(); ++i) {
    with.push_back(lines[i]);
    for (const AddedPoint& point : points) {
      if (point.line == i + 1) with.push_back(line_of_its_own(lines, point));
    }
  }
  return joined(with);
}

std::string patch_of(const std::string& path, const std::string& text,
                     const std::vector<AddedPoint>& points) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<AddedPoint> ordered = points;
  std::sort(ordered.begin(), ordered.end(),
            [](const AddedPoint& a, const AddedPoint& b) { return a.line < b.line; });
  std::string patch = fmt::format("--- a/{0}\n+++ b/{0}\n", path);
  size_t added = 0;
  for (size_t i = 0; i < ordered.size();) {
    // What lies near is one piece.
    size_t last = i;
    while (last + 1 < ordered.size() &&
           ordered[last + 1].line <= ordered[last].line + 2 * kContextLines) {
      ++last;
    }
    const size_t from = ordered[i].line - std::min(kContextLines, ordered[i].line - 1);
    const size_t to = std::min(lines.size(), ordered[last].line + kContextLines);
    const size_t here = last - i + 1;
    patch += fmt::format("@@ -{},{} +{},{} @@\n", from, to - from + 1, from + added,
                         to - from + 1 + here);
    for (size_t line = from; line <= to; ++line) {
      patch += fmt::format(" {}\n", lines[line - 1]);
      for (size_t k = i; k <= last; ++k) {
        if (ordered[k].line == line) {
          patch += fmt::format("+{}\n", line_of_its_own(lines, ordered[k]));
        }
      }
    }
    added += here;
    i = last + 1;
  }
  return patch;
}

std::vector<AddedPoint> without_refused(const std::vector<AddedPoint>& points,
                                        const std::string& file, const std::string& compiler_said) {
  static const std::regex kSaid(R"(^([^:\s]+):(\d+):\d+: (error|warning|note): (in expansion)?)",
                                std::regex::multiline);
  std::set<size_t> refused;
  bool of_error = false;
  for (std::sregex_iterator said(compiler_said.begin(), compiler_said.end(), kSaid), end;
       said != end; ++said) {
    const std::string kind = (*said)[3];
    if (kind != "note") of_error = kind == "error";
    const bool is_place = kind == "error" || (of_error && (*said)[4].matched);
    if (!is_place || (*said)[1] != file) continue;
    const size_t line = std::stoul((*said)[2]);
    const auto here = std::ranges::find(points, line, &AddedPoint::line);
    size_t before = line;
    if (here == points.end()) {
      before = 0;
      for (const AddedPoint& point : points) {
        if (point.line < line) before = std::max(before, point.line);
      }
    }
    refused.insert(before);
  }
  if (refused.empty()) return {};
  std::vector<AddedPoint> left;
  std::copy_if(points.begin(), points.end(), std::back_inserter(left),
               [&](const AddedPoint& point) { return !refused.contains(point.line); });
  return left;
}

}  // namespace esox
