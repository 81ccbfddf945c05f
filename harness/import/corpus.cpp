// SPDX-License-Identifier: Apache-2.0
#include "harness/import/corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "base/yaml/limits.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "inputs/limits.h"
#include "inputs/writer.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "2";
// Older corpora have these tables, but no number of a schema.
constexpr const char* const kMigrations[] = {R"(
CREATE TABLE IF NOT EXISTS corpus (version TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tests (
  test TEXT PRIMARY KEY, state TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS trials (
  id TEXT NOT NULL, engine TEXT NOT NULL, rejected TEXT NOT NULL, detail TEXT NOT NULL,
  sensitivity TEXT NOT NULL, observations TEXT NOT NULL, contacts TEXT NOT NULL,
  PRIMARY KEY (id, engine)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inputs (
  rank INTEGER NOT NULL, id TEXT PRIMARY KEY, test TEXT NOT NULL, file TEXT NOT NULL,
  form TEXT NOT NULL, statements TEXT NOT NULL, kinds TEXT NOT NULL, engines TEXT NOT NULL,
  sensitivity TEXT NOT NULL, contacts INTEGER NOT NULL, failing INTEGER NOT NULL,
  whole_objects INTEGER NOT NULL, shape TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS history (
  id TEXT PRIMARY KEY, executions INTEGER NOT NULL, findings INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS conflicts (
  server TEXT NOT NULL, id TEXT NOT NULL, engine TEXT NOT NULL, places TEXT NOT NULL,
  PRIMARY KEY (server, id, engine));
CREATE TABLE IF NOT EXISTS counts (
  kind TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (kind, name));
)"};

constexpr DatabaseKind kIndex = {
    .name = "the index",
    .application_id = 0x65736f04,
    .migrations = kMigrations,
    .own_table = "corpus",
    .synchronous = "NORMAL",
    // Held to the end: two imports into one folder would take each other's tests away.
    .exclusive = true,
    .busy_remedy = "another import is at work there; wait for its end",
    .broken_remedy = "name another folder by --out",
    .full_remedy = "make room, or name another folder by --out",
};

// Written together, inputs are indented deeper than alone.
constexpr size_t kMostYamlBytes = kMaxFileBytes / 2;

// Which file of a folder each input goes into: that of its test, and TEST-2, TEST-3 ... as a file
// has a limit.
class Files {
 public:
  explicit Files(std::string folder) : folder_(std::move(folder)) {}

  const std::string& add(const ImportedInput& imported) {
    auto& [part, bytes] = parts_[imported.test];
    const size_t own = to_yaml(imported.input).size();
    if (bytes > 0 && bytes + own > kMostYamlBytes) {
      ++part;
      bytes = 0;
    }
    bytes += own;
    const std::string suffix = part == 0 ? "" : fmt::format("-{}", part + 1);
    auto& [file, inputs] =
        *inputs_of_.try_emplace(fmt::format("{}/{}{}.yaml", folder_, imported.test, suffix)).first;
    inputs.push_back(imported.input);
    return file;
  }
  const std::map<std::string, std::vector<Input>>& inputs_of() const { return inputs_of_; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::map<std::string, std::pair<size_t, size_t>> parts_;  // of a test: its part, and its bytes
  std::map<std::string, std::vector<Input>> inputs_of_;     // by file
};

std::vector<Contact> contacts_of(const std::string& text) {
  std::vector<Contact> contacts;
  std::istringstream stream(text);
  for (Contact one = 0; stream >> std::hex >> one;) contacts.push_back(one);
  return contacts;
}

// "MODULE OFFSET OBJECT" in hexadecimal, one place a line; clients are left out, as in the pool.
std::string places_text(const ConflictTable& places) {
  ConflictPool once;
  pool_conflicts(places, once);
  std::string text;
  for (const auto& [place, inputs] : once) {
    text += fmt::format("{:x} {:x} {:x}\n", place.site.module, place.site.offset, place.object);
  }
  return text;
}

void add_places(const std::string& text, ConflictPool& pool) {
  std::istringstream stream(text);
  PooledPlace place;
  while (stream >> std::hex >> place.site.module >> place.site.offset >> place.object) {
    ++pool[place];
  }
}

// None if no other has the name.
Sensitivity sensitivity_named(const std::string& name) {
  const auto* const end = std::end(kSensitivityNames);
  const auto* const found = std::find(std::begin(kSensitivityNames), end, name);
  return found == end ? Sensitivity::kNone
                      : static_cast<Sensitivity>(found - std::begin(kSensitivityNames));
}

using Values = std::vector<SqlValue>;

void put_counts(Database& database, const std::string& kind,
                const std::map<std::string, size_t>& counts) {
  for (const auto& [name, number] : counts) {
    database.run("INSERT INTO counts VALUES (?, ?, ?)", Values{kind, name, number});
  }
}

// The index in the folder, which is made; never in one that holds something else.
fs::path index_in(const fs::path& folder) {
  std::error_code error;
  fs::path index = folder / "index.sqlite";
  if (fs::exists(folder, error) && !fs::exists(index, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error))) {
    throw OutError(fmt::format("{} is not empty and not a corpus; name another folder by --out",
                               folder.string()));
  }
  make_folder(folder);
  return index;
}

}  // namespace

Corpus::Corpus(fs::path folder) : folder_(std::move(folder)), database_(index_in(folder_), kIndex) {
  const std::optional<std::string> version = database_.text("SELECT version FROM corpus");
  if (!version) {
    database_.run("INSERT INTO corpus VALUES (?)", Values{kVersion});
  } else if (*version != kVersion) {
    throw OutError(
        fmt::format("{} is of another version of esox ({}); name another folder by --out",
                    folder_.string(), *version));
  }
}

fs::path Corpus::capture_of(const std::string& test) const {
  return folder_ / "capture" / test;
}

void Corpus::set_test(const std::string& test, const TestState& state) {
  database_.run("INSERT OR REPLACE INTO tests VALUES (?, ?, ?)",
                Values{test, state.state, state.reason});
}

std::map<std::string, TestState> Corpus::tests() const {
  std::map<std::string, TestState> all;
  database_.run("SELECT test, state, reason FROM tests", {}, [&](const SqlRow& row) {
    all[row.text(0)] = {row.text(1), row.text(2)};
  });
  return all;
}

void Corpus::add_trials(const std::vector<std::pair<TrialKey, TrialResult>>& trials) {
  if (trials.empty()) return;
  Transaction transaction(database_);
  for (const auto& [key, result] : trials) {
    database_.run(
        "INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?, ?, ?, ?)",
        Values{key.first, key.second, result.rejected, result.detail, name_of(result.sensitivity),
               fmt::format("{}", fmt::join(result.observations, "\n")),
               fmt::format("{:x}", fmt::join(result.contacts, " "))});
  }
  transaction.commit();
}

std::map<TrialKey, TrialResult> Corpus::trials() const {
  std::map<TrialKey, TrialResult> all;
  database_.run(
      "SELECT id, engine, rejected, detail, sensitivity, observations, contacts FROM trials", {},
      [&](const SqlRow& row) {
        TrialResult& result = all[{row.text(0), row.text(1)}];
        result.rejected = row.text(2);
        result.detail = row.text(3);
        result.sensitivity = sensitivity_named(row.text(4));
        result.observations = lines_of(row.text(5));
        result.contacts = contacts_of(row.text(6));
      });
  return all;
}

void Corpus::add_history(const std::vector<HuntedInput>& hunted) {
  Transaction transaction(database_);
  for (const HuntedInput& one : hunted) {
    database_.run(
        "INSERT INTO history VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET executions = "
        "executions + excluded.executions, findings = findings + excluded.findings",
        Values{one.id, one.executions, one.findings});
  }
  transaction.commit();
}

History Corpus::history() const {
  History all;
  database_.run(
      "SELECT kinds, COUNT(*), SUM(findings > 0) FROM history JOIN inputs USING (id) GROUP BY "
      "kinds",
      {}, [&](const SqlRow& row) {
        all[row.text(0)] = {row.count(1), row.count(2)};
      });
  return all;
}

void Corpus::set_conflicts(const std::string& server_version,
                           const std::vector<ShownConflicts>& shown) {
  Transaction transaction(database_);
  for (const ShownConflicts& one : shown) {
    database_.run("INSERT OR REPLACE INTO conflicts VALUES (?, ?, ?, ?)",
                  Values{server_version, one.id, one.engine, places_text(one.places)});
  }
  transaction.commit();
}

ConflictPool Corpus::conflicts(const std::string& server_version) const {
  ConflictPool pool;
  size_t inputs = 0;
  database_.run("SELECT server, places FROM conflicts ORDER BY rowid DESC", {},
                [&](const SqlRow& row) {
                  if (row.text(0) != server_version || inputs++ >= kMostPooledInputs) return;
                  add_places(row.text(1), pool);
                });
  return pool;
}

void Corpus::replace_inputs(const std::vector<CorpusInput>& inputs,
                            const std::vector<ImportedInput>& rejected,
                            const ImportCounts& counts) {
  Files files("inputs");
  std::vector<std::string> file_of;
  file_of.reserve(inputs.size());
  for (const CorpusInput& one : inputs) file_of.push_back(files.add(one.imported));
  Files rejected_files("rejected");
  for (const ImportedInput& one : rejected) rejected_files.add(one);
  for (const Files* all : {&files, &rejected_files}) write_files(all->folder(), all->inputs_of());
  Transaction transaction(database_);
  database_.run("DELETE FROM inputs");
  database_.run("DELETE FROM counts");
  for (size_t rank = 0; rank < inputs.size(); ++rank) {
    add_input(rank + 1, inputs[rank], file_of[rank]);
  }
  put_counts(database_, "stage", counts.stages);
  put_counts(database_, "rejected", counts.rejected);
  transaction.commit();
}

void Corpus::add_input(size_t rank, const CorpusInput& input, const std::string& file) {
  const ImportedInput& imported = input.imported;
  database_.run(
      "INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      Values{rank, imported.input.id, imported.test, file, name_of(imported.form),
             fmt::format("{}", fmt::join(imported.statements, " ")), imported.kinds,
             fmt::format("{}", fmt::join(imported.input.engines, " ")), name_of(input.sensitivity),
             input.contacts, imported.failing, imported.drops_tables, imported.shape});
}

// All of them anew: what gives none any more leaves no file behind.
void Corpus::write_files(const std::string& folder,
                         const std::map<std::string, std::vector<Input>>& inputs_of) const {
  std::error_code ignored;
  fs::remove_all(folder_ / folder, ignored);
  for (const auto& [file, own] : inputs_of) {
    make_folder((folder_ / file).parent_path());
    write_whole_file(folder_ / file, to_yaml(own));
  }
}

std::vector<RankedInput> Corpus::best(size_t most) const {
  return database_.all("SELECT id, file FROM inputs ORDER BY rank LIMIT ?",
                       Values{std::min<size_t>(most, kMaxInputs)}, [](const SqlRow& row) {
                         return RankedInput{row.text(0), row.text(1)};
                       });
}

}  // namespace esox
