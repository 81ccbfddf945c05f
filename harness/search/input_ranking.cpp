// SPDX-License-Identifier: Apache-2.0
#include "harness/search/input_ranking.h"

#include <fmt/format.h>

#include <sstream>
#include <unordered_map>

#include "base/yaml/file_text.h"

namespace esox {
namespace {

constexpr std::string_view kNoEngine = "-";

bool fits(const RankingLine& line, const ConcreteInput& input) {
  if (!line.engine.empty() && line.engine != input.engine &&
      !(line.engine == kNoEngine && input.engine.empty())) {
    return false;
  }
  return line.setting.empty() || line.setting == input.setting;
}

std::string what_it_names(const RankingLine& line) {
  std::string text = in_quotes(line.input);
  if (!line.engine.empty()) text += fmt::format(" on {}", in_quotes(line.engine));
  if (!line.setting.empty()) text += fmt::format(" under {}", in_quotes(line.setting));
  return text;
}

}  // namespace

std::vector<RankingLine> parse_ranking(std::string_view text, const std::string& file) {
  if (text.size() > kMaxRankingBytes) {
    throw InputError(file, 0, fmt::format("is longer than {} MB", kMaxRankingBytes >> 20));
  }
  std::vector<RankingLine> order;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string one; std::getline(lines, one);) {
    ++number;
    std::istringstream words(one);
    RankingLine line;
    std::string more;
    words >> line.input >> line.engine >> line.setting >> more;
    if (line.input.empty() || line.input.front() == '#') continue;
    if (!more.empty()) {
      throw InputError(file, number,
                       fmt::format("{} is one word too many; a line is INPUT [ENGINE [SETTING]]",
                                   in_quotes(more)));
    }
    line.line = number;
    order.push_back(std::move(line));
  }
  return order;
}

std::vector<ConcreteInput> in_order(std::vector<ConcreteInput> inputs,
                                    const std::filesystem::path& file) {
  const std::string text = file_text(file, kMaxRankingBytes, "a file of input ids, a line each");
  std::unordered_map<std::string, std::vector<size_t>> by_id;
  for (size_t i = 0; i < inputs.size(); ++i) by_id[inputs[i].input.id].push_back(i);
  std::vector<bool> taken(inputs.size());
  std::vector<ConcreteInput> ordered;
  for (const RankingLine& line : parse_ranking(text, file.string())) {
    bool known = false;
    for (const size_t i : by_id[line.input]) {
      const bool wanted = taken[i] || fits(line, inputs[i]);
      known = known || wanted;
      if (!wanted || taken[i]) continue;
      taken[i] = true;
      ordered.push_back(std::move(inputs[i]));
    }
    if (known) continue;
    throw InputError(
        file.string(), line.line,
        fmt::format("{} is none of this hunt's inputs; remove the line", what_it_names(line)));
  }
  if (ordered.empty()) {
    throw InputError(file.string(), 0, "names no input; write an input's id on a line");
  }
  return ordered;
}

std::string ranking_line(const InputKey& key) {
  std::string line = key.input + " " + (key.engine.empty() ? std::string(kNoEngine) : key.engine);
  if (!key.setting.empty()) line += " " + key.setting;
  return line;
}

}  // namespace esox
