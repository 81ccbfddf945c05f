// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/client.h"

#include <charconv>
#include <sstream>

#include "summaries/identities.h"
#include "targets/memcached/request.h"

namespace esox {
namespace {

constexpr uint32_t kError = 1;
constexpr uint32_t kClientError = 2;
constexpr uint32_t kServerError = 3;

uint32_t error_of(const std::string& line) {
  if (line == "ERROR") return kError;
  if (line.starts_with("CLIENT_ERROR")) return kClientError;
  if (line.starts_with("SERVER_ERROR")) return kServerError;
  return 0;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

// The request as it is sent: {cas} filled in, lines ended.
std::string MemcachedClient::with_unique(const std::string& text) const {
  const MemcachedRequest request = memcached_request(text);
  std::string line;
  for (const std::string& word : request.words) {
    if (!line.empty()) line += ' ';
    if (word != kCasPlaceholder) {
      line += word;
      continue;
    }
    const auto known = request.keys.empty() ? uniques_.end() : uniques_.find(request.keys[0]);
    line += known == uniques_.end() ? "0" : known->second;
  }
  line += "\r\n";
  return request.stores ? line + request.data + "\r\n" : line;
}

// The first time, what the client knows is what it shall know whenever it goes on.
bool MemcachedClient::continue_on(int fd) {
  if (!SocketClient::continue_on(fd)) return false;
  if (!kept_uniques_) kept_uniques_ = uniques_;
  uniques_ = *kept_uniques_;
  return true;
}

void MemcachedClient::exchange(const Request& request, Output& output) {
  send_all(with_unique(request.text));
  const MemcachedRequest sent = memcached_request(request.text);
  const MemcachedReply form = sent.reply;
  std::string line = read_line();
  output.error = error_of(line);
  if (output.error != 0) {
    output.message = line;
  } else if (form == MemcachedReply::kValues) {
    read_values(std::move(line), gives_unique(sent), output);
  } else if (form == MemcachedReply::kStatistics) {
    read_statistics(std::move(line), output);
  } else {
    output.info = line;
  }
}

// VALUE key flags bytes [unique], data, ..., END.
void MemcachedClient::read_values(std::string line, bool unique, Output& output) {
  ResultSet result;
  result.columns = {{"key", "text"}, {"flags", "number"}, {"value", "text"}};
  if (unique) result.columns.push_back({"unique", kIdentityType});
  for (; line != "END"; line = read_line()) {
    const std::vector<std::string> words = split(line);
    size_t bytes = 0;
    if (words.size() != result.columns.size() + 1 || words[0] != "VALUE" ||
        std::from_chars(words[3].data(), words[3].data() + words[3].size(), bytes).ec !=
            std::errc()) {
      throw Lost("a reply that is none: " + line);
    }
    Row row = {words[1], words[2], read_bytes(bytes)};
    read_line();  // what ends the data
    if (unique) {
      row.emplace_back(words[4]);
      uniques_[words[1]] = words[4];
    }
    result.rows.push_back(std::move(row));
  }
  output.results.push_back(std::move(result));
}

void MemcachedClient::read_statistics(std::string line, Output& output) {
  ResultSet result;
  result.columns = {{"name", "text"}, {"value", "text"}};
  for (; line != "END" && line != "RESET"; line = read_line()) {
    const std::vector<std::string> words = split(line);
    if (words.size() < 2 || words[0] != "STAT") throw Lost("a reply that is none: " + line);
    result.rows.push_back({words[1], words.size() > 2 ? words[2] : ""});
  }
  output.results.push_back(std::move(result));
}

}  // namespace esox
