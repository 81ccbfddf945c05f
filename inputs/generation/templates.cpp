// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/templates.h"

#include <algorithm>

#include "inputs/generation/limits.h"

namespace esox {
namespace {

// Slots for what a text names: a digit for each owner, a letter for each further part of one.
class Slots {
 public:
  explicit Slots(const Grammar& grammar) : grammar_(grammar) {}

  // Nothing: it stays as it is.
  std::optional<Piece> of(const ReplaceablePart& part, std::string_view text) {
    Piece piece;
    piece.text = part.type;
    if (part.type == "value") {
      piece.kind = Piece::Kind::kValue;
      if (!part.detail.empty()) piece.details = {part.detail};
      return piece;
    }
    if (grammar_.type(part.type) == nullptr) return {};
    piece.kind = Piece::Kind::kName;
    const std::string owner(part.of.empty() ? text : std::string_view(part.of));
    piece.number = numbers_.emplace(owner, static_cast<int>(numbers_.size()) + 1).first->second;
    if (piece.number > kMostNumbers) return {};
    if (part.of.empty()) return piece;
    auto& names = names_[part.type + "." + owner];
    const size_t place = static_cast<size_t>(std::ranges::find(names, text) - names.begin());
    if (place == names.size()) names.emplace_back(text);
    if (place > kMostLetters) return {};
    if (place > 0) piece.letter = std::string(1, static_cast<char>('a' + place));
    return piece;
  }

 private:
  static constexpr int kMostNumbers = 9;
  static constexpr size_t kMostLetters = 25;

  const Grammar& grammar_;
  std::map<std::string, int> numbers_;
  std::map<std::string, std::vector<std::string>> names_;
};

// What stands in slots: the less, the surer it is the production's.
size_t bytes_of(const Bindings& bindings) {
  size_t bytes = 0;
  for (const auto& [piece, text] : bindings) bytes += text.size();
  return bytes;
}

void add_literal(Phrase& phrase, std::string_view text) {
  if (text.empty()) return;
  if (phrase.empty() || phrase.back().kind != Piece::Kind::kText) phrase.emplace_back();
  phrase.back().text += text;
}

}  // namespace

Production learnt_of(const Grammar& grammar, std::string_view text, const Holdings& holdings) {
  Production learnt;
  Slots slots(grammar);
  size_t at = 0;
  for (const ReplaceablePart& part : grammar.language->replaceable(text, holdings)) {
    if (learnt.phrase.size() + 2 > kMostPieces) break;
    const std::string_view own = text.substr(part.span.begin, part.span.end - part.span.begin);
    const std::optional<Piece> piece = slots.of(part, own);
    if (!piece) continue;
    add_literal(learnt.phrase, text.substr(at, part.span.begin - at));
    learnt.phrase.push_back(*piece);
    at = part.span.end;
  }
  add_literal(learnt.phrase, text.substr(at));
  learnt.name = to_text(learnt.phrase);
  return learnt;
}

std::optional<Templates::Known> Templates::known(std::string_view text,
                                                 const SessionItems* session) const {
  std::optional<Known> best;
  size_t fewest = 0;
  bool admitted = false;
  const auto look = [&](const Production& production) {
    std::optional<Bindings> bindings = match(*grammar_, production.phrase, text);
    if (!bindings) return;
    const size_t bound = bytes_of(*bindings);
    const bool admits = session == nullptr || session->admit(production, *bindings);
    if (best && (admits == admitted ? bound >= fewest : admitted)) return;
    best = Known{&production, std::move(*bindings)};
    fewest = bound;
    admitted = admits;
  };
  for (const Production& production : grammar_->requests) look(production);
  if (!best) {
    for (const Production& production : learnt_) look(production);
  }
  return best;
}

void Templates::add_learnt(Production production) {
  if (learnt_.size() >= kMostLearntTemplates || production.phrase.empty()) return;
  if (learnt_names_.insert(production.name).second) learnt_.push_back(std::move(production));
}

bool Templates::rests(const std::string& name, uint64_t now) const {
  const auto rate = rates_.find(name);
  return rate != rates_.end() && now < rate->second.rests_until;
}

const Production* Templates::draw(const SessionItems& session, uint64_t now, Rng& random) const {
  if (!learnt_.empty() && random.unit() < kLearntShare) {
    const Production& one = learnt_[random.below(learnt_.size())];
    if (session.admit(one) && !rests(one.name, now)) return &one;
  }
  return draw_of_grammar(session, now, random, [](const Production&) { return true; });
}

void Templates::count(const std::string& name, bool succeeded, uint64_t now) {
  TemplateRate& rate = rates_[name];
  rate.name = name;
  ++rate.tried;
  rate.succeeded += succeeded ? 1 : 0;
  const bool never = rate.succeeded == 0 && rate.tried >= kFailuresBeforeRest;
  if (!never && rate.tried < kTriesBeforeRest) return;
  if (static_cast<double>(rate.succeeded) < kLeastSuccess * static_cast<double>(rate.tried)) {
    rate = {name, 0, 0, now + kRest};
  }
}

std::vector<TemplateRate> Templates::rates() const {
  std::vector<TemplateRate> all;
  for (const auto& [name, rate] : rates_) all.push_back(rate);
  return all;
}

}  // namespace esox
