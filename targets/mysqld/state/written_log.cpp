// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/written_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

namespace esox {
namespace {

// An event's header: time (4 bytes), type (1), server (4), size (4), end (4), flags (2); all
// little-endian.
constexpr size_t kTypeAt = 4;
constexpr size_t kSizeAt = 9;
constexpr size_t kHeaderBytes = 19;
constexpr size_t kMagicBytes = 4;  // of a file
constexpr unsigned char kXid = 16;
constexpr unsigned char kGtid = 162;      // MariaDB's
constexpr size_t kGtidBytes = 8 + 4 + 1;  // sequence number, domain, flags
constexpr unsigned char kMysqlGtid = 33;  // and without a name, 34
constexpr unsigned char kMysqlNoGtid = 34;
constexpr size_t kMysqlGtidBytes = 1;  // flags; then the name, who met whom, and the time

// Everything that is left, where there is no whole event.
size_t event_size(std::string_view rest) {
  if (rest.size() < kHeaderBytes) return rest.size();
  size_t size = 0;
  for (size_t i = 4; i-- > 0;) size = size << 8 | static_cast<unsigned char>(rest[kSizeAt + i]);
  return size < kHeaderBytes || size > rest.size() ? rest.size() : size;
}

std::string_view without_numbers(std::string_view event) {
  if (event.size() < kHeaderBytes) return event;
  const auto type = static_cast<unsigned char>(event[kTypeAt]);
  if (type == kXid) return event.substr(0, kHeaderBytes);
  if (type == kGtid) return event.substr(0, kHeaderBytes + kGtidBytes);
  if (type == kMysqlGtid || type == kMysqlNoGtid)
    return event.substr(0, kHeaderBytes + kMysqlGtidBytes);
  return event;
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
    while (!rest.empty()) {
      const size_t size = event_size(rest);
      fields.append(without_numbers(rest.substr(0, size)));
      rest.remove_prefix(size);
    }
    fields.append("end of file");
    begin = kMagicBytes;
  }
  return digest_of(fields.bytes());
}

}  // namespace esox
