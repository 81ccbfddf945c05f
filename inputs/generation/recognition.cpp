// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/recognition.h"

#include <algorithm>

namespace esox {
namespace {

constexpr size_t kMostSteps = 5000;  // of one match: beyond that the text counts as unknown

// Whether a name may hold it: no end of a word in SQL or any plain protocol.
bool is_of_name(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view(",;()=").find(c) == std::string_view::npos;
}

class Match {
 public:
  Match(const Phrase& phrase, std::string_view text) : phrase_(phrase), text_(text) {}

  bool from(size_t piece, size_t at) {
    if (++steps_ > kMostSteps) return false;
    if (piece == phrase_.size()) return at == text_.size();
    const Piece& one = phrase_[piece];
    if (one.kind == Piece::Kind::kText) {
      return text_.substr(at).starts_with(one.text) && from(piece + 1, at + one.text.size());
    }
    // Names as long as they can be, other texts as short as they can be.
    const size_t longest = longest_of(one, at);
    const bool is_word = one.kind == Piece::Kind::kName && !one.all;
    for (size_t tried = is_word ? 1 : 0; tried <= longest; ++tried) {
      const size_t length = is_word ? longest + 1 - tried : tried;
      bindings_.emplace_back(&one, text_.substr(at, length));
      if (is_same_as_before(one) && from(piece + 1, at + length)) return true;
      bindings_.pop_back();
    }
    return false;
  }

  Bindings take() { return std::move(bindings_); }

 private:
  size_t longest_of(const Piece& piece, size_t at) const {
    if (piece.kind != Piece::Kind::kName || piece.all) return text_.size() - at;
    const auto rest = text_.substr(at);
    return static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_of_name) -
                               rest.begin());
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

  const Phrase& phrase_;
  std::string_view text_;
  Bindings bindings_;
  size_t steps_ = 0;
};

}  // namespace

std::optional<Bindings> match(const Phrase& phrase, std::string_view text) {
  Match one(phrase, text);
  if (!one.from(0, 0)) return {};
  return one.take();
}

size_t literal_bytes(const Phrase& phrase) {
  size_t bytes = 0;
  for (const Piece& piece : phrase) bytes += piece.text.size() * (piece.kind == Piece::Kind::kText);
  return bytes;
}

}  // namespace esox
