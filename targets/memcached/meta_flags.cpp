// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/meta_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "base/text/input_error.h"
#include "base/text/number.h"

namespace esox {
namespace {

constexpr size_t kMostOpaqueBytes = 31;

struct MetaCommand {
  std::string_view name;
  std::string_view letters;
  std::string_view modes;  // of flag M
};

constexpr std::array<MetaCommand, 5> kMetaCommands = {{{"mg", "bcfhklOqstuvENRT", ""},
                                                       {"ms", "bcCEFIkOqsTMN", "EAPRS"},
                                                       {"md", "bCEIkOqTx", ""},
                                                       {"ma", "bCENJDTMOqtcvk", "I+D-"},
                                                       {"me", "b", ""}}};

// What a flag's token has to be.
enum class Token { kNone, kTime, kNumber, kUnique, kClientFlags, kMode, kOpaque };

Token token_of(char letter) {
  switch (letter) {
    case 'N':
    case 'R':
    case 'T':
      return Token::kTime;
    case 'D':
    case 'E':
    case 'J':
      return Token::kNumber;
    case 'C':
      return Token::kUnique;
    case 'F':
      return Token::kClientFlags;
    case 'M':
      return Token::kMode;
    case 'O':
      return Token::kOpaque;
    default:
      return Token::kNone;
  }
}

const MetaCommand* meta_command_named(std::string_view name) {
  const auto found = std::ranges::find(kMetaCommands, name, &MetaCommand::name);
  return found == kMetaCommands.end() ? nullptr : &*found;
}

// What is to follow the letter; empty: what does may.
std::string_view wanted_token(const MetaCommand& command, char letter, std::string_view token) {
  switch (token_of(letter)) {
    case Token::kNone:
      return token.empty() ? "" : "nothing";
    case Token::kTime:
      return is_number<int32_t>(token) ? "" : "a number of seconds";
    case Token::kNumber:
      return is_number<uint64_t>(token) ? "" : "a number";
    case Token::kUnique:
      return token == kCasPlaceholder || is_number<uint64_t>(token) ? "" : "{cas} or a number";
    case Token::kClientFlags:
      return is_number<uint32_t>(token) ? "" : "a number of 32 bits";
    case Token::kMode:
      return token.size() == 1 && command.modes.find(token[0]) != std::string_view::npos
                 ? ""
                 : "one letter of the command's modes";
    case Token::kOpaque:
      return !token.empty() && token.size() <= kMostOpaqueBytes ? "" : "1 to 31 bytes";
  }
  return "";
}

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

bool has_meta_flags(std::string_view command) {
  return meta_command_named(command) != nullptr;
}

std::string meta_flags_complaint(std::string_view name, const std::vector<std::string>& flags) {
  const MetaCommand* command = meta_command_named(name);
  if (command == nullptr) return "";
  if (flags.size() > kMostMetaFlags) {
    return fmt::format("{} with {} flags; memcached takes up to {}", name, flags.size(),
                       kMostMetaFlags);
  }
  std::set<char> seen;
  for (const std::string& flag : flags) {
    const char letter = flag[0];
    if (command->letters.find(letter) == std::string_view::npos) {
      return fmt::format("{} knows no flag {}; it knows {}", name, in_quotes(flag),
                         command->letters);
    }
    if (!seen.insert(letter).second) {
      return fmt::format("{} has the flag {} twice; remove one", name, letter);
    }
    const std::string_view wanted = wanted_token(*command, letter, flag.substr(1));
    if (!wanted.empty()) {
      return fmt::format("{}: flag {} is followed by {}, not by {}", name, letter, wanted,
                         in_quotes(flag.substr(1)));
    }
  }
  return "";
}

std::string_view meta_reply_name(char letter) {
  switch (letter) {
    case 'c':
      return "unique";
    case 'f':
      return "flags";
    case 'h':
      return "hit";
    case 'k':
      return "key";
    case 'l':
      return "idle";
    case 'O':
      return "opaque";
    case 's':
      return "size";
    case 't':
      return "expires";
    default:
      return "";
  }
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return "";
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  size_t count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return "";
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xff);
  }
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = (bits << 8) | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0u);
    }
    for (size_t i = 0; i < 4; ++i) {
      text += i <= three.size() ? kDigits[(bits >> (18 - 6 * i)) & 63] : '=';
    }
  }
  return text;
}

}  // namespace esox
