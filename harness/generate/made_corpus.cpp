// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/made_corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/record/record.h"
#include "harness/engine/known_servers.h"
#include "harness/records/out_folder.h"
#include "inputs/reader.h"
#include "inputs/writer.h"

namespace esox {

static void each_field(auto& f, Of<Holding>) {
  f("type", &Holding::type, kRequired);
  f("name", &Holding::name, kRequired);
  f("of", &Holding::of);
  f("detail", &Holding::detail);
}

namespace {

using Values = std::vector<SqlValue>;

constexpr const char* kTables[] = {
    "CREATE TABLE IF NOT EXISTS generation (asked TEXT NOT NULL, epochs INTEGER NOT NULL, "
    "last_member INTEGER NOT NULL, made INTEGER NOT NULL, judge_from REAL NOT NULL, totals TEXT "
    "NOT NULL)",
    "CREATE TABLE IF NOT EXISTS members (number INTEGER PRIMARY KEY, id TEXT NOT NULL, file TEXT "
    "NOT NULL, parent INTEGER NOT NULL, made_by TEXT NOT NULL, seed TEXT NOT NULL, epoch INTEGER "
    "NOT NULL, fruitless INTEGER NOT NULL, points INTEGER NOT NULL, known INTEGER NOT NULL, "
    "features TEXT NOT NULL, tally BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS features (feature TEXT PRIMARY KEY, kind TEXT NOT NULL, count "
    "INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS templates (name TEXT PRIMARY KEY, tried INTEGER NOT NULL, "
    "succeeded INTEGER NOT NULL, rests_until INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS mutators (name TEXT PRIMARY KEY, inputs INTEGER NOT NULL, earned "
    "REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS causes (key TEXT PRIMARY KEY, told_before INTEGER NOT NULL, "
    "confirmed INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS kinds (kind TEXT NOT NULL, other TEXT NOT NULL, cell TEXT NOT "
    "NULL, PRIMARY KEY (kind, other)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS setups (key TEXT PRIMARY KEY, holdings TEXT NOT NULL) WITHOUT "
    "ROWID"};

std::string digits_of(Feature feature) {
  return fmt::format("{:016x}", feature);
}

std::string text_of(const Features& features) {
  return fmt::format("{:x}", fmt::join(features, " "));
}

Features features_in(const std::string& text) {
  Features features;
  std::istringstream stream(text);
  for (Feature one = 0; stream >> std::hex >> one;) features.push_back(one);
  return features;
}

// Of a member whose file is in place.
CorpusInput corpus_input(const CorpusMember& member) {
  CorpusInput input;
  input.imported.input = member.input;
  input.imported.test = member.made_by;
  input.imported.form = Candidate::Form::kSessions;
  input.imported.kinds = member.input.title;
  input.imported.shape = member.input.language->shape(member.input);
  return input;
}

}  // namespace

MadeCorpus::MadeCorpus(const std::filesystem::path& folder) : corpus_(folder) {
  for (const char* table : kTables) corpus_.index().run(table);
}

bool MadeCorpus::begun() {
  return corpus_.index().number("SELECT COUNT(*) FROM generation") > 0;
}

void MadeCorpus::begin(const GenerationState& state) {
  EpochChanges all;
  for (const CorpusMember& one : state.members) all.members.push_back(one.number);
  state.counts.each([&](Feature feature, uint64_t) { all.features.push_back(feature); });
  std::ranges::sort(all.features);
  keep(state, all);
}

void MadeCorpus::keep(const GenerationState& state, const EpochChanges& changes) {
  for (const uint64_t number : changes.members) {
    const CorpusMember* member = state.member(number);
    if (member == nullptr) continue;
    const std::filesystem::path file = folder() / member->file;
    if (std::filesystem::exists(file)) continue;
    make_folder(file.parent_path());
    write_whole_file(file, to_yaml(member->input));
  }
  Database& index = corpus_.index();
  Transaction transaction(index);
  for (const std::string& file : changes.gone) {
    index.run("DELETE FROM inputs WHERE file = ?", Values{file});
    index.run("DELETE FROM members WHERE file = ?", Values{file});
  }
  for (const uint64_t number : changes.members) {
    if (const CorpusMember* member = state.member(number)) put_member(*member);
  }
  for (const Feature feature : changes.features) {
    index.run(
        "INSERT OR REPLACE INTO features VALUES (?, ?, ?)",
        Values{digits_of(feature), feature_name(kind_of(feature)), state.counts.count(feature)});
  }
  put_small(state);
  transaction.commit();
  std::error_code ignored;
  for (const std::string& file : changes.gone) std::filesystem::remove(folder() / file, ignored);
}

void MadeCorpus::put_member(const CorpusMember& member) {
  Database& index = corpus_.index();
  const bool there =
      index.number("SELECT COUNT(*) FROM members WHERE number = ?", Values{member.number}) > 0;
  if (!there) corpus_.add_input(member.number, corpus_input(member), member.file);
  index.run("INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Values{member.number, member.input.id, member.file, member.parent, member.made_by,
                   digits_of(member.seed), member.epoch, member.fruitless, member.points,
                   member.known, text_of(member.features), to_bytes(member.tally)});
}

