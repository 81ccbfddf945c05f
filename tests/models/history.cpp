// SPDX-License-Identifier: Apache-2.0
#include "tests/models/history.h"

#include <algorithm>

namespace esox::oracle {
namespace {

constexpr size_t kMostCalls = 4;  // as a rule: orders by brute force are factorially many
constexpr int kNothingLeft = 7;

size_t below(std::mt19937_64& random, size_t bound) {
  return random() % bound;
}

bool one_in(std::mt19937_64& random, size_t count) {
  return below(random, count) == 0;
}

Call random_call(std::mt19937_64& random) {
  // Dates are rare: a history of dates tells nothing.
  constexpr std::array<Verb, 15> kVerbs = {Verb::kRead, Verb::kRead, Verb::kWrite,   Verb::kWrite,
                                           Verb::kAdd,  Verb::kAdd,  Verb::kTake,    Verb::kTake,
                                           Verb::kPut,  Verb::kPut,  Verb::kMembers, Verb::kLook,
                                           Verb::kLook, Verb::kLook, Verb::kDate};
  return {kVerbs[below(random, kVerbs.size())], static_cast<int>(below(random, 2)),
          static_cast<int>(1 + below(random, 3))};
}

TimedCall& any_of(std::vector<TimedCall>& calls, std::mt19937_64& random) {
  return calls[below(random, calls.size())];
}

std::vector<std::vector<TimedCall>> random_calls(std::mt19937_64& random) {
  std::vector<std::vector<TimedCall>> clients(2 + below(random, 3));
  for (auto& client : clients) client.push_back({random_call(random), {}});
  const size_t most = kMostCalls + (one_in(random, 3) ? 1 : 0) + (one_in(random, 10) ? 1 : 0);
  const size_t more = below(random, most - clients.size() + 1);
  for (size_t i = 0; i < more; ++i) {
    clients[below(random, clients.size())].push_back({random_call(random), {}});
  }
  if (one_in(random, 4)) {
    const size_t killer = below(random, clients.size());
    const size_t victim = (killer + 1 + below(random, clients.size() - 1)) % clients.size();
    any_of(clients[killer], random).call = {Verb::kKill, static_cast<int>(victim), 0};
  }
  return clients;
}

// Each client asks, is served, is answered, in turns drawn at random. Where calls are served in two
// halves, a call goes by what the object was when it was asked: what a missing lock does.
class Run {
 public:
  Run(std::mt19937_64& random, bool in_halves)
      : random_(random), in_halves_(in_halves), clients_(random_calls(random)) {
    phase_.assign(clients_.size(), 0);
    next_.assign(clients_.size(), 0);
    copies_.resize(clients_.size());
  }

  History run() {
    while (true) {
      std::vector<size_t> open;
      for (size_t c = 0; c < clients_.size(); ++c) {
        if (next_[c] < clients_[c].size()) open.push_back(c);
      }
      if (open.empty()) break;
      go_on(open[below(random_, open.size())]);
    }
    return {std::move(clients_), object_};
  }

 private:
  void go_on(size_t client) {
    TimedCall& one = clients_[client][next_[client]];
    const uint64_t now = ++time_;
    switch (phase_[client]++) {
      case 0:
        one.asked = now;
        copies_[client] = object_;
        break;
      case 1:
        serve(client, one);
        break;
      default:
        if (object_.killed == static_cast<int>(client)) {
          one.reply = {.error = 0, .values = {}, .none = true};
          next_[client] = clients_[client].size();
          hang_up(client);
          return;
        }
        one.answered = now;
        phase_[client] = 0;
        ++next_[client];
    }
  }

  // What it had still to ask.
  void hang_up(size_t client) {
    for (TimedCall& one : clients_[client]) {
      if (one.asked == kNotAtAll) one.reply.none = true;
    }
  }

