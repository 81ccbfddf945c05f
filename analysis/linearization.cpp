// SPDX-License-Identifier: Apache-2.0
// Depth-first enumeration: at each step a client's next request may be placed if no unplaced
// request was answered before it began. Only the next request of each other client needs to be
// asked: within a client stamps grow, so a later request is never answered earlier.
#include "analysis/linearization.h"

#include <algorithm>

namespace esox {
namespace {

// The earliest response among the unplaced requests of one client. Stamps are taken as they are:
// out-of-order stamps (a broken recording) must not make an order appear that is not allowed.
uint64_t earliest_response(const std::vector<Stamp>& client, size_t from) {
  uint64_t earliest = kNever;
  for (size_t i = from; i < client.size(); ++i) earliest = std::min(earliest, client[i].response);
  return earliest;
}

class Enumeration {
 public:
  Enumeration(const Stamps& stamps, size_t limit)
      : stamps_(stamps), limit_(limit), placed_(stamps.size(), 0) {
    for (const auto& client : stamps) steps_ += client.size();
    // Every prefix leads to an order unless stamps contradict each other, so twice the honest work
    // is enough; beyond it the recording is broken and the answer is "too many", never a long wait.
    budget_ = 2 * (limit + 1) * (steps_ + 1);
  }

  Linearizations run() {
    extend();
    return std::move(found_);
  }

 private:
  // Recursion is as deep as there are requests.
  void extend() {
    if (found_.too_many) return;
    if (budget_-- == 0) {
      found_.too_many = true;
      return;
    }
    if (prefix_.size() == steps_) {
      if (found_.orders.size() == limit_) {
        found_.too_many = true;
      } else {
        found_.orders.push_back(prefix_);
      }
      return;
    }
    for (size_t client = 0; client < stamps_.size(); ++client) {
      if (!may_be_next(stamps_, placed_, client)) continue;
      prefix_.push_back(static_cast<uint16_t>(client));
      ++placed_[client];
      extend();
      --placed_[client];
      prefix_.pop_back();
    }
  }

  const Stamps& stamps_;
  size_t limit_;
  size_t steps_ = 0;
  uint64_t budget_ = 0;
  std::vector<size_t> placed_;
  Order prefix_;
  Linearizations found_;
};

}  // namespace

bool may_be_next(const Stamps& stamps, const std::vector<size_t>& placed, size_t client) {
  if (placed[client] >= stamps[client].size()) return false;
  const uint64_t invocation = stamps[client][placed[client]].invocation;
  // Its own client is asked too: a request answered before it began is a broken recording, and
  // then no order is allowed rather than a wrong one.
  for (size_t other = 0; other < stamps.size(); ++other) {
    if (earliest_response(stamps[other], placed[other]) < invocation) return false;
  }
  return true;
}

Linearizations all_orders(std::span<const size_t> requests_per_client, size_t limit) {
  Stamps unordered;
  for (size_t count : requests_per_client) {
    unordered.emplace_back(count, Stamp{.invocation = 0, .response = kNever});
  }
  return Enumeration(unordered, limit).run();
}

Linearizations linearizations(const Stamps& stamps, size_t limit) {
  return Enumeration(stamps, limit).run();
}

bool keeps_real_time(const Order& order, const Stamps& stamps) {
  std::vector<size_t> placed(stamps.size(), 0);
  for (uint16_t client : order) {
    if (client >= stamps.size() || !may_be_next(stamps, placed, client)) return false;
    ++placed[client];
  }
  for (size_t client = 0; client < stamps.size(); ++client) {
    if (placed[client] != stamps[client].size()) return false;
  }
  return true;
}

std::string request_name(size_t client, size_t request,
                         const std::vector<std::string>& client_names) {
  std::string name;
  if (client < client_names.size() && !client_names[client].empty()) {
    name = client_names[client];
  } else if (client < 26) {
    name = static_cast<char>('A' + client);
  } else {
    name = "C" + std::to_string(client);
  }
  return name + std::to_string(request + 1);
}

std::string order_name(const Order& order, const std::vector<std::string>& client_names) {
  std::vector<size_t> placed;
  std::string text;
  for (uint16_t client : order) {
    if (client >= placed.size()) placed.resize(client + size_t{1}, 0);
    if (!text.empty()) text += ' ';
    text += request_name(client, placed[client]++, client_names);
  }
  return text;
}

}  // namespace esox
