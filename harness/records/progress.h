// SPDX-License-Identifier: Apache-2.0
// The progress of a hunt as one line: redrawn on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "harness/records/report.h"

namespace esox {

// "12/33 inputs, 340 executions, 6.1/s, 2 findings, 5 degraded, 1m12s left"
std::string progress_text(const HuntReport& report);

// "2h05m", "1m12s", "9s".
std::string duration_text(double seconds);

// Used by one thread.
class Progress {
 public:
  explicit Progress(std::FILE* stream);

  // Draws if it is time to: a terminal's line every 200 ms, a plain line every 10 s.
  void show(const HuntReport& report);
  void show(const std::string& text);  // what is done after the hunt
  // A line of its own, above the progress.
  void say(const std::string& line);
  // Removes the terminal's line.
  void clear();

 private:
  void put(const std::string& text);

  std::FILE* stream_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace esox
