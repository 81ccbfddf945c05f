// SPDX-License-Identifier: Apache-2.0
// A reader of Prometheus' text format that refuses what the format does not allow.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace esox {

struct Sample {
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct Exposition {
  std::map<std::string, std::vector<Sample>> samples;  // by metric
  std::map<std::string, std::string> types;
  std::map<std::string, std::string> helps;
  std::string error;  // of the first line that is wrong; empty: none
};

Exposition read_exposition(const std::string& text);

}  // namespace esox
