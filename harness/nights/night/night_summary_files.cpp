// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_summary_files.h"

#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

OrderedJson json_of(const Change& change) {
  return {{"server", change.server},
          {"fate", fate_name(change.fate)},
          {"hits", change.hits},
          {"executions", change.executions},
          {"by_schedule", change.by_schedule},
          {"first_here", change.first_here},
          {"last_met", change.last_met},
          {"gone_since", change.gone_since},
          {"marked_fixed", change.marked_fixed},
          {"nights_since", change.nights_since},
          {"executions_since", change.executions_since},
          {"chance", change.chance},
          {"risk", change.risk},
          {"remaining_rate", change.remaining}};
}

OrderedJson json_of(const SummaryFinding& one) {
  OrderedJson json = {
      {"id", one.id},
      {"fate", fate_name(one.fate)},
      {"state", state_name(one.state)},
      {"note", one.note},
      {"class", one.verdict},
      {"place", one.place},
      {"synopsis", one.synopsis},
      {"critical", one.critical},
      {"folder", one.folder.string()},
      {"servers", json_list(one.changes, [&](const Change& change) { return json_of(change); })},
      {"tried_again", json_list(one.tried_again, [&](const StoredRecheck& recheck) -> OrderedJson {
         return {{"server", recheck.server_name},
                 {"finding", recheck.finding},
                 {"at", recheck.at},
                 {"result", recheck.result},
                 {"why", recheck.why}};
       })}};
  return json;
}

}  // namespace

void write_night_summary(const NightSummary& summary, const fs::path& folder,
                         const fs::path& metrics) {
  const std::string numbers = night_metrics(summary);
  write_whole_file(folder / "changes.json", changes_json(summary));
  write_whole_file(folder / "summary.txt", night_summary_text(summary));
  write_whole_file(folder / "summary.html", night_summary_html(summary));
  write_whole_file(folder / "esox.prom", numbers);
  if (!metrics.empty()) write_whole_file(metrics, numbers);
}

std::string changes_json(const NightSummary& summary) {
  OrderedJson counts;
  for (const Fate fate : kFates) counts[fate_name(fate)] = summary.count(fate);
  OrderedJson json = {
      {"night", summary.night.id},
      {"headline", night_summary_headline(summary)},
      {"counts", counts},
      {"missing", summary.missing},
      {"inputs_planned", summary.inputs_planned},
      {"inputs_reached", summary.inputs_reached},
      {"findings",
       json_list(summary.findings, [&](const SummaryFinding& one) { return json_of(one); })},
      {"closed",
       json_list(summary.closed, [&](const SummaryFinding& one) { return json_of(one); })}};
  return json_text(json);
}

}  // namespace esox
