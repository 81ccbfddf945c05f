// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/client.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <vector>

#include "base/text/number.h"
#include "summaries/garbled.h"
#include "summaries/identities.h"
#include "targets/memcached/meta_flags.h"

namespace esox {
namespace {

constexpr uint32_t kError = 1;
constexpr uint32_t kClientError = 2;
constexpr uint32_t kServerError = 3;

constexpr std::string_view kQuietEnd =
    "MN";  // the reply to what the client sends after a quiet one

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

// -1, which means never, stays. A time that has passed is told as one of 32 bits below zero, and
// which one it is depends on how long the server has been running.
std::string in_steps(const std::string& seconds, bool up) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const std::optional<int64_t> value = number_of<int64_t>(seconds);
  if (!value || *value < 0) return seconds;
  if (*value > kMost) return ">" + std::to_string(kMost);
  return std::to_string((*value + (up ? kClockStep_s - 1 : 0)) / kClockStep_s * kClockStep_s);
}

// The line that a meta command is answered with.
struct MetaLine {
  std::string code;
  std::optional<size_t> bytes;  // of the value that follows
  std::vector<std::string> flags;

  // What a flag says, as it is compared; NULL: the reply has none.
  Cell flag(char letter) const {
    const auto found =
        std::ranges::find_if(flags, [&](const std::string& one) { return one[0] == letter; });
    if (found == flags.end()) return {};
    const std::string token = found->substr(1);
    return letter == 't' ? in_steps(token, true) : letter == 'l' ? in_steps(token, false) : token;
  }

  Cell marks() const {
    std::string all;
    for (const char* mark : {"W", "X", "Z"}) {
      if (std::ranges::find(flags, mark) != flags.end()) all += mark;
    }
    return all.empty() ? Cell{} : Cell{all};
  }
};

MetaLine meta_line(const std::string& line) {
  MetaLine told;
  told.flags = split(line);
  if (told.flags.empty()) return told;
  told.code = std::move(told.flags[0]);
  told.flags.erase(told.flags.begin());
  if (told.code != "VA" || told.flags.empty()) return told;
  const std::optional<int64_t> bytes = number_of<int64_t>(told.flags[0]);
  if (bytes && *bytes >= 0) told.bytes = static_cast<size_t>(*bytes);
  told.flags.erase(told.flags.begin());
  return told;
}

}  // namespace

// {cas} filled in, lines ended.
std::string MemcachedClient::as_sent(const MemcachedRequest& request) const {
  std::string line;
  for (const std::string& word : request.words) {
    if (!line.empty()) line += ' ';
    if (!word.ends_with(kCasPlaceholder)) {
      line += word;
      continue;
    }
    line += word.substr(0, word.size() - kCasPlaceholder.size());
    const auto known = request.keys.empty() ? uniques_.end() : uniques_.find(request.keys[0]);
    line += known == uniques_.end() ? "0" : known->second;
  }
  line += "\r\n";
  if (request.stores) line += request.data + "\r\n";
  return request.quiet() ? line + "mn\r\n" : line;
}

// The first time, what the client knows is what it shall know whenever it goes on.
bool MemcachedClient::continue_on(int fd) {
  if (!SocketClient::continue_on(fd)) return false;
  if (!kept_uniques_) kept_uniques_ = uniques_;
  uniques_ = *kept_uniques_;
  return true;
}

void MemcachedClient::exchange(const Request& request, Output& output) {
  for (const std::string& one : memcached_requests(request.text)) {
    exchange_one(memcached_request(one), output);
    if (output.error != 0) return;
  }
}

void MemcachedClient::exchange_one(const MemcachedRequest& sent, Output& output) {
  if (has_unread()) throw Lost("the server said more than it was asked for");
  send_all(as_sent(sent));
  std::string line = read_line();
  if (sent.quiet() && line == kQuietEnd) {
    output.info = "nothing, as asked";
    return;
  }
  read_reply(std::move(line), sent, output);
  if (!sent.quiet()) return;
  line = read_line();
  if (line != kQuietEnd) throw Lost(std::string(kGarbled) + line);
}

