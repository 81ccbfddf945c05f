// SPDX-License-Identifier: Apache-2.0
// The text below a command's options, taken apart: explanation, examples, exit status.
//
// Paragraphs are separated by empty lines. One that begins with "Examples:" holds command lines,
// one that begins with "Exit status:" numbers and their meanings, "0 done, 2 wrong use"; all others
// explain.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace esox {

struct Footer {
  std::vector<std::string> paragraphs;  // each one line
  std::vector<std::string> examples;    // each a line, indentation taken off
  // "0", "nothing found"; a text in another form has an empty number.
  std::vector<std::pair<std::string, std::string>> statuses;
};

// Its paragraphs of these two kinds, as they stand.
std::string examples_and_statuses(const std::string& text);

Footer read_footer(const std::string& text);

}  // namespace esox
