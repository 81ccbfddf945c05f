// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text/input_error.h"
#include "base/text/number.h"
#include "base/text/spelling.h"

namespace esox {
namespace {

constexpr size_t kMaxKeyBytes = 250;    // of the protocol
constexpr size_t kMaxFilling = 10'000;  // items that one request of a setup stands for
// Places of words on the line of a command that stores; the command's own is 0.
constexpr size_t kFlagsPlace = 2;
constexpr size_t kExpiryPlace = 3;
constexpr size_t kUniquePlace = 5;

struct Command {
  std::string_view name;
  size_t fewest;  // words after it
  size_t most;
  size_t first_key;  // place of the key, 0: none; with `many`, all from there on
  bool many;
  size_t length;  // place of the number of bytes that follow, 0: it stores nothing
  MemcachedReply reply;
  std::string_view lines{};  // of kLine: all that there are but for errors; 0: a number
};

constexpr std::string_view kStoreLines = "STORED NOT_STORED EXISTS NOT_FOUND";
constexpr size_t kAny = 64;
constexpr std::array<Command, 26> kCommands = {{
    {"get", 1, kAny, 1, true, 0, MemcachedReply::kValues},
    {"gets", 1, kAny, 1, true, 0, MemcachedReply::kValues},
    {"gat", 2, kAny, 2, true, 0, MemcachedReply::kValues},
    {"gats", 2, kAny, 2, true, 0, MemcachedReply::kValues},
    {"set", 4, 4, 1, false, 4, MemcachedReply::kLine, kStoreLines},
    {"add", 4, 4, 1, false, 4, MemcachedReply::kLine, kStoreLines},
    {"replace", 4, 4, 1, false, 4, MemcachedReply::kLine, kStoreLines},
    {"append", 4, 4, 1, false, 4, MemcachedReply::kLine, kStoreLines},
    {"prepend", 4, 4, 1, false, 4, MemcachedReply::kLine, kStoreLines},
    {"cas", 5, 5, 1, false, 4, MemcachedReply::kLine, kStoreLines},
    {"delete", 1, 1, 1, false, 0, MemcachedReply::kLine, "DELETED NOT_FOUND"},
    {"incr", 2, 2, 1, false, 0, MemcachedReply::kLine, "0 NOT_FOUND"},
    {"decr", 2, 2, 1, false, 0, MemcachedReply::kLine, "0 NOT_FOUND"},
    {"touch", 2, 2, 1, false, 0, MemcachedReply::kLine, "TOUCHED NOT_FOUND"},
    {"mg", 1, kAny, 1, false, 0, MemcachedReply::kMeta},
    {"ms", 2, kAny, 1, false, 2, MemcachedReply::kMeta},
    {"md", 1, kAny, 1, false, 0, MemcachedReply::kMeta},
    {"ma", 1, kAny, 1, false, 0, MemcachedReply::kMeta},
    {"me", 1, 2, 1, false, 0, MemcachedReply::kMetaDebug},
    {"mn", 0, 0, 0, false, 0, MemcachedReply::kLine, "MN"},
    {"flush_all", 0, 1, 0, false, 0, MemcachedReply::kLine, "OK"},
    // "lru_crawler crawl all"; what it does comes after the reply.
    {"lru_crawler", 2, 2, 0, false, 0, MemcachedReply::kLine, "OK BUSY BADCLASS NOTSTARTED"},
    // "slabs reassign 1 2": the rebalancer takes a page from one class to another, after the reply.
    {"slabs", 3, 3, 0, false, 0, MemcachedReply::kLine, "OK BUSY BADCLASS NOSPARE NOTFULL SAME"},
    {"stats", 0, 1, 0, false, 0, MemcachedReply::kStatistics},
    {"verbosity", 1, 1, 0, false, 0, MemcachedReply::kLine, "OK"},
    {"version", 0, 0, 0, false, 0, MemcachedReply::kLine, "VERSION"},
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
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : &*found;
}

std::string unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  names.reserve(kCommands.size());
  for (const Command& command : kCommands) names.push_back(command.name);
  return fmt::format("{} is no memcached command that an input may hold{}", in_quotes(name),
                     spelling_hint(name, names));
}

// Of what a server refuses without looking for the data that follows.
std::string storing_complaint(const MemcachedRequest& request) {
  const auto complain = [&](std::string_view what, size_t place) {
    return fmt::format("{} says no {}, but {}", request.command, what,
                       in_quotes(request.words[place]));
  };
  const std::vector<std::string>& words = request.words;
  if (!request.stores) return "";
  if (!is_number<size_t>(request.length)) {
    return fmt::format("{} says no number of bytes, but {}", request.command,
                       in_quotes(request.length));
  }
  if (request.reply == MemcachedReply::kMeta) return "";
  if (!is_number<uint32_t>(words[kFlagsPlace])) return complain("flags in a number", kFlagsPlace);
  if (!is_number<int32_t>(words[kExpiryPlace])) return complain("expiry time", kExpiryPlace);
  if (request.command == "cas" && words[kUniquePlace] != kCasPlaceholder &&
      !is_number<uint64_t>(words[kUniquePlace])) {
    return complain("unique number", kUniquePlace);
  }
  return "";
}

std::string data_complaint(const MemcachedRequest& request, bool has_data) {
  if (!request.stores) {
    return has_data ? request.command + " takes no data; remove the second line" : "";
  }
  if (!has_data) {
    return fmt::format(
        "{} stores, but no data follows; write it after a line break, as in \"{}\\n5\"",
        request.command, request.command == "ms" ? "ms k 1" : request.command + " k 0 0 1");
  }
  if (number_of<size_t>(request.length) == request.data.size()) return "";
  return fmt::format("{} says {} bytes, but its data has {}; make them equal", request.command,
                     request.length, request.data.size());
}

std::string key_complaint(const MemcachedRequest& request) {
  for (const std::string& key : request.keys) {
    if (key.size() > kMaxKeyBytes) {
      return fmt::format("a key of {} bytes; memcached takes up to {}", key.size(), kMaxKeyBytes);
    }
    if (key.empty())
      return fmt::format("{} says that its key is base64, which it is not", request.command);
  }
  return "";
}

std::string flags_complaint(const MemcachedRequest& request) {
  return meta_flags_complaint(request.command, request.flags);
}

void read_meta(const Command& command, MemcachedRequest& request) {
  if (!has_meta_flags(command.name)) return;
  const size_t first =
      std::min(std::max(command.first_key, command.length) + 1, request.words.size());
  request.flags.assign(request.words.begin() + static_cast<ptrdiff_t>(first), request.words.end());
  if (request.flag('b') == nullptr) return;
  for (std::string& key : request.keys) key = from_base64(key);
}

// The numbers of a key that stands for many.
struct Filling {
  std::string_view before;  // text
  size_t first = 0;
  size_t last = 0;
  std::string_view after;
};

std::optional<Filling> filling_of(std::string_view text) {
  constexpr std::string_view kTo = "..";
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t open = line.find('{');
  const size_t to = std::min(line.find(kTo, open), line.size());
  const size_t close = line.find("} ", to);
  if (!line.starts_with("set ") || open == line.npos || close == line.npos) return std::nullopt;
  const auto first = number_of<size_t>(line.substr(open + 1, to - open - 1));
  const auto last = number_of<size_t>(line.substr(to + kTo.size(), close - to - kTo.size()));
  if (!first || !last) return std::nullopt;
  return Filling{text.substr(0, open), *first, *last, text.substr(close + 1)};
}

std::string mode_of(const MemcachedRequest& request) {
  const std::string* mode = request.flag('M');
  return mode == nullptr ? "" : mode->substr(1);
}

}  // namespace

bool is_plain_key(std::string_view key) {
  return std::ranges::none_of(key, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

const std::string* MemcachedRequest::flag(char letter) const {
  const auto found =
      std::ranges::find_if(flags, [&](const std::string& one) { return one[0] == letter; });
  return found == flags.end() ? nullptr : &*found;
}

MemcachedRequest memcached_request(std::string_view text) {
  MemcachedRequest request;
  const size_t line_end = text.find('\n');
  request.words = words_of(text.substr(0, line_end));
  if (request.words.empty()) return request;
  request.command = request.words[0];
  if (line_end != std::string_view::npos) request.data = text.substr(line_end + 1);
  const Command* command = command_named(request.command);
  if (command == nullptr) return request;
  request.stores = command->length > 0;
  request.reply = command->reply;
  if (request.stores && command->length < request.words.size()) {
    request.length = request.words[command->length];
  }
  const size_t last = command->many ? request.words.size() : command->first_key + 1;
  if (filling_of(text)) return request;
  for (size_t i = command->first_key; i > 0 && i < std::min(last, request.words.size()); ++i) {
    request.keys.push_back(request.words[i]);
  }
  read_meta(*command, request);
  return request;
}

std::vector<std::string> memcached_requests(std::string_view text) {
  const std::optional<Filling> filling = filling_of(text);
  if (!filling) return {std::string(text)};
  std::vector<std::string> requests;
  for (size_t i = filling->first; i <= filling->last; ++i) {
    requests.push_back(fmt::format("{}{}{}", filling->before, i, filling->after));
  }
  return requests;
}

std::string memcached_line_complaint(std::string_view line) {
  if (filling_of(line)) return "a key that stands for many; only a setup may have one";
  const MemcachedRequest request = memcached_request(line);
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
  for (const auto complaint_of : {key_complaint, flags_complaint, storing_complaint}) {
    if (std::string complaint = complaint_of(request); !complaint.empty()) return complaint;
  }
  return "";
}

std::string memcached_complaint(std::string_view text) {
  std::string complaint = memcached_line_complaint(text.substr(0, text.find('\n')));
  if (!complaint.empty()) return complaint;
  return data_complaint(memcached_request(text), text.find('\n') != std::string_view::npos);
}

std::string memcached_setup_complaint(std::string_view text) {
  const std::optional<Filling> filling = filling_of(text);
  if (!filling) return memcached_complaint(text);
  if (filling->first > filling->last || filling->last - filling->first >= kMaxFilling) {
    return fmt::format(
        "a key that stands for {} to {}; write at most {}, and the smaller number "
        "first",
        filling->first, filling->last, kMaxFilling);
  }
  return memcached_complaint(fmt::format("{}{}{}", filling->before, filling->last, filling->after));
}

bool is_reply_line(const MemcachedRequest& request, std::string_view line) {
  const std::string_view first = line.substr(0, line.find(' '));
  const bool is_number = number_of<uint64_t>(first).has_value();
  const std::vector<std::string> lines = words_of(command_named(request.command)->lines);
  return std::ranges::any_of(
      lines, [&](const std::string& one) { return one == "0" ? is_number : one == first; });
}

bool gives_unique(const MemcachedRequest& request) {
  return request.command == "gets" || request.command == "gats" || request.command == "me" ||
         request.flag('c') != nullptr;
}

bool compares_unique(const MemcachedRequest& request) {
  return request.command == "cas" || request.flag('C') != nullptr;
}

bool tells_reads(const MemcachedRequest& request) {
  return request.command == "me" || request.flag('h') != nullptr || request.flag('l') != nullptr;
}

bool changes_items(const MemcachedRequest& request) {
  static constexpr std::string_view kNever[] = {"get",   "gets",      "me",     "mn",
                                                "stats", "verbosity", "version"};
  if (request.command == "mg") {
    return request.flag('N') != nullptr || request.flag('R') != nullptr ||
           request.flag('T') != nullptr;
  }
  return std::ranges::find(kNever, request.command) == std::end(kNever);
}

bool replaces_item(const MemcachedRequest& request) {
  if (request.command != "ms") return request.command == "set";
  const std::string mode = mode_of(request);
  return !compares_unique(request) && (mode.empty() || mode == "S");
}

bool removes_item(const MemcachedRequest& request) {
  if (request.command != "md") return request.command == "delete";
  return !compares_unique(request) && request.flag('I') == nullptr && request.flag('x') == nullptr;
}

bool limits_lifetime(const MemcachedRequest& request) {
  if (has_meta_flags(request.command)) {
    return request.flag('T') != nullptr || request.flag('N') != nullptr ||
           request.flag('R') != nullptr || request.flag('I') != nullptr;
  }
  if (request.stores) return request.words[kExpiryPlace] != "0";
  return request.command == "touch" || request.command == "gat" || request.command == "gats";
}

}  // namespace esox