void MadeCorpus::put_small(const GenerationState& state) {
  Database& index = corpus_.index();
  index.run("DELETE FROM generation");
  index.run("INSERT INTO generation VALUES (?, ?, ?, ?, ?, ?)",
            Values{to_json(state.spec, -1), state.epochs, state.last_member, state.made,
                   state.judge_from, to_json(state.totals, -1)});
  for (size_t i = 0; i < state.mutators.size(); ++i) {
    index.run("INSERT OR REPLACE INTO mutators VALUES (?, ?, ?)",
              Values{name_of(static_cast<Mutation>(i)), state.mutators[i].executions,
                     state.mutators[i].earned});
  }
  for (const TemplateRate& one : state.templates) {
    index.run("INSERT OR REPLACE INTO templates VALUES (?, ?, ?, ?)",
              Values{one.name, one.tried, one.succeeded, one.rests_until});
  }
  for (const auto& [key, cause] : state.causes) {
    index.run("INSERT OR REPLACE INTO causes VALUES (?, ?, ?)",
              Values{key, cause.told_before, cause.confirmed});
  }
  for (const KindCell& one : state.kinds) {
    // A cell is large, and most are as they were.
    const std::string digest = fmt::format("{} {}", one.executions, one.met.sites.size());
    if (kept_cells_[{one.first, one.second}] == digest) continue;
    kept_cells_[{one.first, one.second}] = digest;
    index.run("INSERT OR REPLACE INTO kinds VALUES (?, ?, ?)",
              Values{one.first, one.second, to_json(one, -1)});
  }
  for (const auto& [key, holdings] : state.holdings) {
    index.run("INSERT OR IGNORE INTO setups VALUES (?, ?)", Values{key, to_json(holdings, -1)});
  }
}

GenerationState MadeCorpus::read() {
  GenerationState state;
  read_small(state);
  read_members(state);
  corpus_.index().run("SELECT feature, count FROM features", {}, [&](const SqlRow& row) {
    for (const Feature feature : features_in(row.text(0))) {
      state.counts.add(feature, row.count(1));
    }
  });
  return state;
}

void MadeCorpus::read_small(GenerationState& state) {
  Database& index = corpus_.index();
  index.run("SELECT asked, epochs, last_member, made, judge_from, totals FROM generation", {},
            [&](const SqlRow& row) {
              state.spec = from_json<GenerationSpec>(row.text(0));
              state.epochs = row.count(1);
              state.last_member = row.count(2);
              state.made = row.count(3);
              state.judge_from = row.real(4);
              state.totals = from_json<GenerationTotals>(row.text(5));
            });
  index.run("SELECT name, inputs, earned FROM mutators", {}, [&](const SqlRow& row) {
    const auto mutation = value_in<Mutation>(kMutationNames, row.text(0));
    if (!mutation) return;
    state.mutators[static_cast<size_t>(*mutation)] = {row.count(1), row.real(2)};
  });
  index.run("SELECT name, tried, succeeded, rests_until FROM templates", {},
            [&](const SqlRow& row) {
              TemplateRate& rate = state.templates.emplace_back();
              row.into(rate.name, rate.tried, rate.succeeded, rate.rests_until);
            });
  index.run("SELECT key, told_before, confirmed FROM causes", {}, [&](const SqlRow& row) {
    state.causes[row.text(0)] = {row.number(1) != 0, row.count(2)};
  });
  index.run("SELECT cell FROM kinds ORDER BY kind, other", {},
            [&](const SqlRow& row) { state.kinds.push_back(from_json<KindCell>(row.text(0))); });
  index.run("SELECT key, holdings FROM setups", {}, [&](const SqlRow& row) {
    state.holdings[row.text(0)] = from_json<Holdings>(row.text(1));
  });
}

void MadeCorpus::read_members(GenerationState& state) {
  corpus_.index().run(
      "SELECT number, file, parent, made_by, seed, epoch, fruitless, points, known, features, "
      "tally FROM members ORDER BY number",
      {}, [&](const SqlRow& row) {
        CorpusMember& member = state.members.emplace_back();
        std::string seed;
        std::string features;
        SqlBytes tally;
        row.into(member.number, member.file, member.parent, member.made_by, seed, member.epoch,
                 member.fruitless, member.points, member.known, features, tally);
        member.seed = features_in(seed).empty() ? 0 : features_in(seed).front();
        member.features = features_in(features);
        member.tally = tally_of(tally);
      });
  std::vector<std::filesystem::path> files;
  std::map<std::string, Input*> by_file;
  for (CorpusMember& member : state.members) files.push_back(folder() / member.file);
  if (files.empty()) return;
  std::map<std::string, Input> inputs;
  for (Input& input : read_inputs(files, languages())) {
    std::string id = input.id;
    inputs.emplace(std::move(id), std::move(input));
  }
  for (CorpusMember& member : state.members) {
    const std::string id = std::filesystem::path(member.file)
                               .lexically_relative("inputs")
                               .replace_extension()
                               .string();
    const auto found = inputs.find(id);
    if (found == inputs.end()) {
      throw InputError((folder() / member.file).string(), 0,
                       fmt::format("the input {} is gone from it; generate into a new folder", id));
    }
    member.input = found->second;
    member.input.origin = member.file;
  }
}

void MadeCorpus::rank(const std::vector<std::pair<uint64_t, double>>& energies) {
  std::vector<std::pair<uint64_t, double>> order = energies;
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  Database& index = corpus_.index();
  Transaction transaction(index);
  size_t rank = 0;
  for (const auto& [number, energy] : order) {
    index.run("UPDATE inputs SET rank = ? WHERE id = (SELECT id FROM members WHERE number = ?)",
              Values{++rank, number});
  }
  transaction.commit();
}

}  // namespace esox
