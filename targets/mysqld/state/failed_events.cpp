// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/failed_events.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace esox {
namespace {

constexpr const char* kLog = "server.log";
constexpr std::string_view kError = "[ERROR]";
constexpr std::string_view kWho = "Event Scheduler: [";

// Empty where there is no log, or it cannot be looked at.
std::uintmax_t size_of(const std::filesystem::path& log) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(log, error);
  return error ? 0 : size;
}

std::optional<FailedTask> failed_event(std::string_view line) {
  const size_t who = line.find(kWho);
  if (who == line.npos || line.substr(0, who).find(kError) == line.npos) return std::nullopt;
  line.remove_prefix(who + kWho.size());
  const size_t name = line.find("][");
  if (name == line.npos) return std::nullopt;
  line.remove_prefix(name + 2);
  const size_t end = line.find("] ");
  if (end == line.npos) return std::nullopt;
  return FailedTask{std::string(line.substr(0, end)), std::string(line.substr(end + 2))};
}

}  // namespace

std::vector<FailedTask> failed_events_in(std::string_view log) {
  std::vector<FailedTask> failed;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    if (auto one = failed_event(log.substr(0, end))) failed.push_back(std::move(*one));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return failed;
}

void FailedEvents::begin() {
  from_ = size_of(folder_ / kLog);
}

std::vector<FailedTask> FailedEvents::read() const {
  if (size_of(folder_ / kLog) <= from_) return {};
  std::ifstream log(folder_ / kLog, std::ios::binary);
  log.seekg(static_cast<std::streamoff>(from_));
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  return failed_events_in(text);
}

}  // namespace esox