void MemcachedClient::read_reply(std::string line, const MemcachedRequest& sent, Output& output) {
  output.error = error_of(line);
  if (output.error == kError && sent.stores) {
    throw Lost("the server knows no " + sent.command + ", and took its data for a request");
  }
  if (output.error != 0) {
    output.message = line;
    return;
  }
  switch (sent.reply) {
    case MemcachedReply::kValues:
      return read_values(std::move(line), gives_unique(sent), output);
    case MemcachedReply::kStatistics:
      return read_statistics(std::move(line), output);
    case MemcachedReply::kMeta:
      return read_meta(line, sent, output);
    case MemcachedReply::kMetaDebug:
      return read_meta_debug(line, output);
    case MemcachedReply::kLine:
      if (!is_reply_line(sent, line)) throw Lost(std::string(kGarbled) + line);
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
    const int64_t bytes = words.size() > 3 ? number_of<int64_t>(words[3]).value_or(-1) : -1;
    if (words.size() != result.columns.size() + 1 || words[0] != "VALUE" || bytes < 0) {
      throw Lost(std::string(kGarbled) + line);
    }
    Row row = {words[1], words[2], read_bytes(static_cast<size_t>(bytes))};
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
    if (words.size() < 2 || words[0] != "STAT") throw Lost(std::string(kGarbled) + line);
    result.rows.push_back({words[1], words.size() > 2 ? words[2] : ""});
  }
  output.results.push_back(std::move(result));
}

// CODE [bytes] flags, and data if the code is VA.
void MemcachedClient::read_meta(const std::string& line, const MemcachedRequest& sent,
                                Output& output) {
  const MetaLine told = meta_line(line);
  if (told.code.size() != 2 || (told.code == "VA" && !told.bytes)) {
    throw Lost(std::string(kGarbled) + line);
  }
  ResultSet result{{{"code", "text"}}, {{told.code}}};
  const auto add = [&](std::string_view name, const char* type, Cell cell) {
    result.columns.push_back({std::string(name), type});
    result.rows[0].push_back(std::move(cell));
  };
  Cell value;
  if (told.bytes) {
    value = read_bytes(*told.bytes);
    read_line();  // what ends the data
  }
  if (sent.flag('v') != nullptr) add("value", "text", std::move(value));
  for (const std::string& flag : sent.flags) {
    const std::string_view name = meta_reply_name(flag[0]);
    if (name.empty()) continue;
    const Cell cell = told.flag(flag[0]);
    const bool unique = flag[0] == 'c';
    if (unique && cell && cell != "0") uniques_[sent.keys[0]] = *cell;
    add(name, unique ? kIdentityType : "text", cell);
  }
  if (sent.command == "mg") add("marks", "text", told.marks());
  if (result.columns.size() == 1) {
    output.info = told.code;
  } else {
    output.results.push_back(std::move(result));
  }
}

// ME key name=value ..., or EN.
void MemcachedClient::read_meta_debug(const std::string& line, Output& output) {
  const std::vector<std::string> words = split(line);
  if (words.size() == 1 && words[0] == "EN") {
    output.info = line;
    return;
  }
  if (words.size() < 2 || words[0] != "ME") throw Lost(std::string(kGarbled) + line);
  ResultSet result;
  result.columns = {{"key", "text"}};
  Row row = {words[1]};
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = std::min(words[i].find('='), words[i].size());
    const std::string name = words[i].substr(0, equals);
    const std::string value = words[i].substr(std::min(equals + 1, words[i].size()));
    result.columns.push_back({name, name == "cas" ? kIdentityType : "text"});
    row.emplace_back(name == "exp"  ? in_steps(value, true)
                     : name == "la" ? in_steps(value, false)
                                    : value);
  }
  result.rows.push_back(std::move(row));
  output.results.push_back(std::move(result));
}

}  // namespace esox
