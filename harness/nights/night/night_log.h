// SPDX-License-Identifier: Apache-2.0
// log.jsonl: what happened in a night, one JSON object a line:
//
//   {"at":"2026-11-22T02:00:07Z","s":7.021,"event":"stage
//   begun","stage":"stable-default-shipped",...}
//
// `s` are the night's seconds (night_clock.h). A line is written whole or not at all; one that a
// killed night left half written is cut off when the log is opened again. Where the disk is full,
// lines are lost, and the next one that fits says how many.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/process/unique_fd.h"

namespace esox {

class NightLog {
 public:
  // `seconds` gives the night's. Throws OutError.
  NightLog(const std::filesystem::path& file, std::function<double()> seconds);

  // `fields` is an object. Never throws.
  void write(const std::string& event, const std::string& stage,
             const nlohmann::ordered_json& fields);
  void write(const std::string& event);
  // The same, on the disk when this returns.
  void write_through(const std::string& event, const std::string& stage,
                     const nlohmann::ordered_json& fields);

 private:
  void mend();
  bool append(const std::string& line);

  UniqueFd file_;
  std::function<double()> seconds_;
  uint64_t lost_ = 0;
};

}  // namespace esox
