// SPDX-License-Identifier: Apache-2.0
#include "harness/records/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/report/layout.h"
#include "base/text/counted.h"

namespace esox {
namespace {

constexpr std::chrono::milliseconds kRedraw{200};
constexpr std::chrono::seconds kPlain{10};

// What of the budget or, without one, of the planned executions is left.
std::optional<double> seconds_left(const HuntReport& report) {
  const double rate = report.executions_per_second();
  std::optional<double> left;
  if (rate > 0) left = static_cast<double>(report.planned - report.executions) / rate;
  if (report.budget_s) left = std::min(left.value_or(HUGE_VAL), *report.budget_s - report.seconds);
  return left;
}

size_t columns_of(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(0.0, std::round(seconds)));
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

std::string progress_text(const HuntReport& report) {
  std::string text =
      fmt::format("{}/{} inputs, {} executions, {:.1f}/s, {}, {} degraded", report.touched,
                  report.explorations, report.executions, report.executions_per_second(),
                  counted(report.findings.size(), "finding"), report.degraded);
  if (const auto left = seconds_left(report))
    text += fmt::format(", {} left", duration_text(*left));
  return text;
}

Progress::Progress(std::FILE* stream) : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

void Progress::show(const HuntReport& report) {
  show(progress_text(report));
}

void Progress::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? std::chrono::milliseconds(kRedraw) : kPlain)) return;
  last_ = now;
  if (!terminal_) {
    put(text + "\n");
  } else {
    // Carriage return, text, erase to the end of the line.
    put("\r" + keep_start(text, columns_of(stream_) - 1) + "\x1b[K");
    drawn_ = true;
  }
}

void Progress::say(const std::string& line) {
  clear();
  put(line + "\n");
}

void Progress::clear() {
  if (!drawn_) return;
  put("\r\x1b[K");
  drawn_ = false;
}

// Nobody listening any more is no reason to end a hunt: errors are not looked at.
void Progress::put(const std::string& text) {
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
}

}  // namespace esox
