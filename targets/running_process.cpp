// SPDX-License-Identifier: Apache-2.0
#include "targets/running_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/log_file.h"

namespace esox {

using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMostLimits = 10;

// 0: it is not there.
uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

RunningProcess::RunningProcess(const ProcessPlan& plan, std::string socket)
    : socket_(std::move(socket)), log_(plan.log), program_(plan.program.string()), process_(plan) {}

bool RunningProcess::wait_for_end(std::chrono::milliseconds limit) {
  return process_.wait(limit).has_value();
}

std::string RunningProcess::exit_text() {
  const auto ended = process_.wait(0ms);
  return ended ? text_of(*ended) : std::string();
}

std::string RunningProcess::log_tail(size_t lines) const {
  return tail_of(log_, lines);
}

void RunningProcess::wait_until(const std::function<bool()>& ready,
                                std::chrono::milliseconds limit) {
  const auto give_up = [&](const std::string& what) {
    const std::string why = complaint_of(log_);
    throw ServerError(fmt::format("{} {}{}{}", program_, what, why.empty() ? "" : ": ", why),
                      tail_of(log_, 20));
  };
  const auto last_end = Clock::now() + kMostLimits * limit;
  auto end = Clock::now() + limit;
  uintmax_t said = 0;
  while (!ready()) {
    if (const auto ended = process_.wait(1ms)) give_up("died at start (" + text_of(*ended) + ")");
    const uintmax_t size = size_of(log_);
    if (size != said) end = std::min(last_end, Clock::now() + limit);
    said = size;
    if (Clock::now() > end) give_up(fmt::format("was not ready within {} ms", limit.count()));
  }
}

}  // namespace esox
