// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/mutations.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "inputs/generation/limits.h"

namespace esox {
namespace {

constexpr int kMostMutationTries = 6;  // until something differs
constexpr int kMostSetupTries = 10;    // until a setup makes all that is named
constexpr double kOther = 0.3;         // how often a whole client is added or left out

struct Place {
  size_t client = 0;
  size_t request = 0;
};

class Mutating {
 public:
  Mutating(const Input& member, const MakingHelp& help, const Grammar& grammar, Composer& composer)
      : input_(member),
        help_(help),
        grammar_(grammar),
        composer_(composer),
        random_(composer.random()) {}

  bool apply(Mutation how) {
    if (input_.clients.empty()) return false;
    switch (how) {
      case Mutation::kRefill:
        return refill();
      case Mutation::kReplace:
        return replace();
      case Mutation::kInsert:
        return insert();
      case Mutation::kDelete:
        return leave_out();
      case Mutation::kSwap:
        return swap();
      case Mutation::kMove:
        return move();
      case Mutation::kWrap:
        return wrap();
      case Mutation::kSplice:
        return splice();
      case Mutation::kComplete:
        return complete();
      case Mutation::kSetup:
        return false;
    }
    return false;
  }

  Input take() { return std::move(input_); }

 private:
  std::vector<Request>& requests(size_t client) { return input_.clients[client].requests; }
  size_t any_client() { return random_.below(input_.clients.size()); }
  Place any_place() {
    Place place{any_client(), 0};
    place.request = random_.below(requests(place.client).size());
    return place;
  }

  void put(size_t client, size_t place, Request request) {
    requests(client).insert(requests(client).begin() + static_cast<std::ptrdiff_t>(place),
                            std::move(request));
  }
  Request take_out(size_t client, size_t place) {
    Request request = std::move(requests(client)[place]);
    requests(client).erase(requests(client).begin() + static_cast<std::ptrdiff_t>(place));
    return request;
  }

  // Under a name that none has: requests may name their clients.
  size_t add_client() {
    InputClient client;
    const auto is_taken = [&](const InputClient& one) { return one.name == client.name; };
    for (char name = 'A'; client.name.empty() || std::ranges::any_of(input_.clients, is_taken);) {
      client.name = std::string(1, name++);
    }
    input_.clients.push_back(std::move(client));
    return input_.clients.size() - 1;
  }

  bool refill() {
    const Place place = any_place();
    Request& request = requests(place.client)[place.request];
    std::optional<Request> other =
        composer_.again(input_, place.client, place.request, request.text);
    if (!other) return false;
    request = std::move(*other);
    return true;
  }

  bool replace() {
    const Place place = any_place();
    Request& request = requests(place.client)[place.request];
    std::optional<Request> other =
        composer_.request_for(input_, place.client, place.request, request.text);
    if (!other) return false;
    request = std::move(*other);
    return true;
  }

  bool insert() {
    const bool more_clients = input_.clients.size() < kMostMadeClients && random_.unit() < kOther;
    const size_t client = more_clients ? add_client() : any_client();
    const size_t place = random_.below(requests(client).size() + 1);
    std::optional<Request> request = composer_.request_for(input_, client, place);
    if (!request) return false;
    put(client, place, std::move(*request));
    return true;
  }

  bool leave_out() {
    const Place place = any_place();
    const bool whole = input_.clients.size() > 2 &&
                       (requests(place.client).size() == 1 || random_.unit() < kOther);
    if (whole) {
      input_.clients.erase(input_.clients.begin() + static_cast<std::ptrdiff_t>(place.client));
      return true;
    }
    if (requests(place.client).size() == 1) return false;
    take_out(place.client, place.request);
    return true;
  }

  bool swap() {
    const Place place = any_place();
    std::vector<Request>& own = requests(place.client);
    if (own.size() < 2) return false;
    const size_t other = (place.request + 1 + random_.below(own.size() - 1)) % own.size();
    std::swap(own[place.request], own[other]);
    return true;
  }

  bool move() {
    const Place from = any_place();
    if (input_.clients.size() < 2 || requests(from.client).size() < 2) return false;
    const size_t count = input_.clients.size();
    const size_t to = (from.client + 1 + random_.below(count - 1)) % count;
    put(to, random_.below(requests(to).size() + 1), take_out(from.client, from.request));
    return true;
  }

  static bool ends(const Production& production, const std::string& type) {
    return std::ranges::any_of(production.ends,
                               [&](const SessionMark& mark) { return mark.type == type; });
  }

