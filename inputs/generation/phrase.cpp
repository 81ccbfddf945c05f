// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/phrase.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/text/input_error.h"
#include "base/text/number.h"
#include "inputs/generation/limits.h"

namespace esox {
namespace {

bool is_small(char c) {
  return (c >= 'a' && c <= 'z') || c == '_';
}

bool is_small_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_small(c) || (c >= '0' && c <= '9'); }) &&
         is_small(text.front());
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(by, at), text.size());
    if (end > at) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse(std::string_view slot, std::string_view why) {
  throw std::invalid_argument(
      fmt::format("the slot {} {}", in_quotes(fmt::format("{{{}}}", slot)), why));
}

void read_mark(Piece& piece, std::string_view slot, const std::string& word) {
  const bool is_digit = word.size() == 1 && word[0] >= '1' && word[0] <= '9';
  if (is_digit) {
    piece.number = word[0] - '0';
  } else if (word.size() == 1 && word[0] >= 'a' && word[0] <= 'z' && piece.letter.empty()) {
    piece.letter = word;
  } else {
    refuse(slot, fmt::format("says {}; after its name a digit says of which owner, and a letter "
                             "which of several",
                             in_quotes(word)));
  }
}

void read_details(Piece& piece, std::string_view slot, std::string_view text) {
  piece.details = split(text, ',');
  const bool good = std::ranges::all_of(piece.details, [](std::string_view one) {
    if (one.starts_with('!')) one.remove_prefix(1);
    return !one.empty() && std::ranges::all_of(one, [](char c) {
      return (c >= 'A' && c <= 'Z') || is_small(c) || (c >= '0' && c <= '9');
    });
  });
  if (piece.details.empty() || !good) {
    refuse(slot, "has no word of a detail after ':'; write as in {column:int,!generated}");
  }
}

void set_kind(Piece& piece, std::string_view slot) {
  if (piece.text == "value") piece.kind = Piece::Kind::kValue;
  if (piece.text == "client") piece.kind = Piece::Kind::kClient;
  if (piece.text == "letters") {
    piece.kind = Piece::Kind::kLetters;
    const auto letters =
        piece.details.size() == 1 ? number_of<size_t>(piece.details[0]) : std::optional<size_t>();
    if (!letters || *letters == 0 || *letters > kMostMadeBytes) {
      refuse(slot, fmt::format("says no number of letters; write as in {{letters:50}}, up to {}",
                               kMostMadeBytes));
    }
    piece.letters = *letters;
  }
  const bool is_name = piece.kind == Piece::Kind::kName;
  if (piece.is_new && !is_name) refuse(slot, "cannot be new; leave 'new' out");
  if (piece.all && !is_name && piece.kind != Piece::Kind::kValue) {
    refuse(slot, "cannot be all; leave '*' out");
  }
}

Piece piece_of(std::string_view slot) {
  std::vector<std::string> words = split(slot, ' ');
  Piece piece{.kind = Piece::Kind::kName};
  if (!words.empty() && words[0] == "quoted") {
    piece.quoted = true;
    words.erase(words.begin());
  }
  if (!words.empty() && words[0] == "new") {
    piece.is_new = true;
    words.erase(words.begin());
  }
  if (words.empty()) refuse(slot, "names nothing; write braces that are meant as {{ and }}");
  const size_t colon = words[0].find(':');
  std::string name = words[0].substr(0, colon);
  if (name.ends_with('*')) {
    piece.all = true;
    name.pop_back();
  }
  if (!is_small_name(name)) {
    refuse(slot, "is no name of small letters; write braces that are meant as {{ and }}");
  }
  piece.text = name;
  if (colon != std::string::npos) {
    read_details(piece, slot, std::string_view(words[0]).substr(colon + 1));
  }
  for (size_t i = 1; i < words.size(); ++i) read_mark(piece, slot, words[i]);
  set_kind(piece, slot);
  return piece;
}

void add_text(Phrase& phrase, std::string_view text) {
  if (phrase.empty() || phrase.back().kind != Piece::Kind::kText) phrase.emplace_back();
  phrase.back().text += text;
}

std::string slot_text(const Piece& piece) {
  std::string text = fmt::format("{}{}{}{}", piece.quoted ? "quoted " : "",
                                 piece.is_new ? "new " : "", piece.text, piece.all ? "*" : "");
  if (!piece.details.empty()) text += fmt::format(":{}", fmt::join(piece.details, ","));
  if (piece.number != 1) text += fmt::format(" {}", piece.number);
  if (!piece.letter.empty()) text += " " + piece.letter;
  return "{" + text + "}";
}

}  // namespace

Phrase parse_phrase(std::string_view text) {
  Phrase phrase;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      const size_t end = std::min(text.find_first_of("{}", at), text.size());
      add_text(phrase, text.substr(at, end - at));
      at = end;
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      add_text(phrase, text.substr(at, 1));
      at += 2;
    } else {
      const size_t end = text.find('}', at);
      if (c == '}' || end == text.npos) {
        throw std::invalid_argument(
            fmt::format("a brace has no other in {}; write braces that are meant as {{{{ and }}}}",
                        in_quotes(text)));
      }
      phrase.push_back(piece_of(text.substr(at + 1, end - at - 1)));
      at = end + 1;
    }
    if (phrase.size() > kMostPieces) {
      throw std::invalid_argument(
          fmt::format("more than {} slots in {}; use rules", kMostPieces, in_quotes(text)));
    }
  }
  return phrase;
}

std::string to_text(const Phrase& phrase) {
  std::string text;
  for (const Piece& piece : phrase) {
    if (piece.kind != Piece::Kind::kText) {
      text += slot_text(piece);
      continue;
    }
    for (const char c : piece.text)
      text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  }
  return text;
}

}  // namespace esox
