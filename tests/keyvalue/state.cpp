// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/state.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace esox {
namespace {

using Pairs = std::set<std::pair<std::string, std::string>>;

struct Dump {
  std::map<std::string, std::string> records;  // value by key
  Pairs index;                                 // key and value
  Pairs cache;
  std::map<std::string, int> places;  // of a slot
};

std::string word(const Row& row, size_t place) {
  return place < row.size() && row[place] ? *row[place] : "";
}

std::string held(const Dump& dump, const std::string& key) {
  const auto record = dump.records.find(key);
  return record == dump.records.end() ? "is not there" : "holds " + record->second;
}

std::string unavailability(const Output& reply) {
  if (!reply.answered) return "the server gave no reply: " + reply.message;
  return reply.error != 0 ? "the server said: " + reply.message : "";
}

// A damaged component lists what is wrong, a sound one nothing.
Component check_index(const Dump& dump) {
  ComponentBuilder builder("index-check", ComponentKind::kMultiset);
  Pairs missing(dump.records.begin(), dump.records.end());
  for (const auto& [key, value] : dump.index) {
    if (missing.erase({key, value}) > 0) continue;
    builder.add(fmt::format("{} is filed under {}, but {}", key, value, held(dump, key)));
  }
  for (const auto& [key, value] : missing) {
    builder.add(fmt::format("{} holds {}, but is not filed under it", key, value));
  }
  return std::move(builder).build();
}

Component check_cache(const Dump& dump) {
  ComponentBuilder builder("cache-check", ComponentKind::kMultiset);
  for (const auto& [key, value] : dump.cache) {
    const auto record = dump.records.find(key);
    if (record != dump.records.end() && record->second == value) continue;
    builder.add(fmt::format("{} is cached as {}, but {}", key, value, held(dump, key)));
  }
  return std::move(builder).build();
}

Component check_slots(const Dump& dump) {
  ComponentBuilder builder("slot-check", ComponentKind::kMultiset);
  for (const auto& [slot, places] : dump.places) {
    if (places != 1) builder.add(fmt::format("a slot is in {} places", places));
  }
  return std::move(builder).build();
}

constexpr std::array<ComponentFacts, 8> kFacts = {{
    {.name = "records", .has_keys = true},
    {.name = "journal", .ordered = true},
    {.name = "counters", .has_keys = true},
    {.name = "cache", .meaning = ComponentMeaning::kDerived, .has_keys = true},
    {.name = "index-check", .meaning = ComponentMeaning::kDamage},
    {.name = "cache-check", .meaning = ComponentMeaning::kDamage},
    {.name = "slot-check", .meaning = ComponentMeaning::kDamage},
    kObservationFacts,
}};

}  // namespace

std::span<const ComponentFacts> keyvalue_facts() {
  return kFacts;
}

std::vector<Component> keyvalue_components(const Output& reply) {
  ComponentBuilder records("records", ComponentKind::kMap);
  ComponentBuilder journal("journal", ComponentKind::kSequence);
  ComponentBuilder counters("counters", ComponentKind::kMap);
  ComponentBuilder cache("cache", ComponentKind::kCache);
  Dump dump;
  for (const Row& row : reply.results.empty() ? std::vector<Row>{} : reply.results[0].rows) {
    const std::string kind = word(row, 0);
    if (kind == "record") {
      records.add({word(row, 1), fmt::format("{}, version {}", word(row, 2), word(row, 3))});
      dump.records[word(row, 1)] = word(row, 2);
    } else if (kind == "journal") {
      journal.add(word(row, 1));
    } else if (kind == "index") {
      dump.index.insert({word(row, 1), word(row, 2)});
    } else if (kind == "cache") {
      cache.add({word(row, 1), word(row, 2)});
      dump.cache.insert({word(row, 1), word(row, 2)});
    } else if (kind == "slot") {
      ++dump.places[word(row, 1)];
    } else {
      counters.add({kind, word(row, 1)});
    }
  }
  std::vector<Component> components;
  for (ComponentBuilder* builder : {&records, &journal, &counters, &cache}) {
    components.push_back(std::move(*builder).build());
  }
  for (auto check : {check_index, check_cache, check_slots}) components.push_back(check(dump));
  const std::string why = unavailability(reply);
  for (Component& component : components) {
    if (!why.empty()) component.unavailable = why;
  }
  set_meanings(components, kFacts);
  return components;
}

std::vector<Component> KeyvalueState::take() {
  return keyvalue_components(own_("DUMP"));
}

}  // namespace esox
