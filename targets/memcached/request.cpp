// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/input_error.h"
#include "base/text/spelling.h"

namespace esox {
namespace {

constexpr size_t kMaxKeyBytes = 250;  // of the protocol

struct Command {
  std::string_view name;
  size_t fewest;  // words after it
  size_t most;
  size_t first_key;  // place of the key among them, 0: none; with `many`, all from there on
  bool many;
  bool stores;
  MemcachedReply reply;
};

constexpr size_t kAny = 64;
constexpr std::array<Command, 17> kCommands = {{
    {"get", 1, kAny, 1, true, false, MemcachedReply::kValues},
    {"gets", 1, kAny, 1, true, false, MemcachedReply::kValues},
    {"gat", 2, kAny, 2, true, false, MemcachedReply::kValues},
    {"gats", 2, kAny, 2, true, false, MemcachedReply::kValues},
    {"set", 4, 4, 1, false, true, MemcachedReply::kLine},
    {"add", 4, 4, 1, false, true, MemcachedReply::kLine},
    {"replace", 4, 4, 1, false, true, MemcachedReply::kLine},
    {"append", 4, 4, 1, false, true, MemcachedReply::kLine},
    {"prepend", 4, 4, 1, false, true, MemcachedReply::kLine},
    {"cas", 5, 5, 1, false, true, MemcachedReply::kLine},
    {"delete", 1, 1, 1, false, false, MemcachedReply::kLine},
    {"incr", 2, 2, 1, false, false, MemcachedReply::kLine},
    {"decr", 2, 2, 1, false, false, MemcachedReply::kLine},
    {"touch", 2, 2, 1, false, false, MemcachedReply::kLine},
    {"flush_all", 0, 1, 0, false, false, MemcachedReply::kLine},
    {"stats", 0, 1, 0, false, false, MemcachedReply::kStatistics},
    {"version", 0, 0, 0, false, false, MemcachedReply::kLine},
}};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) words.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

const Command* command_named(std::string_view name) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&](const Command& command) { return command.name == name; });
  return found == kCommands.end() ? nullptr : &*found;
}

std::string unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  return fmt::format("{} is no memcached command that an input may hold{}", in_quotes(name),
                     spelling_hint(name, names));
}

std::string data_complaint(const MemcachedRequest& request, bool has_data) {
  const std::string& length = request.words[4];
  size_t bytes = 0;
  const auto [stop, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (error != std::errc() || stop != length.data() + length.size()) {
    return fmt::format("{} says no number of bytes, but {}", request.command, in_quotes(length));
  }
  if (!has_data) {
    return fmt::format(
        "{} stores, but no data follows; write it after a line break, as in "
        "\"{} k 0 0 1\\n5\"",
        request.command, request.command);
  }
  if (bytes == request.data.size()) return "";
  return fmt::format("{} says {} bytes, but its data has {}; make them equal", request.command,
                     bytes, request.data.size());
}

}  // namespace

MemcachedRequest memcached_request(std::string_view text) {
  MemcachedRequest request;
  const size_t line_end = text.find('\n');
  request.words = words_of(text.substr(0, line_end));
  if (request.words.empty()) return request;
  request.command = request.words[0];
  if (line_end != std::string_view::npos) request.data = text.substr(line_end + 1);
  const Command* command = command_named(request.command);
  if (command == nullptr) return request;
  request.stores = command->stores;
  request.reply = command->reply;
  const size_t last = command->many ? request.words.size() : command->first_key + 1;
  for (size_t i = command->first_key; i > 0 && i < std::min(last, request.words.size()); ++i) {
    request.keys.push_back(request.words[i]);
  }
  return request;
}

std::string memcached_complaint(std::string_view text) {
  const MemcachedRequest request = memcached_request(text);
  const bool has_data = text.find('\n') != std::string_view::npos;
  if (request.command.empty()) return "an empty memcached request; write a command";
  const Command* command = command_named(request.command);
  if (command == nullptr) return unknown_command(request.command);
  const size_t arguments = request.words.size() - 1;
  if (request.words.back() == "noreply") {
    return "noreply: without a reply nobody knows when the request has ended; remove it";
  }
  if (arguments < command->fewest || arguments > command->most) {
    return fmt::format("{} with {} arguments; it takes {}", request.command, arguments,
                       command->fewest == command->most
                           ? fmt::format("{}", command->fewest)
                           : fmt::format("{} to {}", command->fewest, command->most));
  }
  for (const std::string& key : request.keys) {
    if (key.size() > kMaxKeyBytes) {
      return fmt::format("a key of {} bytes; memcached takes up to {}", key.size(), kMaxKeyBytes);
    }
  }
  if (command->stores) return data_complaint(request, has_data);
  return has_data ? fmt::format("{} takes no data; remove the second line", request.command) : "";
}

bool gives_unique(const MemcachedRequest& request) {
  return request.command == "gets" || request.command == "gats";
}

}  // namespace esox
