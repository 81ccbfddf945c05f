// SPDX-License-Identifier: Apache-2.0
// Sync points added to the server's source, where its developers put none into the window: a line
// after each statement of the functions in which a thread is held, of which the one that works is
// kept as a patch.
//
// Found in the text, without a parser, by the layout of the source (a function ends at a brace in
// the first column). A line after a complete statement does not change what the others mean, and
// where it cannot stand the compiler says so (without_refused()).
//
// Pure.
#pragma once

#include <string>
#include <vector>

namespace esox {

struct AddedPoint {
  std::string name;  // "do_rename_405"
  size_t line = 0;   // after which it stands, from 1
  bool operator==(const AddedPoint&) const = default;
};

// After each statement of that function ("MDL_context::acquire_lock"), in every form of it that the
// text defines.
std::vector<AddedPoint> points_to_add(const std::string& text, const std::string& function);

// With them at the ends of their lines, so that all others keep their numbers.
std::string with_points(const std::string& text, const std::vector<AddedPoint>& points);
// Each on a line of its own, as a patch of `path` has it.
std::string with_point_lines(const std::string& text, const std::vector<AddedPoint>& points);
std::string patch_of(const std::string& path, const std::string& text,
                     const std::vector<AddedPoint>& points);

// Without those that the compiler's errors in this file are about: the one on the error's line, or
// the last one before it. Empty if there is no error to go by.
std::vector<AddedPoint> without_refused(const std::vector<AddedPoint>& points,
                                        const std::string& file, const std::string& compiler_said);

}  // namespace esox