  // BEGIN and COMMIT are not known here: any production that gives what another one ends.
  bool wrap() {
    const Place place = any_place();
    const std::vector<Request>& own = requests(place.client);
    const auto can_be_ended = [&](const Production& one) {
      return std::ranges::any_of(one.gives, [&](const SessionMark& mark) {
        return std::ranges::any_of(grammar_.requests,
                                   [&](const Production& other) { return ends(other, mark.type); });
      });
    };
    SessionItems session = composer_.session_at(input_.clients[place.client], place.request);
    const Production* begin =
        composer_.templates().draw_of_grammar(session, composer_.now(), random_, can_be_ended);
    if (begin == nullptr) return false;
    const std::string wrapped = own[place.request].text;
    std::optional<Request> first =
        composer_.by(*begin, composer_.around(input_, place.client, wrapped), session);
    if (!first) return false;
    put(place.client, place.request, std::move(*first));
    const size_t after =
        place.request + 2 + random_.below(own.size() - place.request - 1);  // own has grown
    session = composer_.session_at(input_.clients[place.client], after);
    const std::string& type = begin->gives.front().type;
    const Production* end = composer_.templates().draw_of_grammar(
        session, composer_.now(), random_,
        [&](const Production& one) { return ends(one, type) && uses_session(grammar_, one); });
    if (end == nullptr) return false;
    std::optional<Request> last =
        composer_.by(*end, composer_.around(input_, place.client, wrapped), session);
    if (!last) return false;
    put(place.client, after, std::move(*last));
    return true;
  }

  bool splice() {
    if (help_.other == nullptr || help_.other->clients.empty()) return false;
    std::vector<InputClient> others = help_.other->clients;
    size_t room = kMostMadeClients - std::min(kMostMadeClients, input_.clients.size());
    if (room == 0) {
      input_.clients.erase(input_.clients.begin() + static_cast<std::ptrdiff_t>(any_client()));
      room = 1;
    }
    bool any = false;
    for (; room > 0 && !others.empty(); --room) {
      const size_t drawn = random_.below(others.size());
      any = add_refilled(others[drawn]) || any;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(drawn));
    }
    while (states_of(input_) > kMostMadeStates) {
      const auto longest =
          std::ranges::max_element(input_.clients, [](const InputClient& a, const InputClient& b) {
            return a.requests.size() < b.requests.size();
          });
      longest->requests.pop_back();
    }
    return any;
  }

  bool add_refilled(const InputClient& other) {
    const size_t client = add_client();
    for (const Request& request : other.requests) {
      if (requests(client).size() == kMostMadeRequests) break;
      std::optional<Request> own =
          composer_.again(input_, client, requests(client).size(), request.text);
      if (own) requests(client).push_back(std::move(*own));
    }
    if (!requests(client).empty()) return true;
    input_.clients.pop_back();
    return false;
  }

  bool complete() {
    if (help_.request.empty()) return false;
    std::vector<size_t> without;
    for (size_t i = 0; i < input_.clients.size(); ++i) {
      const std::vector<Request>& own = requests(i);
      const bool has =
          std::ranges::any_of(own, [&](const Request& one) { return one.text == help_.request; });
      if (!has && own.size() < kMostMadeRequests) without.push_back(i);
    }
    if (without.empty()) return false;
    const size_t client = without[random_.below(without.size())];
    const size_t place = random_.below(requests(client).size() + 1);
    std::optional<Request> request = composer_.again(input_, client, place, help_.request);
    if (!request) return false;
    put(client, place, std::move(*request));
    return true;
  }

  Input input_;
  const MakingHelp& help_;
  const Grammar& grammar_;
  Composer& composer_;
  Rng& random_;
};

bool same_requests(const Input& a, const Input& b) {
  return std::ranges::equal(a.clients, b.clients, [](const InputClient& x, const InputClient& y) {
    return x.requests == y.requests;
  });
}

std::set<std::string> made_by(const Input& input) {
  std::set<std::string> made;
  for (const std::string& text : input.setup) {
    for (std::string& name : input.language->names_made(text)) made.insert(std::move(name));
  }
  return made;
}

Input remade(Input input) {
  input.id = input.title = input.origin = kMadeId;
  return input;
}

}  // namespace

std::optional<Input> mutated(Mutation how, const Input& member, const MakingHelp& help,
                             const Grammar& grammar, Composer& composer) {
  for (int tries = 0; tries < kMostMutationTries; ++tries) {
    Mutating mutating(member, help, grammar, composer);
    if (!mutating.apply(how)) continue;
    Input input = mutating.take();
    if (composer.mend(input) && !same_requests(input, member)) return remade(std::move(input));
  }
  return {};
}

std::optional<Input> with_setup(const Input& member, const std::function<Input()>& draw) {
  const std::set<std::string> needed = made_by(member);
  for (int tries = 0; tries < kMostSetupTries; ++tries) {
    const Input other = draw();
    if (other.setup == member.setup && other.server_options == member.server_options) continue;
    const std::set<std::string> made = made_by(other);
    if (!std::ranges::includes(made, needed)) continue;
    Input input = member;
    input.setup = other.setup;
    input.server_options = other.server_options;
    return remade(std::move(input));
  }
  return {};
}

}  // namespace esox
