// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/recognition.h"

#include <algorithm>

namespace esox {
namespace {

constexpr size_t kMostSteps = 20'000;  // of one match: beyond that the text counts as unknown

// Whether a name may hold it: no end of a word in SQL or any plain protocol.
bool is_of_name(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view(",;()=<>").find(c) == std::string_view::npos;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(' ') == text.npos;
}

bool is_word(const Piece& piece) {
  return !piece.all && !piece.quoted && piece.kind != Piece::Kind::kLetters;
}

// What is left of a phrase, and of those in which it stands.
struct Rest {
  const Phrase* phrase = nullptr;
  size_t piece = 0;
  const Rest* outer = nullptr;
};

class Match {
 public:
  Match(const Grammar& grammar, std::string_view text) : grammar_(grammar), text_(text) {}

  bool from(Rest rest, size_t at) {
    if (++steps_ > kMostSteps) return false;
    if (rest.piece == rest.phrase->size()) {
      return rest.outer != nullptr ? from(*rest.outer, at) : at == text_.size();
    }
    const Piece& piece = (*rest.phrase)[rest.piece++];
    if (piece.kind == Piece::Kind::kText) {
      // Requests are kept without blanks at their end.
      const std::string_view left = text_.substr(at);
      if (left.size() < piece.text.size() && piece.text.starts_with(left) &&
          is_blank(std::string_view(piece.text).substr(left.size()))) {
        return from(rest, text_.size());
      }
      return left.starts_with(piece.text) && from(rest, at + piece.text.size());
    }
    if (piece.kind == Piece::Kind::kRule && !piece.quoted) {
      const std::vector<Phrase>& phrases = grammar_.rules[piece.rule].phrases;
      return std::ranges::any_of(phrases, [&](const Phrase& one) {
        return from({&one, 0, &rest}, at);
      });
    }
    return is_word(piece) ? from_word(piece, rest, at) : from_any(piece, rest, at);
  }

  Bindings take() { return std::move(bindings_); }

 private:
  bool bind(const Piece& piece, const Rest& rest, size_t at, size_t length) {
    bindings_.emplace_back(&piece, text_.substr(at, length));
    if (is_same_as_before(piece) && from(rest, at + length)) return true;
    bindings_.pop_back();
    return false;
  }

  // As long as it can be.
  bool from_word(const Piece& piece, const Rest& rest, size_t at) {
    const std::string_view left = text_.substr(at);
    if (piece.kind == Piece::Kind::kValue && left.starts_with('\'')) {
      const size_t end = left.find('\'', 1);
      return end != left.npos && bind(piece, rest, at, end + 1);
    }
    auto length = static_cast<size_t>(std::ranges::find_if_not(left, is_of_name) - left.begin());
    for (; length > 0; --length) {
      if (bind(piece, rest, at, length)) return true;
    }
    return false;
  }

  // As short as it can be.
  bool from_any(const Piece& piece, const Rest& rest, size_t at) {
    for (size_t length = 0; length <= text_.size() - at; ++length) {
      if (bind(piece, rest, at, length)) return true;
    }
    return false;
  }

  // The slot of a name twice is one name.
  bool is_same_as_before(const Piece& piece) const {
    if (piece.kind != Piece::Kind::kName) return true;
    const std::string_view text = bindings_.back().second;
    return std::all_of(bindings_.begin(), bindings_.end() - 1, [&](const auto& one) {
      return one.first->kind != Piece::Kind::kName || one.first->text != piece.text ||
             one.first->letter != piece.letter || one.first->number != piece.number ||
             one.first->all != piece.all || one.first->is_new != piece.is_new || one.second == text;
    });
  }

  const Grammar& grammar_;
  std::string_view text_;
  Bindings bindings_;
  size_t steps_ = 0;
};

}  // namespace

std::optional<Bindings> match(const Grammar& grammar, const Phrase& phrase, std::string_view text) {
  Match one(grammar, text);
  if (!one.from({&phrase}, 0)) return {};
  return one.take();
}

}  // namespace esox
