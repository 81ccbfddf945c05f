// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/composer.h"

#include <algorithm>
#include <set>

#include "base/text/letters.h"
#include "inputs/generation/limits.h"
#include "inputs/signals.h"

namespace esox {
namespace {

constexpr int kMostKinds = 10;      // that are tried before an unwanted one is taken
constexpr int kMostStepDraws = 10;  // for a step of a sequence
constexpr int kMostDraws = 200;  // for them: most setups have nothing for many of a grammar's texts
// How often what the session has is used, if anything: else hardly a COMMIT would follow a BEGIN.
constexpr double kUseOfSession = 0.3;
// How often a client's first request is one that gives its session something for what follows, a
// transaction most of all: by the weights alone one client of fifty had one of two requests.
constexpr double kOpening = 0.3;
// How often what others wait for is ended: what is never ended is worth a try, too.
constexpr double kClosing = 0.85;

// Whether all clients that it names are others.
bool names_others(const Bindings& bindings, const Input& input, const InputClient& own) {
  return std::ranges::all_of(bindings, [&](const auto& one) {
    if (one.first->kind != Piece::Kind::kClient) return true;
    return one.second != own.name &&
           std::ranges::any_of(
               input.clients, [&](const InputClient& client) { return client.name == one.second; });
  });
}

}  // namespace

size_t states_of(const Input& input) {
  size_t states = 1;
  for (const InputClient& client : input.clients) states *= client.requests.size() + 1;
  return states;
}

bool is_within_limits(const Input& input) {
  return input.clients.size() >= 2 && input.clients.size() <= kMostMadeClients &&
         states_of(input) <= kMostMadeStates && signals_complaint(input.clients).empty() &&
         std::ranges::all_of(input.clients, [](const InputClient& client) {
           return !client.requests.empty() && client.requests.size() <= kMostMadeRequests;
         });
}

Composer::Composer(const Grammar& grammar, const Templates& templates, const Holdings& holdings,
                   const MakingHelp& help, uint64_t now, Rng& random)
    : grammar_(grammar),
      templates_(templates),
      holdings_(grammar.known),
      help_(help),
      now_(now),
      random_(random) {
  const size_t room = kMostHoldings - std::min(kMostHoldings, holdings_.size());
  holdings_.insert(holdings_.end(), holdings.begin(),
                   holdings.begin() + static_cast<std::ptrdiff_t>(std::min(room, holdings.size())));
}

SessionItems Composer::session_at(const InputClient& client, size_t place) const {
  SessionItems session(grammar_);
  for (size_t i = 0; i < place && i < client.requests.size(); ++i) {
    const std::string& text = client.requests[i].text;
    const auto known = templates_.known(text, &session);
    session.pass(known ? known->production : nullptr, known ? known->bindings : Bindings{}, text);
  }
  return session;
}

Surroundings Composer::around(const Input& input, size_t client, std::string_view beside,
                              bool own) const {
  Surroundings surroundings{.holdings = &holdings_};
  std::set<std::string> names;
  const auto meet = [&](std::string_view text) {
    for (std::string& name : grammar_.language->names(text)) names.insert(std::move(name));
    surroundings.met_texts += std::string(text) + "\n";
  };
  for (size_t i = 0; i < input.clients.size(); ++i) {
    if (i == client && !own) continue;
    if (i != client) surroundings.others.push_back(input.clients[i].name);
    if (!beside.empty()) continue;
    for (const Request& request : input.clients[i].requests) meet(request.text);
  }
  if (!beside.empty()) meet(beside);
  for (const Holding& one : holdings_) {
    surroundings.met.push_back(names.contains(lower(one.name)) &&
                               (one.of.empty() || names.contains(lower(one.of))));
  }
  return surroundings;
}

std::optional<Request> Composer::by(const Production& production, const Surroundings& surroundings,
                                    const SessionItems& session) const {
  const std::optional<std::string> text =
      fill(grammar_, production.phrase, production.defines, surroundings, session, random_);
  if (!text) return {};
  Request request{grammar_.language->trimmed(*text)};
  if (grammar_.language->kind(request.text).empty() ||
      !grammar_.language->complaint(request.text).empty()) {
    return {};
  }
  request.ordered = grammar_.language->orders_rows(request.text);
  return request;
}

double Composer::wanted(const Input& input, size_t client, const std::string& kind) const {
  double most = 0;
  bool alone = true;
  for (size_t i = 0; i < input.clients.size(); ++i) {
    if (i == client) continue;
    for (const Request& request : input.clients[i].requests) {
      alone = false;
      most = std::max(most, help_.wanted(kind, grammar_.language->kind(request.text)));
    }
  }
  return alone ? 1 : most;
}

std::optional<Request> Composer::request_for(const Input& input, size_t client, size_t place,
                                             std::string_view beside, bool last) {
  const SessionItems session = session_at(input.clients[client], place);
  const Surroundings surroundings = around(input, client, beside);
  const std::string avoided = beside.empty() ? "" : grammar_.language->kind(beside);
  std::optional<Request> made;
  for (int draws = 0, kinds = 0; draws < kMostDraws && kinds < kMostKinds; ++draws) {
    const Production* production = nullptr;
    if (random_.unit() < kUseOfSession) {
      production = templates_.draw_of_grammar(session, now_, random_, [&](const Production& one) {
        return uses_session(grammar_, one);
      });
    }
    if (production == nullptr) production = templates_.draw(session, now_, random_);
    if (last && production != nullptr && begins_brief(*production)) {
      production = templates_.draw_of_grammar(
          session, now_, random_, [&](const Production& one) { return !begins_brief(one); });
    }
    if (production == nullptr) return {};
    std::optional<Request> request = by(*production, surroundings, session);
    if (!request) continue;
    ++kinds;
    const std::string kind = grammar_.language->kind(request->text);
    if (kind == avoided) continue;
    made = std::move(request);
    if (!help_.wanted || random_.unit() < wanted(input, client, kind)) break;
  }
  return made;
}

std::optional<Request> Composer::next_for(const Input& input, size_t client, bool last) {
  const bool closes = last && random_.unit() < kClosing;
  const bool opens = !last && input.clients[client].requests.empty() && random_.unit() < kOpening;
  std::optional<Request> request = closes  ? closing(input, client)
                                   : opens ? opening(input, client)
                                           : std::nullopt;
  if (request) return request;
  return request_for(input, client, input.clients[client].requests.size(), {}, closes);
}

bool Composer::follow(Input& input, size_t client, const Sequence& sequence) const {
  std::vector<Request>& own = input.clients[client].requests;
  for (const SequenceStep& step : sequence.steps) {
    std::optional<Request> request = next_of(input, client, step);
    if (!request) {
      own.clear();
      return false;
    }
    own.push_back(std::move(*request));
  }
  return true;
}

std::optional<Request> Composer::next_of(const Input& input, size_t client,
                                         const SequenceStep& step) const {
  const std::vector<Request>& own = input.clients[client].requests;
  const SessionItems session = session_at(input.clients[client], own.size());
  const Surroundings surroundings = around(input, client, {}, true);
  for (int draws = 0; draws < kMostStepDraws; ++draws) {
    const Production* production =
        templates_.draw_of_grammar(session, now_, random_, [&](const Production& one) {
          const auto place = static_cast<size_t>(&one - grammar_.requests.data());
          return std::ranges::find(step.requests, place) != step.requests.end();
        });
    if (production == nullptr) return {};
    if (std::optional<Request> request = by(*production, surroundings, session)) return request;
  }
  return {};
}

bool Composer::is_brief(const std::string& type) const {
  const NameType* found = grammar_.type(type);
  return found != nullptr && found->brief;
}

bool Composer::begins_brief(const Production& production) const {
  return std::ranges::any_of(production.gives,
                             [&](const SessionMark& mark) { return is_brief(mark.type); });
}

std::optional<Request> Composer::closing(const Input& input, size_t client) const {
  const InputClient& own = input.clients[client];
  const SessionItems session = session_at(own, own.requests.size());
  const auto closes = [&](const Production& one) {
    return std::ranges::any_of(one.ends, [&](const SessionMark& mark) {
      return is_brief(mark.type) && session.has(mark.type);
    });
  };
  const Production* production = templates_.draw_of_grammar(session, now_, random_, closes);
  if (production == nullptr) return {};
  return by(*production, around(input, client), session);
}

std::optional<Request> Composer::opening(const Input& input, size_t client) const {
  const SessionItems session = session_at(input.clients[client], 0);
  const Production* production = templates_.draw_of_grammar(
      session, now_, random_, [](const Production& one) { return !one.gives.empty(); });
  if (production == nullptr) return {};
  return by(*production, around(input, client), session);
}

std::optional<Request> Composer::again(const Input& input, size_t client, size_t place,
                                       std::string_view text) {
  const SessionItems session = session_at(input.clients[client], place);
  const Surroundings surroundings = around(input, client);
  if (const auto known = templates_.known(text, &session)) {
    return session.admit(*known->production) ? by(*known->production, surroundings, session)
                                             : std::nullopt;
  }
  return by(learnt_of(grammar_, text, holdings_), surroundings, session);
}

void Composer::prepare_named(Input& input) const {
  std::set<std::string, std::less<>> named;
  for (const InputClient& client : input.clients) {
    for (const Request& request : client.requests) {
      const auto known = templates_.known(request.text);
      if (!known) continue;
      for (const auto& [piece, text] : known->bindings) {
        if (piece->kind == Piece::Kind::kClient) named.emplace(text);
      }
    }
  }
  const SessionItems nothing(grammar_);
  for (InputClient& client : input.clients) {
    const Surroundings own{.holdings = &grammar_.known, .others = {client.name}};
    for (const Phrase& phrase : grammar_.named_clients) {
      Rng same;  // of a client always the same
      const auto text = fill(grammar_, phrase, false, own, nothing, same);
      if (!text) continue;
      std::erase(client.setup, *text);
      if (named.contains(client.name)) client.setup.push_back(*text);
    }
  }
}

bool Composer::mend(Input& input) const {
  const Input before = input;
  for (InputClient& client : input.clients) {
    SessionItems session(grammar_);
    std::vector<Request> kept;
    for (Request& request : client.requests) {
      const auto known = templates_.known(request.text, &session);
      if (known && (!session.admit(*known->production, known->bindings) ||
                    !names_others(known->bindings, before, client))) {
        continue;
      }
      session.pass(known ? known->production : nullptr, known ? known->bindings : Bindings{},
                   request.text);
      kept.push_back(std::move(request));
    }
    client.requests = std::move(kept);
  }
  std::erase_if(input.clients, [](const InputClient& one) { return one.requests.empty(); });
  for (size_t i = 0; i < input.clients.size(); ++i) {
    std::vector<Request>& own = input.clients[i].requests;
    if (own.size() >= kMostMadeRequests || random_.unit() >= kClosing) continue;
    std::optional<Request> request = closing(input, i);
    if (!request) continue;
    own.push_back(std::move(*request));
    if (states_of(input) > kMostMadeStates) own.pop_back();
  }
  prepare_named(input);
  return is_within_limits(input);
}

}  // namespace esox
