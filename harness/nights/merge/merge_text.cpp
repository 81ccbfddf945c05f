// SPDX-License-Identifier: Apache-2.0
// What a merge came to, for people and as JSON. See merge.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/counted.h"
#include "harness/nights/merge/joined_report.h"
#include "harness/nights/merge/merge.h"
#include "harness/records/json_text.h"
#include "harness/records/progress.h"

namespace esox {
namespace {

std::string title_of(const CampaignAccount& account) {
  return account.name.empty() ? account.id : fmt::format("{} ({})", account.name, account.id);
}

// What is missing comes first.
std::string campaign_text(const CampaignAccount& account) {
  const std::string missing = missing_text(account.there, account.of);
  std::string text = title_of(account) + ": ";
  text += missing.empty() ? "all " + counted(account.of, "shard") + " there" : missing;
  if (!account.unfinished.empty()) {
    text += fmt::format("; not at {} {}",
                        account.unfinished.size() == 1 ? "its end: shard" : "their end: shards",
                        fmt::join(account.unfinished, ", "));
  }
  text += fmt::format(
      "\n  seed {} on {}; {} (times engines), {} executions in {} of machine time, {}\n",
      account.seed, account.server_version, counted(account.explorations, "input"),
      account.executions, duration_text(account.seconds), counted(account.occurrences, "finding"));
  if (!account.folder.empty()) text += fmt::format("  esox report {}\n", account.folder.string());
  return text;
}

OrderedJson json_of(const CampaignAccount& account) {
  return {{"id", account.id},
          {"name", account.name},
          {"server", account.server_version},
          {"server_options", account.server_options},
          {"strategy", account.strategy},
          {"seed", account.seed},
          {"shards", account.of},
          {"there", account.there},
          {"missing", missing_text(account.there, account.of)},
          {"unfinished", account.unfinished},
          {"executions", account.executions},
          {"verdicts", account.verdicts},
          {"machine_seconds", account.seconds},
          {"explorations", account.explorations},
          {"findings", account.occurrences},
          {"folder", account.folder.string()}};
}

}  // namespace

std::string merge_text(const MergeResult& result) {
  std::string text =
      fmt::format("{} merged into {}, {} of them new to it; {} there now, {} more than before\n",
                  counted(result.hunts, "hunt"), result.store.string(), result.new_hunts,
                  counted(result.findings, "finding"), result.new_findings);
  if (result.copied > 0) text += counted(result.copied, "folder") + " of findings copied\n";
  if (result.without_folder > 0) {
    text += fmt::format("of {} the folder is nowhere: counted, but not to be replayed\n",
                        counted(result.without_folder, "finding"));
  }
  for (const CampaignAccount& one : result.campaigns) {
    if (one.of > 1 || !one.name.empty()) text += campaign_text(one);
  }
  return text;
}

std::string merge_json(const MergeResult& result) {
  OrderedJson json = {{"store", result.store.string()},
                      {"hunts", result.hunts},
                      {"new_hunts", result.new_hunts},
                      {"findings", result.findings},
                      {"new_findings", result.new_findings},
                      {"copied", result.copied},
                      {"without_folder", result.without_folder},
                      {"campaigns", json_list(result.campaigns, [&](const CampaignAccount& one) {
                         return json_of(one);
                       })}};
  return json_text(json);
}

}  // namespace esox