  void serve(size_t client, TimedCall& one) {
    const int date = static_cast<int>(time_);
    if (!in_halves_) {
      one.reply = object_.take(one.call, date, client);
      std::shuffle(one.reply.values.begin(), one.reply.values.end(), random_);
      return;
    }
    const auto at = static_cast<size_t>(one.call.object);
    if (one.call.verb == Verb::kKill || object_.killed == static_cast<int>(client)) {
      one.reply = object_.take(one.call, date, client);
      return;
    }
    one.reply = copies_[client].take(one.call, date, client);
    if (one.call.verb != Verb::kRead) object_.registers[at] = copies_[client].registers[at];
  }

  std::mt19937_64& random_;
  bool in_halves_;
  std::vector<std::vector<TimedCall>> clients_;
  std::vector<int> phase_;
  std::vector<size_t> next_;
  std::vector<Object> copies_;
  Object object_;
  uint64_t time_ = 0;
};

TimedCall& any_call(History& history, std::mt19937_64& random) {
  return any_of(history.clients[below(random, history.clients.size())], random);
}

void corrupt_reply(History& history, std::mt19937_64& random) {
  Reply& reply = any_call(history, random).reply;
  if (reply.none) return;
  if (reply.error != 0 || one_in(random, 6)) {
    reply.error = reply.error == 0 ? kNothingLeft : 0;
  } else if (!reply.values.empty()) {
    reply.values[below(random, reply.values.size())] += one_in(random, 2) ? 1 : -1;
  } else {
    reply.values.push_back(static_cast<int>(below(random, 3)));
  }
}

void corrupt_end(History& history, std::mt19937_64& random) {
  Object& end = history.end;
  switch (below(random, 4)) {
    case 0:
      end.registers[below(random, 2)] += 1;
      break;
    case 1:
      if (end.bag.empty()) {
        end.bag.push_back(1);
      } else {
        end.bag.pop_back();
      }
      break;
    case 2:
      end.cache.erase(static_cast<int>(below(random, 2)));
      break;
    default:
      end.cache[static_cast<int>(below(random, 2))] = static_cast<int>(below(random, 4));
  }
}

// Real time forbids more then. Stamps of one client stay in their order.
void corrupt_time(History& history, std::mt19937_64& random) {
  TimedCall& one = any_call(history, random);
  if (one.reply.none) return;
  const uint64_t middle = one.asked + below(random, one.answered - one.asked + 1);
  if (one_in(random, 2)) {
    one.asked = middle;
  } else {
    one.answered = middle;
  }
}

void corrupt_order(History& history, std::mt19937_64& random) {
  Reply& one = any_call(history, random).reply;
  Reply& other = any_call(history, random).reply;
  if (!one.none && !other.none) std::swap(one, other);
}

// A call of a client, or that it is left out.
struct Placed {
  size_t client;
  const TimedCall* one;
};

bool real_time_allows(const std::vector<Placed>& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = i + 1; j < order.size(); ++j) {
      if (order[j].one->answered < order[i].one->asked) return false;
    }
  }
  return true;
}

// One order. What was not answered may be answered anything, but is no call of a client that was
// killed before: that would be left out.
void try_order(const History& history, const std::vector<Placed>& order, Truth& truth) {
  if (!real_time_allows(order)) return;
  Object object;
  for (const Placed& placed : order) {
    const TimedCall& one = *placed.one;
    const Reply reply = object.take(one.call, 0, placed.client);
    if (reply.none || (!one.reply.none && !same_reply(one.call, one.reply, reply))) return;
  }
  truth.replies_fit = true;
  if (same_end(history.end, object)) ++truth.linearizations;
}

void try_all(const History& history, std::vector<size_t>& taken, std::vector<Placed>& order,
             Truth& truth) {
  bool whole = true;
  for (size_t c = 0; c < history.clients.size(); ++c) {
    if (taken[c] == history.clients[c].size()) continue;
    const TimedCall& one = history.clients[c][taken[c]];
    if (one.asked == kNotAtAll) continue;  // and so are those behind it
    whole = whole && one.reply.none;
    order.push_back({c, &one});
    ++taken[c];
    try_all(history, taken, order, truth);
    --taken[c];
    order.pop_back();
  }
  if (whole) try_order(history, order, truth);
}

}  // namespace

