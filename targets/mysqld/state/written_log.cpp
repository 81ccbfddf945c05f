// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/written_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include "targets/mysqld/state/log_event.h"

namespace esox {
namespace {

constexpr size_t kGtidBytes = 8 + 4 + 1;  // sequence number, domain, flags
constexpr size_t kMysqlGtidBytes = 1;     // flags; then the name, who met whom, and the time

std::string_view without_numbers(std::string_view event) {
  if (event.size() < kEventHeaderBytes) return event;
  switch (type_of(event)) {
    case LogEventType::kXid:
      return event.substr(0, kEventHeaderBytes);
    case LogEventType::kGtid:
      return event.substr(0, kEventHeaderBytes + kGtidBytes);
    case LogEventType::kMysqlGtid:
    case LogEventType::kMysqlNoGtid:
      return event.substr(0, kEventHeaderBytes + kMysqlGtidBytes);
    default:
      return event;
  }
}

}  // namespace

WrittenLog read_written_log(const LogSpan& span, const std::filesystem::path& data) {
  WrittenLog log;
  log.position = span.position;
  log.gone = span.gone;
  log.unavailable = span.unavailable;
  uint64_t all = 0;
  for (const LogSpan::File& file : span.files) all += file.bytes;
  if (all > kMaxLogBytes) {
    log.unavailable =
        fmt::format("the binary log has {} bytes; at most {} are read", all, kMaxLogBytes);
  }
  for (const LogSpan::File& file : span.files) {
    if (log.gone || !log.unavailable.empty()) break;
    std::string bytes(file.bytes, '\0');
    std::ifstream stream(data / file.name, std::ios::binary);
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream) log.unavailable = fmt::format("the server's file {} cannot be read", file.name);
    log.files.push_back(std::move(bytes));
  }
  log.digest = digest_of(log);
  return log;
}

// Numbers of transactions, which say nothing of what they do, are left out: an event of COMMIT is
// nothing else, and one that begins a group may bear that of the group behind everything else.
Digest digest_of(const WrittenLog& log) {
  FieldEncoder fields;
  uint64_t begin = log.position;
  for (const std::string& file : log.files) {
    std::string_view rest = std::string_view(file).substr(std::min<size_t>(begin, file.size()));
    while (!rest.empty()) fields.append(without_numbers(take_event(rest)));
    fields.append("end of file");
    begin = kLogMagicBytes;
  }
  return digest_of(fields.bytes());
}

}  // namespace esox
