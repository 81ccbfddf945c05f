// SPDX-License-Identifier: Apache-2.0
// What is asked of a test's file before it is run: whether its statements alone are what it does.
// No interpreter: the words at the beginnings of its lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

// Why the test is not captured, a few words that many share; empty: it is. Tests that run programs,
// work on files, restart the server, replicate or need a debug build do what no input can do.
std::string reason_not_to_capture(std::string_view test_file);

// The server's options of a NAME.opt file; nothing if esox's servers cannot have them (paths,
// placeholders, logs and ports).
std::optional<std::vector<std::string>> options_of_test(std::string_view opt_file);

}  // namespace esox