Reply Object::take(const Call& call, int date, size_t client) {
  if (killed == static_cast<int>(client)) return {.error = 0, .values = {}, .none = true};
  if (call.verb == Verb::kKill) {
    killed = call.object;
    return {};
  }
  int& value = registers[static_cast<size_t>(call.object)];
  switch (call.verb) {
    case Verb::kRead:
      return {0, {value}};
    case Verb::kWrite:
      value = call.value;
      return {};
    case Verb::kAdd:
      value += call.value;
      return {0, {value}};
    case Verb::kTake:
      if (value == 0) return {kNothingLeft, {}};
      value -= 1;
      return {};
    case Verb::kPut:
      bag.push_back(call.value);
      return {};
    case Verb::kMembers:
      return {0, bag};
    case Verb::kLook:
      cache[call.object] = value;
      return {0, {value}};
    case Verb::kDate:
      return {0, {date}};
    case Verb::kKill:
      break;  // above
  }
  return {};
}

History random_history(std::mt19937_64& random) {
  const bool corrupt = one_in(random, 2);
  History history = Run(random, corrupt && one_in(random, 3)).run();
  if (!corrupt) return history;
  using Corruption = void (*)(History&, std::mt19937_64&);
  constexpr std::array<Corruption, 4> kCorruptions = {corrupt_reply, corrupt_end, corrupt_time,
                                                      corrupt_order};
  const size_t times = below(random, 3);
  for (size_t i = 0; i < times; ++i) {
    kCorruptions[below(random, kCorruptions.size())](history, random);
  }
  return history;
}

bool same_reply(const Call& call, Reply seen, Reply expected) {
  if (call.verb == Verb::kDate) return seen.error == 0 && seen.values.size() == 1;
  std::sort(seen.values.begin(), seen.values.end());
  std::sort(expected.values.begin(), expected.values.end());
  return seen == expected;
}

bool same_end(const Object& seen, const Object& expected) {
  if (seen.registers != expected.registers) return false;
  std::vector<int> bag = seen.bag;
  std::vector<int> expected_bag = expected.bag;
  std::sort(bag.begin(), bag.end());
  std::sort(expected_bag.begin(), expected_bag.end());
  if (bag != expected_bag) return false;
  return std::all_of(seen.cache.begin(), seen.cache.end(), [&](const auto& held) {
    const auto found = expected.cache.find(held.first);
    return found != expected.cache.end() && found->second == held.second;
  });
}

Truth check(const History& history) {
  Truth truth;
  std::vector<size_t> taken(history.clients.size(), 0);
  std::vector<Placed> order;
  try_all(history, taken, order, truth);
  return truth;
}

bool is_cut_off(const History& history) {
  return std::any_of(history.clients.begin(), history.clients.end(),
                     [](const auto& client) { return client.back().reply.none; });
}

std::string text_of(const History& history) {
  std::string text;
  for (size_t c = 0; c < history.clients.size(); ++c) {
    for (const TimedCall& one : history.clients[c]) {
      text += static_cast<char>('A' + c);
      text += " verb " + std::to_string(static_cast<int>(one.call.verb)) + " of " +
              std::to_string(one.call.object) + " with " + std::to_string(one.call.value) + " at " +
              std::to_string(one.asked) + " to " + std::to_string(one.answered) + " gave error " +
              std::to_string(one.reply.error) + ":";
      for (const int value : one.reply.values) text += " " + std::to_string(value);
      text += "\n";
    }
  }
  text += "at the end:";
  for (const int value : history.end.registers) text += " " + std::to_string(value);
  text += "; bag:";
  for (const int value : history.end.bag) text += " " + std::to_string(value);
  text += "; cache:";
  for (const auto& [key, value] : history.end.cache) {
    text += " " + std::to_string(key) + "=" + std::to_string(value);
  }
  return text + "\n";
}

}  // namespace esox::oracle
