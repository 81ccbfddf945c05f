// SPDX-License-Identifier: Apache-2.0
// A shard: the part of a hunt that one machine does of the work of several.
//
// `--shard 3/20` keeps of all explorations (an input on one engine under one setting) those whose
// shard_of() is 3. That is a function of their names alone,
//
//   1 + XXH3-128(id, engine, setting as length-prefixed fields), low 64 bits, modulo `of`,
//
// the same on every machine and in every version of esox: no shard has to know of another, none is
// in two, none in none. An input whose text changes, or that is joined by others, stays where it
// is. As an execution follows from seed, input, engine, setting and its number, and from what the
// input's own executions before it have shown, all shards together execute what one hunt would.
//
// A campaign is what all shards of one hunt have in common. Its id is drawn from what decides which
// executions are made (campaign_of), and the hunt of a shard has its id from the campaign and its
// number: done again from nothing, on another machine, it is the same hunt, so that a store counts
// it once (harness/records/triage/store.h).
//
// Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/engine/background.h"
#include "inputs/input.h"

namespace esox {

inline constexpr unsigned kMostShards = 10'000;

struct Shard {
  unsigned number = 1;  // from 1
  unsigned of = 1;
  bool operator==(const Shard&) const = default;
};

// "3/20". Nothing else is read: no sign, no blank, no 0, none beyond kMostShards.
std::optional<Shard> shard_from_text(const std::string& text);
std::string shard_text(const Shard& shard);

// In which of so many shards an exploration is; from 1.
unsigned shard_of(const ConcreteInput& input, unsigned of);

std::vector<ConcreteInput> part_of(std::vector<ConcreteInput> inputs, const Shard& shard);

// What the report, the hunt's memory and the store know of it.
struct ShardPlace {
  std::string campaign;  // 16 hex digits
  Shard shard;
  uint64_t explorations = 0;  // of all shards together
  std::string name;           // as --campaign says; may be empty

  bool sensible() const {
    return shard.number >= 1 && shard.number <= shard.of && shard.of <= kMostShards;
  }
};

void each_field(auto& f, Of<Shard>) {
  f("number", &Shard::number, kRequired);
  f("of", &Shard::of, kRequired);
}
// As a text, "3/20", in older memories of hunts.
void read_value(const ValueReader& in, Shard& shard);
void each_field(auto& f, Of<ShardPlace>) {
  f("campaign", &ShardPlace::campaign);
  f("name", &ShardPlace::name);
  f.inlined(&ShardPlace::shard);
  f("explorations_of_all", &ShardPlace::explorations);
  f.check(+[](const ShardPlace& it) { return it.sensible() ? nullptr : "makes no sense"; });
}
void each_place(auto& f, Of<ShardPlace>) {
  f(&ShardPlace::campaign, &ShardPlace::shard, &ShardPlace::explorations, &ShardPlace::name);
}

// What decides which executions a campaign makes. Budget, number of executions, the order of the
// inputs, jobs, isolation and folders do not: they only say how far it comes. Nor does what earlier
// hunts have learnt, which each shard may know of its own inputs.
struct CampaignFacts {
  std::string name;  // --campaign; may be empty
  std::string esox_version;
  std::string server_version;
  std::string server_digest;  // of the program's bytes
  std::vector<std::string> server_options;
  std::string data_choices;
  Background background = Background::kOff;
  std::string strategy;
  uint64_t seed = 0;
  bool learn = false;
  std::vector<std::string> filter_texts;
  std::string inputs_digest;  // of all explorations, before they are divided
  unsigned shards = 1;
};

std::string campaign_of(const CampaignFacts& facts);
std::string inputs_digest(const std::vector<ConcreteInput>& inputs);
// "?" of a file that cannot be read.
std::string file_digest(const std::filesystem::path& file);

// Of the hunt that does this shard; 16 hex digits.
std::string shard_hunt_id(const std::string& campaign, const Shard& shard);

}  // namespace esox
