// SPDX-License-Identifier: Apache-2.0
// See corpus.h.
#include "harness/import/corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <system_error>
#include <utility>

#include "harness/hunt/out_folder.h"
#include "harness/import/index_statement.h"
#include "inputs/limits.h"
#include "inputs/writer.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "1";
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS corpus (version TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tests (
  test TEXT PRIMARY KEY, state TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS inputs (
  id TEXT PRIMARY KEY, test TEXT NOT NULL, file TEXT NOT NULL, form TEXT NOT NULL,
  statements TEXT NOT NULL, kinds TEXT NOT NULL, failing INTEGER NOT NULL,
  whole_objects INTEGER NOT NULL, shape TEXT NOT NULL);
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

std::string file_of(const std::string& test) {
  return "inputs/" + test + ".yaml";
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

void Corpus::replace_inputs(const std::vector<ImportedInput>& inputs, const ImportCounts& counts) {
  write_files(inputs);
  run_sql(database_.get(), "BEGIN; DELETE FROM inputs; DELETE FROM counts");
  try {
    IndexStatement insert(database_.get(), "INSERT INTO inputs VALUES (?,?,?,?,?,?,?,?,?)");
    for (const ImportedInput& one : inputs) {
      insert.run({one.input.id, one.test, file_of(one.test), name_of(one.form),
                  fmt::format("{}", fmt::join(one.statements, " ")), one.kinds,
                  one.failing ? "1" : "0", one.drops_tables ? "1" : "0", one.shape});
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
void Corpus::write_files(const std::vector<ImportedInput>& inputs) const {
  std::map<std::string, std::vector<Input>> of_test;
  for (const ImportedInput& one : inputs) of_test[one.test].push_back(one.input);
  std::error_code ignored;
  fs::remove_all(folder_ / "inputs", ignored);
  for (const auto& [test, own] : of_test) {
    const fs::path file = folder_ / file_of(test);
    make_folder(file.parent_path());
    write_whole_file(file, to_yaml(own));
  }
}

std::map<std::string, size_t> Corpus::inputs_by_form() const {
  std::map<std::string, size_t> forms;
  IndexStatement(database_.get(), "SELECT form, COUNT(*) FROM inputs GROUP BY form")
      .each([&](const auto& column) { forms[column(0)] = std::stoul(column(1)); });
  return forms;
}

}  // namespace esox
