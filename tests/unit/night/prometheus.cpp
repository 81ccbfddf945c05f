// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/night/prometheus.h"

#include <regex>
#include <set>
#include <sstream>

namespace esox {
namespace {

// A label's value, escapes resolved, from behind its first quote; false: it does not end.
bool read_value(const std::string& line, size_t& at, std::string& value) {
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\') {
      value += line[at];
      continue;
    }
    if (++at >= line.size()) return false;
    if (line[at] != '\\' && line[at] != '"' && line[at] != 'n') return false;
    value += line[at] == 'n' ? '\n' : line[at];
  }
  return at++ < line.size();
}

bool read_labels(const std::string& line, size_t& at, Sample& sample) {
  static const std::regex kName("^([a-zA-Z_][a-zA-Z0-9_]*)=\"");
  while (at < line.size() && line[at] != '}') {
    std::smatch match;
    const std::string rest = line.substr(at);
    if (!std::regex_search(rest, match, kName)) return false;
    at += match.length();
    std::string value;
    if (!read_value(line, at, value)) return false;
    if (!sample.labels.emplace(match[1], value).second) return false;
    if (at < line.size() && line[at] == ',') ++at;
  }
  return at++ < line.size();
}

bool read_number(const std::string& text, double& value) {
  static const std::regex kNumber("[+-]?([0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?|Inf)|NaN");
  if (!std::regex_match(text, kNumber)) return false;
  value = std::stod(text);
  return true;
}

class Reader {
 public:
  Exposition read(const std::string& text) {
    if (!text.empty() && text.back() != '\n') read_.error = "no newline at the end";
    std::istringstream lines(text);
    for (std::string line; read_.error.empty() && std::getline(lines, line);) {
      if (!(line.starts_with("# ") ? comment(line) : sample(line))) read_.error = line;
    }
    return read_;
  }

 private:
  bool comment(const std::string& line) {
    static const std::regex kHelp("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    static const std::regex kType(
        "# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (gauge|counter|histogram|summary|untyped)");
    std::smatch match;
    if (std::regex_match(line, match, kHelp)) {
      return begin(match[1]) && read_.helps.emplace(match[1], match[2]).second;
    }
    return std::regex_match(line, match, kType) && match[1] == current_ &&
           read_.types.emplace(match[1], match[2]).second;
  }

  // Lines of one metric stand together.
  bool begin(const std::string& metric) {
    current_ = metric;
    return ended_.insert(metric).second;
  }

  bool sample(const std::string& line) {
    static const std::regex kMetric("^[a-zA-Z_:][a-zA-Z0-9_:]*");
    std::smatch match;
    if (!std::regex_search(line, match, kMetric) || match[0] != current_) return false;
    size_t at = static_cast<size_t>(match.length());
    Sample sample;
    if (at < line.size() && line[at] == '{' && !read_labels(line, ++at, sample)) return false;
    if (at >= line.size() || line[at++] != ' ') return false;
    if (!read_number(line.substr(at), sample.value)) return false;
    for (const Sample& other : read_.samples[current_]) {
      if (other.labels == sample.labels) return false;
    }
    read_.samples[current_].push_back(sample);
    return true;
  }

  Exposition read_;
  std::string current_;
  std::set<std::string> ended_;
};

}  // namespace

Exposition read_exposition(const std::string& text) {
  return Reader().read(text);
}

}  // namespace esox
