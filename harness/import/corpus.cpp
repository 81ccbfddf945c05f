// SPDX-License-Identifier: Apache-2.0
// See corpus.h.
#include "harness/import/corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/yaml/limits.h"
#include "harness/import/index_statement.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "inputs/limits.h"
#include "inputs/writer.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "2";
constexpr const char* kSchema = R"(
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
)";

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw OutError(fmt::format("cannot make {}: {}; name another folder by --out", path.string(),
                               error.message()));
  }
}

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

void put_counts(sqlite3* database, const std::string& kind,
                const std::map<std::string, size_t>& counts) {
  IndexStatement insert(database, "INSERT INTO counts VALUES (?, ?, ?)");
  for (const auto& [name, number] : counts) insert.run({kind, name, std::to_string(number)});
}

}  // namespace

void Corpus::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Corpus::Corpus(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::exists(folder_ / "index.sqlite", error) &&
      !(fs::is_directory(folder_, error) && fs::is_empty(folder_, error))) {
    throw OutError(fmt::format("{} is not empty and not a corpus; name another folder by --out",
                               folder_.string()));
  }
  make_folder(folder_);
  open();
}

Corpus::~Corpus() = default;

void Corpus::open() {
  sqlite3* database = nullptr;
  const std::string file = folder_ / "index.sqlite";
  const int result = sqlite3_open(file.c_str(), &database);
  database_.reset(database);
  if (result != SQLITE_OK) {
    throw OutError(fmt::format("cannot open {}: {}; name another folder by --out", file,
                               sqlite3_errstr(result)));
  }
  // Held to the end: two imports into one folder would take each other's tests away.
  run_sql(database, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL");
  run_sql(database, kSchema);
  std::string version;
  IndexStatement(database, "SELECT version FROM corpus").each([&](const auto& column) {
    version = column(0);
  });
  if (version.empty()) {
    IndexStatement(database, "INSERT INTO corpus VALUES (?)").run({kVersion});
  } else if (version != kVersion) {
    throw OutError(
        fmt::format("{} is of another version of esox ({}); name another folder by --out",
                    folder_.string(), version));
  }
}

fs::path Corpus::capture_of(const std::string& test) const {
  return folder_ / "capture" / test;
}

void Corpus::set_test(const std::string& test, const TestState& state) {
  IndexStatement(database_.get(), "INSERT OR REPLACE INTO tests VALUES (?, ?, ?)")
      .run({test, state.state, state.reason});
}

std::map<std::string, TestState> Corpus::tests() const {
  std::map<std::string, TestState> all;
  IndexStatement(database_.get(), "SELECT test, state, reason FROM tests")
      .each([&](const auto& column) {
        all[column(0)] = {column(1), column(2)};
      });
  return all;
}

void Corpus::add_trials(const std::vector<std::pair<TrialKey, TrialResult>>& trials) {
  if (trials.empty()) return;
  run_sql(database_.get(), "BEGIN");
  IndexStatement insert(database_.get(), "INSERT OR REPLACE INTO trials VALUES (?,?,?,?,?,?,?)");
  for (const auto& [key, result] : trials) {
    insert.run({key.first, key.second, result.rejected, result.detail, name_of(result.sensitivity),
                fmt::format("{}", fmt::join(result.observations, "\n")),
                fmt::format("{:x}", fmt::join(result.contacts, " "))});
  }
  run_sql(database_.get(), "COMMIT");
}

std::map<TrialKey, TrialResult> Corpus::trials() const {
  std::map<TrialKey, TrialResult> all;
  IndexStatement(database_.get(),
                 "SELECT id, engine, rejected, detail, sensitivity, observations, contacts FROM "
                 "trials")
      .each([&](const auto& column) {
        TrialResult& result = all[{column(0), column(1)}];
        result.rejected = column(2);
        result.detail = column(3);
        result.sensitivity = sensitivity_of_name(column(4));
        result.observations = lines_of(column(5));
        result.contacts = contacts_of(column(6));
      });
  return all;
}

void Corpus::add_history(const std::vector<HuntedInput>& hunted) {
  run_sql(database_.get(), "BEGIN");
  IndexStatement insert(database_.get(),
                        "INSERT INTO history VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                        "executions = executions + excluded.executions, "
                        "findings = findings + excluded.findings");
  for (const HuntedInput& one : hunted) {
    insert.run({one.id, std::to_string(one.executions), std::to_string(one.findings)});
  }
  run_sql(database_.get(), "COMMIT");
}

History Corpus::history() const {
  History all;
  IndexStatement(database_.get(),
                 "SELECT kinds, COUNT(*), SUM(findings > 0) FROM history JOIN inputs USING (id) "
                 "GROUP BY kinds")
      .each([&](const auto& column) {
        all[column(0)] = {std::stoul(column(1)), std::stoul(column(2))};
      });
  return all;
}

void Corpus::set_conflicts(const std::string& server_version,
                           const std::vector<ShownConflicts>& shown) {
  run_sql(database_.get(), "BEGIN");
  IndexStatement insert(database_.get(), "INSERT OR REPLACE INTO conflicts VALUES (?, ?, ?, ?)");
  for (const ShownConflicts& one : shown) {
    insert.run({server_version, one.id, one.engine, places_text(one.places)});
  }
  run_sql(database_.get(), "COMMIT");
}

ConflictPool Corpus::conflicts(const std::string& server_version) const {
  ConflictPool pool;
  size_t inputs = 0;
  IndexStatement(database_.get(), "SELECT server, places FROM conflicts ORDER BY rowid DESC")
      .each([&](const auto& column) {
        if (column(0) == server_version && inputs++ < kMostPooledInputs)
          add_places(column(1), pool);
      });
  return pool;
}

void Corpus::replace_inputs(const std::vector<CorpusInput>& inputs,
                            const std::vector<ImportedInput>& rejected,
                            const ImportCounts& counts) {
  Files files("inputs");
  std::vector<std::string> file_of;
  for (const CorpusInput& one : inputs) file_of.push_back(files.add(one.imported));
  Files rejected_files("rejected");
  for (const ImportedInput& one : rejected) rejected_files.add(one);
  for (const Files* all : {&files, &rejected_files}) write_files(all->folder(), all->inputs_of());
  run_sql(database_.get(), "BEGIN; DELETE FROM inputs; DELETE FROM counts");
  try {
    IndexStatement insert(database_.get(), "INSERT INTO inputs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    size_t rank = 0;
    for (const CorpusInput& one : inputs) {
      const ImportedInput& imported = one.imported;
      insert.run({std::to_string(++rank), imported.input.id, imported.test, file_of[rank - 1],
                  name_of(imported.form), fmt::format("{}", fmt::join(imported.statements, " ")),
                  imported.kinds, fmt::format("{}", fmt::join(imported.input.engines, " ")),
                  name_of(one.sensitivity), std::to_string(one.contacts),
                  imported.failing ? "1" : "0", imported.drops_tables ? "1" : "0", imported.shape});
    }
    put_counts(database_.get(), "stage", counts.stages);
    put_counts(database_.get(), "rejected", counts.rejected);
  } catch (...) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  run_sql(database_.get(), "COMMIT");
}

// All of them anew: a test that gives none any more leaves no file behind.
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
  std::vector<RankedInput> all;
  IndexStatement(database_.get(), fmt::format("SELECT id, file FROM inputs ORDER BY rank LIMIT {}",
                                              std::min<size_t>(most, kMaxInputs)))
      .each([&](const auto& column) {
        all.push_back({column(0), column(1)});
      });
  return all;
}

std::map<std::string, size_t> Corpus::inputs_by_form() const {
  std::map<std::string, size_t> forms;
  IndexStatement(database_.get(), "SELECT form, COUNT(*) FROM inputs GROUP BY form")
      .each([&](const auto& column) { forms[column(0)] = std::stoul(column(1)); });
  return forms;
}

}  // namespace esox
