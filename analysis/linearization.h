// SPDX-License-Identifier: Apache-2.0
// Which serial orders could explain a concurrent execution (P. Fonseca, Effective testing for
// concurrency bugs, PhD thesis 2015, section 5.2.1).
//
// A linearization is a serial order of all requests that keeps each client's own order and the
// observed real-time order: a request answered before another one began comes before it. A request
// that was never answered is before nothing. Orders are enumerated lexicographically by client
// number, so equal input gives equal lists. Their number grows like a multinomial coefficient
// ((2n)! / n!^2 for two clients of n requests), hence the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

// The client of each step; its requests are taken in their own order.
using Order = std::vector<uint16_t>;

inline constexpr size_t kDefaultOrderLimit = 256;

struct Linearizations {
  std::vector<Order> orders;
  bool too_many = false;  // there are more than the limit; `orders` holds the first ones
};

// All interleavings of clients with these numbers of requests. Of no requests: doing nothing.
Linearizations all_orders(std::span<const size_t> requests_per_client,
                          size_t limit = kDefaultOrderLimit);

// Those of them that keep the real-time order of the stamps.
Linearizations linearizations(const Stamps& stamps, size_t limit = kDefaultOrderLimit);

// True if real time allows the next request of `client` after the first `placed[c]` requests of
// each client c have been placed, and it has one.
bool may_be_next(const Stamps& stamps, const std::vector<size_t>& placed, size_t client);

// True if `order` is a serial order of exactly these requests and keeps their real-time order.
bool keeps_real_time(const Order& order, const Stamps& stamps);

// "A1 B1 A2". Clients without a name in `client_names` are called A, B, ..., Z, C26, C27, ...
std::string order_name(const Order& order, const std::vector<std::string>& client_names = {});

// "A2": the request's name for people; requests count from 1.
std::string request_name(size_t client, size_t request,
                         const std::vector<std::string>& client_names = {});

}  // namespace esox
