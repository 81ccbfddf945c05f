// SPDX-License-Identifier: Apache-2.0
#include "analysis/transactions.h"

#include <string>

#include "analysis/ended_server.h"
#include "inputs/isolation_level.h"

namespace esox {
namespace {

std::vector<Unit> units_of_client(const RequestLanguage& language,
                                  const std::vector<Request>& requests,
                                  const std::vector<Output>& outputs) {
  std::vector<Unit> units;
  bool open = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& text = requests[i].text;
    const Output& output = outputs[i];
    const bool goes_on = open && !language.ends_transaction_first(text);
    const bool is_begun = !units.empty() && units.back().first == i;  // by what went before
    if (!goes_on && !is_begun) units.push_back({i, i});
    units.back().last = i;
    units.back().undone = output.error != 0 && language.undoes_transaction(output.error);
    const bool stays = output.error == 0 ? output.in_transaction.value_or(false) : goes_on;
    open = stays && !units.back().undone && language.session_effect(text) != SessionEffect::kCloses;
    // COMMIT AND CHAIN: the next one is open already.
    if (!open && stays && !units.back().undone && i + 1 < outputs.size()) {
      units.push_back({i + 1, i + 1});
      open = true;
    }
  }
  return units;
}

Stamp span_of(const Unit& unit, const std::vector<Stamp>& stamps) {
  return {stamps[unit.first].invocation, stamps[unit.last].response};
}

// Whether a unit of another client was there to be waited for.
bool had_a_rival(const Units& units, const Stamps& stamps, size_t client, const Unit& unit) {
  const Stamp span = span_of(unit, stamps[client]);
  for (size_t other = 0; other < units.of.size(); ++other) {
    for (const Unit& one : units.of[other]) {
      const Stamp its = span_of(one, stamps[other]);
      const bool together = span.invocation <= its.response && its.invocation <= span.response;
      if (other != client && together) return true;
    }
  }
  return false;
}

// The stamps of the others.
Stamps rest_of(const Stamps& stamps, const RequestSet& requests) {
  Stamps rest;
  for (size_t client = 0; client < stamps.size(); ++client) {
    auto& kept = rest.emplace_back();
    for (size_t request = 0; request < stamps[client].size(); ++request) {
      if (!requests.contains({client, request})) kept.push_back(stamps[client][request]);
    }
  }
  return rest;
}

// What is left of each unit of a client: a number of requests, and when.
struct Block {
  size_t requests = 0;
  Stamp span;
};

std::vector<std::vector<Block>> blocks_of(const ExecutionRecord& record,
                                          const RequestSet& without) {
  std::vector<std::vector<Block>> blocks(record.units.of.size());
  for (size_t c = 0; c < blocks.size(); ++c) {
    for (const Unit& unit : record.units.of[c]) {
      Block block{0, span_of(unit, record.stamps[c])};
      for (size_t i = unit.first; i <= unit.last; ++i) {
        if (!without.contains({c, i})) ++block.requests;
      }
      if (block.requests > 0) blocks[c].push_back(block);
    }
  }
  return blocks;
}

Stamps spans_of(const std::vector<std::vector<Block>>& blocks) {
  Stamps spans;
  for (const auto& client : blocks) {
    auto& of_client = spans.emplace_back();
    for (const Block& block : client) of_client.push_back(block.span);
  }
  return spans;
}

}  // namespace

bool judges_transactions(const Input& input) {
  const IsolationLevel* level = isolation_level_of(input);
  return level != nullptr && level->promise == Promise::kSerial;
}

Units units_of(const Input& input, const ExecutionRecord& record) {
  Units units;
  leave_out_unserved(input, record, units);
  if (input.language->isolation_levels().empty()) return units;
  const auto& outputs = record.outcome.outputs;
  for (size_t c = 0; c < outputs.size(); ++c) {
    units.of.push_back(units_of_client(*input.language, input.clients[c].requests, outputs[c]));
  }
  units.serial = judges_transactions(input);
  if (!units.serial) return units;
  const Units all = units;
  for (size_t c = 0; c < units.of.size(); ++c) {
    for (Unit& unit : units.of[c]) {
      unit.undone = unit.undone && had_a_rival(all, record.stamps, c, unit);
    }
  }
  return units;
}

RequestSet undone_requests(const Units& units) {
  RequestSet all = units.left_out;
  if (!units.serial) return all;
  for (size_t c = 0; c < units.of.size(); ++c) {
    for (const Unit& unit : units.of[c]) {
      for (size_t i = unit.first; unit.undone && i <= unit.last; ++i) all.insert({c, i});
    }
  }
  return all;
}

RequestSet undone_with(const Units& units, const RequestId& id) {
  RequestSet all = {id};
  if (id.client >= units.of.size()) return all;
  for (const Unit& unit : units.of[id.client]) {
    if (!unit.undone || unit.last != id.request) continue;
    for (size_t i = unit.first; i < unit.last; ++i) all.insert({id.client, i});
  }
  return all;
}

Linearizations possible_orders(const ExecutionRecord& record, const RequestSet& without,
                               size_t limit) {
  if (!record.units.serial) return linearizations(rest_of(record.stamps, without), limit);
  const auto blocks = blocks_of(record, without);
  Linearizations possible = linearizations(spans_of(blocks), limit);
  for (Order& order : possible.orders) {
    std::vector<size_t> placed(blocks.size());
    Order requests;
    for (const uint16_t client : order) {
      requests.insert(requests.end(), blocks[client][placed[client]++].requests, client);
    }
    order = std::move(requests);
  }
  return possible;
}

bool is_possible(const ExecutionRecord& record, const Order& order, const RequestSet& without) {
  if (!record.units.serial) return keeps_real_time(order, rest_of(record.stamps, without));
  const auto blocks = blocks_of(record, without);
  std::vector<size_t> placed(blocks.size());
  Order whole;
  for (size_t at = 0; at < order.size();) {
    const uint16_t client = order[at];
    if (client >= blocks.size() || placed[client] == blocks[client].size()) return false;
    const size_t end = at + blocks[client][placed[client]++].requests;
    if (end > order.size()) return false;
    for (; at < end; ++at) {
      if (order[at] != client) return false;
    }
    whole.push_back(client);
  }
  return keeps_real_time(whole, spans_of(blocks));
}

}  // namespace esox
