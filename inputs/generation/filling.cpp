// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/filling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "inputs/generation/limits.h"

namespace esox {
namespace {

constexpr int kMostPhraseTries = 30;  // of a phrase whose first names have no fit parts
constexpr int kMostMeetingTries = 6;  // for a value that the others have
constexpr uint64_t kNewNames = 2;     // of a type: few, so that clients make the same

struct Candidate {
  std::string name;
  std::string of;
  std::string detail;
  bool met = false;
};

bool has_detail(std::string_view detail, std::string_view word) {
  for (size_t at = 0; at <= detail.size();) {
    const size_t end = std::min(detail.find(' ', at), detail.size());
    if (detail.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

bool fits(const Candidate& candidate, const Piece& piece) {
  return std::ranges::all_of(piece.details, [&](std::string_view word) {
    const bool wanted = !word.starts_with('!');
    return has_detail(candidate.detail, wanted ? word : word.substr(1)) == wanted;
  });
}

// As the inside of a text in single quotes.
std::string in_single_quotes(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted;
}

class Filling {
 public:
  Filling(const Grammar& grammar, bool defines, const Surroundings& surroundings,
          const SessionItems& session, Rng& random)
      : grammar_(grammar),
        defines_(defines),
        surroundings_(surroundings),
        session_(session),
        random_(random) {}

  // False: a slot stays open.
  bool add(const Phrase& phrase, std::string& text) {
    for (const Piece& piece : phrase) {
      std::string part;
      if (!add_piece(piece, part)) return false;
      text += piece.quoted ? in_single_quotes(part) : part;
      if (text.size() > kMostMadeBytes) return false;
    }
    return true;
  }

 private:
  bool chance(double probability) { return random_.unit() < probability; }

  bool add_piece(const Piece& piece, std::string& text) {
    switch (piece.kind) {
      case Piece::Kind::kText:
        text = piece.text;
        return true;
      case Piece::Kind::kRule: {
        const std::vector<Phrase>& phrases = grammar_.rules[piece.rule].phrases;
        return add(phrases[random_.below(phrases.size())], text);
      }
      case Piece::Kind::kLetters:
        text = std::string(piece.letters, static_cast<char>('a' + random_.below(26)));
        return true;
      case Piece::Kind::kClient:
        if (surroundings_.others.empty()) return false;
        text = surroundings_.others[random_.below(surroundings_.others.size())];
        return true;
      case Piece::Kind::kValue:
        return piece.all ? add_values(piece, text) : add_value(piece, text);
      case Piece::Kind::kName:
        return piece.all ? add_names(piece, text) : add_name(piece, text);
    }
    return false;
  }

  static std::string mark_of(const Piece& piece) {
    return fmt::format("{}{}", piece.number, piece.letter);
  }

  bool is_owner(const std::string& type) const {
    return std::ranges::any_of(grammar_.types, [&](const NameType& one) {
      return std::ranges::find(one.of, type) != one.of.end();
    });
  }

  // -- Names.

  bool may_be(const Candidate& candidate, const Piece& piece) const {
    const auto owner = owners_.find(piece.number);
    const bool owned = owner != owners_.end();
    if (!candidate.of.empty()) {
      if (owned && candidate.of != owner->second) return false;
      const auto own = std::ranges::find_if(bound_, [&](const auto& one) {
        return one.second.type == piece.text && one.second.number == piece.number &&
               one.second.candidate.name == candidate.name;
      });
      return own == bound_.end();  // {column b} is another one than {column}
    }
    if (owned && piece.letter.empty() && is_owner(piece.text)) {
      return candidate.name == owner->second;
    }
    return true;
  }

  std::vector<Candidate> candidates(const Piece& piece) const {
    std::vector<Candidate> all;
    const std::string only = kOnly + piece.text;
    const bool confined = session_.has(only);
    const Holdings& holdings = *surroundings_.holdings;
    for (size_t i = 0; i < holdings.size(); ++i) {
      const Holding& one = holdings[i];
      if (one.type != piece.text || (confined && !session_.has(only, one.name))) continue;
      Candidate candidate{one.name, one.of, one.detail,
                          i < surroundings_.met.size() && surroundings_.met[i]};
      if (fits(candidate, piece) && may_be(candidate, piece)) all.push_back(std::move(candidate));
    }
    for (const Holding* item : session_.of_type(piece.text)) {
      const bool of_server = !grammar_.type(piece.text)->in_session;
      if (of_server && (!piece.details.empty() || confined)) continue;
      Candidate candidate{item->name, item->of, "", of_server};
      if (!item->name.empty() && may_be(candidate, piece)) all.push_back(std::move(candidate));
    }
    return all;
  }

  // Of a second owner, rather not the first again.
  static void leave_out(std::vector<Candidate>& all, const std::map<int, std::string>& owners) {
    const auto is_taken = [&](const Candidate& one) {
      return std::ranges::any_of(owners,
                                 [&](const auto& owner) { return owner.second == one.name; });
    };
    if (!std::ranges::all_of(all, is_taken)) std::erase_if(all, is_taken);
  }

  // Not of none.
  const Candidate* draw(const std::vector<Candidate>& all) {
    std::vector<const Candidate*> met;
    for (const Candidate& one : all) {
      if (one.met) met.push_back(&one);
    }
    if (!met.empty() && chance(kMeeting)) return met[random_.below(met.size())];
    return &all[random_.below(all.size())];
  }

  std::string new_name(const std::string& type) {
    return fmt::format("{}_{}", type, chance(kMeeting) ? 1 : 1 + random_.below(kNewNames));
  }

  bool add_name(const Piece& piece, std::string& text) {
    const std::string key = (piece.is_new ? "new " : "") + piece.text + mark_of(piece);
    if (const auto bound = bound_.find(key); bound != bound_.end()) {
      text = bound->second.candidate.name;
      return true;
    }
    const bool of_server = !grammar_.type(piece.text)->in_session;
    const bool odd = defines_ && of_server && !session_.has(kOnly + piece.text) && chance(kAbsent);
    std::vector<Candidate> all = candidates(piece);
    if (all.empty() && !piece.is_new) return false;
    if (is_owner(piece.text) && !owners_.contains(piece.number)) leave_out(all, owners_);
    // An odd one: what is new exists, what exists does not.
    if (piece.is_new != odd || all.empty()) {
      bind(key, piece, {new_name(piece.text), "", "", false});
    } else {
      bind(key, piece, *draw(all));
    }
    text = bound_[key].candidate.name;
    return true;
  }

  void bind(const std::string& key, const Piece& piece, const Candidate& candidate) {
    bound_[key] = {piece.text, piece.number, candidate};
    if (piece.is_new) return;
    if (!candidate.of.empty()) {
      owners_.emplace(piece.number, candidate.of);
      details_[mark_of(piece)] = candidate.detail;
    } else if (piece.letter.empty() && is_owner(piece.text)) {
      owners_.emplace(piece.number, candidate.name);
    }
  }

  bool add_names(const Piece& piece, std::string& text) {
    const std::string key = mark_of(piece);
    lists_[key].clear();
    const std::vector<Candidate> all = candidates(piece);
    if (all.empty()) return false;
    std::vector<std::string> names;
    for (const Candidate& one : all) {
      if (one.of != all.front().of) continue;
      names.push_back(one.name);
      lists_[key].push_back(one.detail);
    }
    if (!all.front().of.empty()) owners_.emplace(piece.number, all.front().of);
    text = fmt::format("{}", fmt::join(names, ", "));
    return true;
  }

  // -- Values.

  const std::vector<Phrase>* values_for(const Piece& piece, std::string_view detail) const {
    const std::string use = piece.details.empty() ? "" : piece.details.front();
    const auto named = [&](const std::string& name) {
      const auto found = grammar_.values.find(name);
      return found == grammar_.values.end() ? nullptr : &found->second;
    };
    for (size_t at = 0; at < detail.size();) {
      const size_t end = std::min(detail.find(' ', at), detail.size());
      const std::string word(detail.substr(at, end - at));
      if (!use.empty()) {
        if (const auto* values = named(fmt::format("{} {}", use, word))) return values;
      }
      if (const auto* values = named(word)) return values;
      at = end + 1;
    }
    if (!use.empty()) {
      if (const auto* values = named(use)) return values;
    }
    return named(kDefaultValues);
  }

  bool draw_value(const Piece& piece, std::string_view detail, std::string& text) {
    const std::vector<Phrase>* values = values_for(piece, detail);
    if (values == nullptr) return false;
    const bool meets = !surroundings_.met_texts.empty() && chance(kMeeting);
    for (int tries = 0; tries < (meets ? kMostMeetingTries : 1); ++tries) {
      text.clear();
      if (!add((*values)[random_.below(values->size())], text)) return false;
      if (has_whole_word(surroundings_.met_texts, text)) break;
    }
    return true;
  }

  bool add_value(const Piece& piece, std::string& text) {
    const auto detail = details_.find(mark_of(piece));
    return draw_value(piece, detail == details_.end() ? "" : detail->second, text);
  }

  bool add_values(const Piece& piece, std::string& text) {
    const auto list = lists_.find(mark_of(piece));
    if (list == lists_.end()) return false;
    std::vector<std::string> values;
    for (const std::string& detail : list->second) {
      std::string value;
      if (!draw_value(piece, detail, value)) return false;
      values.push_back(value);
    }
    text = fmt::format("{}", fmt::join(values, ", "));
    return true;
  }

  struct Bound {
    std::string type;
    int number = 1;
    Candidate candidate;
  };

  const Grammar& grammar_;
  const bool defines_;
  const Surroundings& surroundings_;
  const SessionItems& session_;
  Rng& random_;
  std::map<std::string, Bound> bound_;
  std::map<int, std::string> owners_;                      // by number: "t1"
  std::map<std::string, std::string> details_;             // by mark: of the last part named
  std::map<std::string, std::vector<std::string>> lists_;  // by mark: of {column*}
};

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::optional<std::string> fill(const Grammar& grammar, const Phrase& phrase, bool defines,
                                const Surroundings& surroundings, const SessionItems& session,
                                Rng& random) {
  for (int tries = 0; tries < kMostPhraseTries; ++tries) {
    std::string text;
    if (Filling(grammar, defines, surroundings, session, random).add(phrase, text)) return text;
  }
  return {};
}

bool has_whole_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !is_of_word(text[at - 1]) || !is_of_word(word.front());
    const bool ends = end == text.size() || !is_of_word(text[end]) || !is_of_word(word.back());
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace esox
