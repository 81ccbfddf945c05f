// SPDX-License-Identifier: Apache-2.0
// See written_log.h.
#include "summaries/mariadb/written_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

namespace esox {

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
  return log;
}

Digest digest_of(const WrittenLog& log) {
  FieldEncoder fields;
  uint64_t begin = log.position;
  for (const std::string& file : log.files) {
    fields.append(std::string_view(file).substr(std::min<size_t>(begin, file.size())));
    begin = 0;
  }
  return digest_of(fields.bytes());
}

}  // namespace esox
