// SPDX-License-Identifier: Apache-2.0
// What a page of documentation shows: blocks, the lines that a reader would type, and where these
// call esox.
//
// Lines to type are those of blocks of the language `sh`; in other blocks, which show output, those
// behind a prompt, "$ ". What follows '#' explains. Running text names commands between backticks.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace esox {

struct Block {
  std::string language;     // "" of output
  std::string line_before;  // the last one with something on it
  size_t first_line = 0;    // the number of lines.front() in the page
  std::vector<std::string> lines;
};

std::vector<Block> blocks_of(const std::string& page);

struct ShownText {
  size_t line = 0;  // of its beginning
  std::string text;
};

// The lines to type of a block: continued ones made one, explanations left out.
std::vector<ShownText> typed_lines(const Block& block);

// What stands between backticks outside blocks, also over ends of lines.
std::vector<ShownText> quoted_texts(const std::string& page);

// The arguments of each call of esox in a line: "esox ...", "build/esox ...", also behind another
// command ("source <(esox ...)"). Of a synopsis, "[--times 20] ...", what is optional is taken as
// given. Redirections and what follows the command are left out.
std::vector<std::vector<std::string>> esox_calls(const std::string& line);

// All pages: names as "docs/filters.md", "README.md", and their texts. `sources` is the folder of
// esox's sources.
std::vector<std::pair<std::string, std::string>> all_pages(const std::string& sources);

}  // namespace esox
