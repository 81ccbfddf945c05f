// SPDX-License-Identifier: Apache-2.0
// What a reproducer does (reproduce.json, docs/reproducing.md), for people: its story in the names
// of functions, and what to type into gdb instead.
//
// Pure. Throw nlohmann::json::exception for what is no reproducer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace esox {

// A line each: "B1 is sent, and held as it enters mysql_rename_table for the 2nd time."
std::vector<std::string> hold_story(const nlohmann::json& plan);

// gdb can hold one thread while all others run, by a call of sleep(). For one hold at a function
// with a name.
struct GdbHold {
  std::vector<std::string> before;  // requests that are answered before gdb is attached
  std::string command;              // "gdb ... -p PID ..."
  std::string request;              // that is held
  std::vector<std::string> during;  // others, while it is
};

inline constexpr int kGdbHoldSeconds = 20;

// An empty command: it takes more than one hold, or a place has no name.
GdbHold gdb_hold(const nlohmann::json& plan);

}  // namespace esox
