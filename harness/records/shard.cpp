// SPDX-License-Identifier: Apache-2.0
#include "harness/records/shard.h"

#include <fmt/format.h>

#include <string_view>

#include "base/process/log_file.h"
#include "base/text/number.h"
#include "inputs/writer.h"
#include "summaries/digest.h"

namespace esox {
namespace {

// Whole, without leading zeros, 1 to kMostShards.
std::optional<unsigned> count_from(std::string_view text) {
  const auto value = number_of<unsigned>(text);
  return text.starts_with('0') || value > kMostShards ? std::nullopt : value;
}

FieldEncoder name_fields(const ConcreteInput& input) {
  return FieldEncoder().append(input.input.id).append(input.engine).append(input.setting);
}

}  // namespace

std::optional<Shard> shard_from_text(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size()) return std::nullopt;
  const auto number = count_from(std::string_view(text).substr(0, slash));
  const auto of = count_from(std::string_view(text).substr(slash + 1));
  if (!number || !of || *number > *of) return std::nullopt;
  return Shard{*number, *of};
}

void read_value(const ValueReader& in, Shard& shard) {
  const auto known = shard_from_text(in.text());
  if (!known) in.refuse("is '" + in.text() + "', no shard");
  shard = *known;
}

std::string shard_text(const Shard& shard) {
  return fmt::format("{}/{}", shard.number, shard.of);
}

unsigned shard_of(const ConcreteInput& input, unsigned of) {
  return 1 + static_cast<unsigned>(digest_of(name_fields(input).bytes()).low % of);
}

std::vector<ConcreteInput> part_of(std::vector<ConcreteInput> inputs, const Shard& shard) {
  std::erase_if(inputs,
                [&](const ConcreteInput& one) { return shard_of(one, shard.of) != shard.number; });
  return inputs;
}

std::string campaign_of(const CampaignFacts& facts) {
  FieldEncoder fields;
  fields.append("campaign 1").append(facts.name).append(facts.esox_version);
  fields.append(facts.server_version).append(facts.server_digest);
  fields.append(std::to_string(facts.server_options.size()));
  for (const std::string& option : facts.server_options) fields.append(option);
  fields.append(facts.data_choices).append(facts.strategy).append(std::to_string(facts.seed));
  fields.append(facts.learn ? "learn" : "").append(name_in(kBackgroundNames, facts.background));
  fields.append(std::to_string(facts.filter_texts.size()));
  for (const std::string& text : facts.filter_texts) fields.append(text);
  fields.append(facts.inputs_digest).append(std::to_string(facts.shards));
  return short_hex(fields.bytes());
}

std::string inputs_digest(const std::vector<ConcreteInput>& inputs) {
  BagDigest all;
  for (const ConcreteInput& one : inputs) {
    all.add(digest_of(name_fields(one).append(to_yaml(one.input)).bytes()));
  }
  return hex(all.result());
}

std::string file_digest(const std::filesystem::path& file) {
  const std::string bytes = text_of_file(file);
  return bytes.empty() ? "?" : hex(digest_of(bytes));
}

std::string shard_hunt_id(const std::string& campaign, const Shard& shard) {
  const FieldEncoder fields =
      FieldEncoder().append("shard").append(campaign).append(shard_text(shard));
  return short_hex(fields.bytes());
}

}  // namespace esox
