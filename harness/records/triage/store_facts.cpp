// SPDX-License-Identifier: Apache-2.0
// The facts of the triage store (store.h), and which of two is kept. Each rule takes the greater in
// some order of all that can be said, so that it does not matter which one comes first.

#include <fmt/format.h>

#include <tuple>

#include "harness/records/triage/store.h"

namespace esox {
namespace {

// Of an occurrence, "occurrences AS o".
constexpr const char* kColumns =
    "o.id, input, title, engine, setting, verdict, latent, hits, o.executions, first_execution, "
    "o.seed, folder, plain, critical, o.signature";

// `more`: for the columns behind those.
Occurrence occurrence_of(const SqlRow& row, auto&... more) {
  Occurrence one;
  std::string verdict;
  row.into(one.id, one.input, one.title, one.engine, one.setting, verdict, one.latent, one.hits,
           one.executions, one.first_execution, SqlDigits{one.seed}, one.folder,
           one.signature.plain, one.signature.critical, one.signature.text, more...);
  one.verdict = class_from_name(verdict).value_or(VerdictClass::kNone);
  return one;
}

uint64_t sum_of(const std::map<std::string, uint64_t>& verdicts) {
  uint64_t sum = 0;
  for (const auto& [verdict, executions] : verdicts) sum += executions;
  return sum;
}

}  // namespace

// A diagnosis first, then the most executions. Folders say nothing.
bool better(const Occurrence& one, const Occurrence& other) {
  const auto rank = [](const Occurrence& it) {
    return std::tuple(!it.signature.critical.empty(), it.executions, it.hits, -it.first_execution,
                      it.signature.critical, it.signature.plain, it.seed,
                      std::string(class_name(it.verdict)), it.latent, it.signature.text,
                      static_cast<const InputKey&>(it), it.title);
  };
  return rank(one) > rank(other);
}

void Store::put_hunt(const RecordedHunt& hunt) {
  database_.run(
      "INSERT INTO hunts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET "
      "started = MIN(started, excluded.started), seconds = MAX(seconds, excluded.seconds), out = "
      "excluded.out, executions = MAX(executions, excluded.executions), launches = MAX(launches, "
      "excluded.launches), ended = MAX(ended, excluded.ended)",
      {hunt.id, hunt.started, hunt.seconds, hunt.out, hunt.esox_version, hunt.server_version,
       hunt.server, hunt.server_options, hunt.strategy, std::to_string(hunt.seed),
       hunt.executions_each, hunt.executions, hunt.launches, hunt.ended, hunt.campaign, hunt.shard,
       hunt.campaign_name});
}

std::vector<RecordedInput> Store::verdicts_of(const std::string& hunt) {
  std::map<InputKey, RecordedInput> inputs;
  database_.run(
      "SELECT input, engine, setting, verdict, executions, title FROM verdicts JOIN inputs ON id = "
      "input WHERE hunt = ?",
      {hunt}, [&](const SqlRow& row) {
        const InputKey key{row.text(0), row.text(1), row.text(2)};
        RecordedInput& one = inputs[key];
        static_cast<InputKey&>(one) = key;
        one.verdicts[row.text(3)] = row.count(4);
        one.title = row.text(5);
      });
  std::vector<RecordedInput> all;
  all.reserve(inputs.size());
  for (auto& [key, one] : inputs) all.push_back(std::move(one));
  return all;
}

// Of each input as a whole, that of the two which has more executions.
void Store::put_verdicts(const std::string& hunt, const std::vector<RecordedInput>& inputs) {
  std::map<InputKey, std::map<std::string, uint64_t>> there;
  for (RecordedInput& one : verdicts_of(hunt)) there[one] = std::move(one.verdicts);
  for (const RecordedInput& input : inputs) {
    database_.run(
        "INSERT INTO inputs VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET title = MAX(title, "
        "excluded.title)",
        {input.input, input.title});
    const auto old = there.find(input);
    if (old != there.end()) {
      const auto rank = [](const auto& it) { return std::tuple(sum_of(it), it); };
      if (rank(input.verdicts) <= rank(old->second)) continue;
      database_.run(
          "DELETE FROM verdicts WHERE hunt = ? AND input = ? AND engine = ? AND setting = ?",
          {hunt, input.input, input.engine, input.setting});
    }
    for (const auto& [verdict, executions] : input.verdicts) {
      database_.run("INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?)",
                    {hunt, input.input, input.engine, input.setting, verdict, executions});
    }
  }
  database_.run(
      "UPDATE hunts SET executions = MAX(executions, (SELECT CAST(TOTAL(executions) AS INTEGER) "
      "FROM verdicts WHERE hunt = ?1)) WHERE id = ?1",
      {hunt});
}

std::optional<Occurrence> Store::stored(const OccurrenceKey& key) {
  std::optional<Occurrence> found;
  database_.run(
      fmt::format("SELECT {} FROM occurrences AS o WHERE hunt = ? AND o.id = ?", kColumns),
      {key.hunt, key.id}, [&](const SqlRow& row) { found = occurrence_of(row); });
  return found;
}

std::vector<StoredOccurrence> Store::occurrences(const std::string& finding) {
  std::vector<StoredOccurrence> all;
  database_.run(fmt::format("SELECT {}, hunt, started, server_version FROM occurrences AS o JOIN "
                            "hunts ON hunt = hunts.id WHERE finding = ? ORDER BY started DESC, "
                            "hits DESC",
                            kColumns),
                {finding}, [&](const SqlRow& row) {
                  StoredOccurrence& one = all.emplace_back();
                  one.occurrence = occurrence_of(row, one.hunt, one.started, one.server_version);
                });
  return all;
}

void Store::put_occurrence(const std::string& hunt, const Occurrence& occurrence,
                           const std::string& finding) {
  database_.run(
      "INSERT INTO occurrences VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (hunt, id) "
      "DO UPDATE SET input = excluded.input, title = excluded.title, engine = excluded.engine, "
      "setting = excluded.setting, verdict = excluded.verdict, latent = excluded.latent, hits = "
      "excluded.hits, executions = excluded.executions, first_execution = "
      "excluded.first_execution, seed = excluded.seed, folder = excluded.folder, plain = "
      "excluded.plain, critical = excluded.critical, signature = excluded.signature",
      {hunt, occurrence.id, finding, occurrence.input, occurrence.title, occurrence.engine,
       occurrence.setting, class_name(occurrence.verdict), occurrence.latent, occurrence.hits,
       occurrence.executions, occurrence.first_execution, std::to_string(occurrence.seed),
       occurrence.folder, occurrence.signature.plain, occurrence.signature.critical,
       occurrence.signature.text});
}

void Store::put_anchor(const std::string& finding, const OccurrenceKey& occurrence) {
  database_.run("INSERT OR IGNORE INTO anchors VALUES (?, ?, ?)",
                {finding, occurrence.hunt, occurrence.id});
}

OccurrenceKey Store::anchor_of(const std::string& finding) {
  OccurrenceKey anchor;
  database_.run(
      "SELECT o.hunt, o.id FROM occurrences AS o LEFT JOIN anchors AS a ON a.hunt = o.hunt AND "
      "a.occurrence = o.id AND a.finding = o.finding WHERE o.finding = ? ORDER BY a.finding IS "
      "NULL, o.hunt, o.id LIMIT 1",
      {finding}, [&](const SqlRow& row) {
        anchor = {row.text(0), row.text(1)};
      });
  return anchor;
}

std::vector<HuntTotals> Store::hunts() {
  std::vector<HuntTotals> all;
  std::map<std::string, size_t> places;
  database_.run(
      "SELECT id, started, seconds, out, esox_version, server_version, server, server_options, "
      "strategy, seed, executions_each, executions, launches, ended, campaign, shard, "
      "campaign_name, (SELECT "
      "COUNT(*) FROM occurrences WHERE hunt = hunts.id) FROM hunts ORDER BY started, id",
      {}, [&](const SqlRow& row) {
        HuntTotals& one = all.emplace_back();
        RecordedHunt& hunt = one.hunt;
        row.into(hunt.id, hunt.started, hunt.seconds, hunt.out, hunt.esox_version,
                 hunt.server_version, hunt.server, hunt.server_options, hunt.strategy,
                 SqlDigits{hunt.seed}, hunt.executions_each, hunt.executions, hunt.launches,
                 hunt.ended, hunt.campaign, hunt.shard, hunt.campaign_name, one.occurrences);
        places[one.hunt.id] = all.size() - 1;
      });
  database_.run(
      "SELECT hunt, COUNT(*) FROM (SELECT DISTINCT hunt, input, engine, setting FROM verdicts) "
      "GROUP BY hunt",
      {}, [&](const SqlRow& row) { all[places.at(row.text(0))].explorations = row.count(1); });
  database_.run(
      "SELECT hunt, verdict, SUM(executions) FROM verdicts GROUP BY hunt, verdict", {},
      [&](const SqlRow& row) { all[places.at(row.text(0))].verdicts[row.text(1)] = row.count(2); });
  return all;
}

std::set<std::string> Store::keys() {
  std::set<std::string> keys;
  database_.run("SELECT signature, plain, critical FROM occurrences", {}, [&](const SqlRow& row) {
    for (std::string& key : family_keys({row.text(0), row.text(1), row.text(2)})) {
      keys.insert(std::move(key));
    }
  });
  return keys;
}

std::map<OccurrenceKey, std::string> Store::folders() {
  std::map<OccurrenceKey, std::string> folders;
  database_.run("SELECT hunt, id, folder FROM occurrences", {}, [&](const SqlRow& row) {
    folders[{row.text(0), row.text(1)}] = row.text(2);
  });
  return folders;
}

}  // namespace esox
