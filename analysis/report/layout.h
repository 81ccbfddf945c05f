// SPDX-License-Identifier: Apache-2.0
// Fitting text into a page of fixed width. Widths count characters, not bytes.
#pragma once

#include <cstddef>
#include <string>

namespace esox {

inline constexpr size_t kReportWidth = 110;  // of a report in a terminal

size_t text_width(const std::string& text);
// Cut at the end or at the start, the cut marked by "...".
std::string keep_start(const std::string& text, size_t width);
std::string keep_end(const std::string& text, size_t width);
// Two texts that would look alike in that width, cut at the start to where they begin to differ;
// others as they are.
void show_difference(std::string& a, std::string& b, size_t width);
std::string padded(const std::string& text, size_t width);  // never cuts

// Breaks at spaces; every line begins with `indent` spaces. Words longer than a line stay whole.
std::string wrapped(const std::string& text, size_t width, size_t indent = 0);

// "Name: " followed by the text, broken so that following lines stand under the text.
std::string labelled(const std::string& label, const std::string& text, size_t width,
                     size_t indent);

}  // namespace esox
