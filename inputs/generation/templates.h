// SPDX-License-Identifier: Apache-2.0
// The productions that requests are made by: those of the grammar, and those learnt of statements
// that somebody else wrote; and how often requests of each succeed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/generation/grammar.h"
#include "inputs/generation/recognition.h"
#include "inputs/generation/session_items.h"
#include "inputs/generation/template_rate.h"
#include "preload/strategy/rng.h"

namespace esox {

// A template rests after this many tries of which less than this share succeeded, for that many
// inputs; and after so many of which none did: most likely the server does not know it.
inline constexpr uint64_t kTriesBeforeRest = 50;
inline constexpr uint64_t kFailuresBeforeRest = 15;
inline constexpr double kLeastSuccess = 0.1;
inline constexpr uint64_t kRest = 10'000;
// How often a learnt one is taken, where there are any.
inline constexpr double kLearntShare = 0.3;

// The request as a production: names and values as slots.
Production learnt_of(const Grammar& grammar, std::string_view text, const Holdings& holdings);

class Templates {
 public:
  explicit Templates(std::shared_ptr<const Grammar> grammar) : grammar_(std::move(grammar)) {}

  struct Known {
    const Production* production = nullptr;
    Bindings bindings;
  };
  // Rather one that the session, if any, admits; then the one with least in its slots. Refers to
  // the text.
  std::optional<Known> known(std::string_view text, const SessionItems* session = nullptr) const;
  // Nothing happens if there is room for no more.
  void add_learnt(Production production);

  // One that the session admits, by weight; null: none. `now`: a number of inputs made.
  const Production* draw(const SessionItems& session, uint64_t now, Rng& random) const;
  // The same of those for which `fit` holds.
  const Production* draw_of_grammar(const SessionItems& session, uint64_t now, Rng& random,
                                    const auto& fit) const;

  void count(const std::string& name, bool succeeded, uint64_t now);
  std::vector<TemplateRate> rates() const;
  void restore(const TemplateRate& rate) { rates_[rate.name] = rate; }

 private:
  bool rests(const std::string& name, uint64_t now) const;

  std::shared_ptr<const Grammar> grammar_;
  std::deque<Production> learnt_;
  std::set<std::string> learnt_names_;
  std::map<std::string, TemplateRate> rates_;
};

const Production* Templates::draw_of_grammar(const SessionItems& session, uint64_t now, Rng& random,
                                             const auto& fit) const {
  std::vector<const Production*> admitted;
  uint64_t weights = 0;
  for (const Production& one : grammar_->requests) {
    if (!session.admit(one) || !fit(one) || rests(one.name, now)) continue;
    admitted.push_back(&one);
    weights += one.weight;
  }
  uint64_t drawn = random.below(weights);
  for (const Production* one : admitted) {
    if (drawn < one->weight) return one;
    drawn -= one->weight;
  }
  return nullptr;
}

}  // namespace esox
