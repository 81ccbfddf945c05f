// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/maker.h"

#include <algorithm>
#include <string>

#include "inputs/generation/composer.h"
#include "inputs/generation/mutations.h"
#include "inputs/generation/templates.h"

namespace esox {
namespace {

// Two clients in most inputs: serial orders of more are many.
size_t number_of_clients(Rng& random) {
  const double drawn = random.unit();
  return drawn < 0.6 ? 2 : drawn < 0.88 ? 3 : 4;
}

// How many of the clients do a whole sequence of the grammar's, if there is one for the setup: as
// many are drawn as this until there is. So those that few setups have something for can be drawn
// often where there is something.
constexpr double kSequences = 0.5;
constexpr int kMostSequenceDraws = 8;

size_t states_of(const std::vector<size_t>& numbers) {
  size_t product = 1;
  for (const size_t number : numbers) product *= number + 1;
  return product;
}

std::vector<size_t> numbers_of_requests(Rng& random) {
  std::vector<size_t> numbers(number_of_clients(random));
  for (size_t& number : numbers) number = 1 + random.below(kMostMadeRequests);
  while (states_of(numbers) > kMostMadeStates) --*std::ranges::max_element(numbers);
  return numbers;
}

template <class Item>
const Item& drawn_by_weight(const std::vector<Item>& items, Rng& random) {
  uint64_t weights = 0;
  for (const Item& one : items) weights += one.weight;
  uint64_t drawn = random.below(weights);
  const Item* one = items.data();
  while (drawn >= one->weight) drawn -= one++->weight;
  return *one;
}

bool add_sequence(const Grammar& grammar, Input& input, size_t client, std::vector<size_t>& numbers,
                  Composer& composer) {
  if (grammar.sequences.empty()) return false;
  for (int draws = 0; draws < kMostSequenceDraws; ++draws) {
    const Sequence& sequence = drawn_by_weight(grammar.sequences, composer.random());
    std::vector<size_t> with = numbers;
    with[client] = sequence.steps.size();
    if (states_of(with) > kMostMadeStates || !composer.follow(input, client, sequence)) continue;
    numbers = std::move(with);
    return true;
  }
  return false;
}

}  // namespace

Maker::Maker(std::shared_ptr<const Grammar> grammar)
    : grammar_(std::move(grammar)), templates_(std::make_unique<Templates>(grammar_)) {}

Maker::~Maker() = default;

Input Maker::setup(Rng& random) const {
  const SetupProduction& production = drawn_by_weight(grammar_->setups, random);
  Input input{.id = kMadeId, .title = kMadeId, .origin = kMadeId};
  input.language = grammar_->language;
  input.server_options = production.server_options;
  const Surroundings nothing{.holdings = &grammar_->known};
  const SessionItems session(*grammar_);
  for (const Phrase& phrase : production.statements) {
    const auto text = fill(*grammar_, phrase, false, nothing, session, random);
    std::string statement = text ? grammar_->language->trimmed(*text) : "";
    if (!statement.empty()) input.setup.push_back(std::move(statement));
  }
  return input;
}

bool Maker::ends_held(const Input& input) const {
  return std::ranges::any_of(input.clients, [&](const InputClient& client) {
    SessionItems session(*grammar_);
    for (const Request& request : client.requests) {
      const auto known = templates_->known(request.text, &session);
      session.pass(known ? known->production : nullptr, known ? known->bindings : Bindings(),
                   request.text);
    }
    return session.has(kHeldType);
  });
}

std::optional<Input> Maker::fresh(const Input& setup, const Holdings& holdings,
                                  const MakingHelp& help, Rng& random) {
  ++made_;
  Input input = setup;
  input.id = input.title = input.origin = kMadeId;
  input.clients.clear();
  Composer composer(*grammar_, *templates_, holdings, help, made_, random);
  std::vector<size_t> numbers = numbers_of_requests(random);
  for (size_t i = 0; i < numbers.size(); ++i) {
    input.clients.push_back({.name = std::string(1, static_cast<char>('A' + i))});
  }
  for (size_t client = 0; client < numbers.size(); ++client) {
    if (random.unit() < kSequences && add_sequence(*grammar_, input, client, numbers, composer))
      continue;
    std::vector<Request>& own = input.clients[client].requests;
    while (own.size() < numbers[client]) {
      std::optional<Request> request =
          composer.next_for(input, client, own.size() + 1 == numbers[client]);
      if (!request) return {};
      own.push_back(std::move(*request));
    }
  }
  composer.prepare_named(input);
  return input;
}

std::optional<Input> Maker::mutate(Mutation how, const Input& member, const Holdings& holdings,
                                   const MakingHelp& help, Rng& random) {
  ++made_;
  if (how == Mutation::kSetup) {
    std::optional<Input> made = with_setup(member, [&] { return setup(random); });
    return made;
  }
  Composer composer(*grammar_, *templates_, holdings, help, made_, random);
  return mutated(how, member, help, *grammar_, composer);
}

void Maker::teach(const Input& input, const Holdings& holdings) {
  for (const InputClient& client : input.clients) {
    for (const Request& request : client.requests) {
      if (templates_->known(request.text)) continue;
      templates_->add_learnt(learnt_of(*grammar_, request.text, holdings));
    }
  }
}

void Maker::learn(std::string_view request, bool succeeded) {
  if (const auto known = templates_->known(request)) {
    templates_->count(known->production->name, succeeded, made_);
  }
}

std::vector<TemplateRate> Maker::rates() const {
  return templates_->rates();
}

void Maker::restore(std::span<const TemplateRate> rates, uint64_t made) {
  for (const TemplateRate& rate : rates) templates_->restore(rate);
  made_ = made;
}

}  // namespace esox
