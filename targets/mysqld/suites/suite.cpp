// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/suites/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "base/process/find_program.h"
#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "targets/mysqld/suites/capture_files.h"
#include "targets/sql/import/test_file.h"

namespace esox {
namespace {

constexpr int kMostMinutesOfATest = 3;

namespace fs = std::filesystem;
constexpr const char* kRemedy =
    "fetch it by make mariadb-test or make mysql-test, install mariadb-test or mysql-testsuite, or "
    "name a mysql-test folder by --mtr";

// MariaDB's keeps the names of MySQL's, too, as links: it comes first.
constexpr SuiteLayout kLayouts[] = {{"mariadb-test-run.pl", "mariadb-test", "main", false},
                                    {"mysql-test-run.pl", "mysqltest", "t", true}};

const SuiteLayout* layout_of(const fs::path& folder) {
  for (const SuiteLayout& layout : kLayouts) {
    if (is_there(folder / layout.runner)) return &layout;
  }
  return nullptr;
}

// Of an installation or an archive, from the folder that holds all of it.
constexpr const char* kUsualFolders[] = {"usr/lib/mysql-test", "usr/share/mysql/mysql-test",
                                         "mysql-test", "lib/mysql-test", "share/mysql/mysql-test"};

fs::path usual_folder(const fs::path& near) {
  std::error_code error;
  std::vector<fs::path> places;
  if (!near.empty()) {
    for (fs::path place = fs::absolute(near); place.has_relative_path();
         place = place.parent_path()) {
      places.push_back(place);
    }
  }
  places.push_back(fs::read_symlink("/proc/self/exe", error).parent_path() / "mariadb-test");
  places.emplace_back("/");
  for (const fs::path& place : places) {
    for (const char* folder : kUsualFolders) {
      if (layout_of(place / folder) != nullptr) return place / folder;
    }
  }
  throw ServerError(fmt::format("no regression suites are here; {}", kRemedy));
}

// Beside the suites, ROOT/usr/bin of a package, client/ of a source tree.
fs::path client_folder(const fs::path& folder, const SuiteLayout& layout) {
  for (const char* place :
       {"bin", "../bin", "../../bin", "../../../bin", "../client", "../runtime_output_directory"}) {
    if (is_there(folder / place / layout.client)) return fs::canonical(folder / place);
  }
  throw ServerError(fmt::format("no program {} for the suites in {}; {}", layout.client,
                                folder.string(), kRemedy));
}

// The nearest folder above that has a server.
fs::path base_folder(const fs::path& folder) {
  for (fs::path base = folder.parent_path(); base.has_relative_path(); base = base.parent_path()) {
    if (is_there(base / "sbin/mysqld") || is_there(base / "bin/mysqld")) return base;
  }
  throw ServerError(fmt::format("no server for the suites in {}; {}", folder.string(), kRemedy));
}

void look_at(const fs::path& folder, SuiteTest& test) {
  test.left_out = reason_not_to_capture(text_of_file(folder / (test.name + ".test")));
  if (!test.left_out.empty()) return;
  if (is_there(folder / (test.name + ".cnf"))) {
    test.left_out = "has a configuration of its own";
    return;
  }
  for (const char* ending : {".opt", "-master.opt"}) {
    const auto options = options_of_test(text_of_file(folder / (test.name + ending)));
    if (!options) {
      test.left_out = "needs options that esox's servers cannot have";
      return;
    }
    test.server_options.insert(test.server_options.end(), options->begin(), options->end());
  }
}

bool is_wanted(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::any_of(only, [&](const std::string& begin) {
           return name.starts_with(begin);
         });
}

}  // namespace

MysqldSuites::MysqldSuites(const fs::path& wanted, const fs::path& near) {
  folder_ = wanted.empty() ? usual_folder(near) : fs::absolute(wanted).lexically_normal();
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  layout_ = layout_of(folder_);
  if (layout_ == nullptr) {
    throw ServerError(fmt::format("--mtr {}: no {} or {} is there; {}", folder_.string(),
                                  kLayouts[0].runner, kLayouts[1].runner, kRemedy));
  }
  clients_ = client_folder(folder_, *layout_);
  if (layout_->told_all) base_ = base_folder(folder_);
}

fs::path MysqldSuites::folder_of(const std::string& suite) const {
  const fs::path main = suite == "main" ? layout_->main_folder : suite;
  for (const fs::path& place :
       {folder_ / main, folder_ / "suite" / suite / "t", folder_ / "suite" / suite}) {
    if (suite.find('/') == std::string::npos && suite.find("..") == std::string::npos &&
        is_there(place))
      return place;
  }
  throw ServerError(fmt::format("there is no suite '{}' in {}", suite, folder_.string()));
}

std::vector<SuiteTest> MysqldSuites::tests_of(const std::string& suite,
                                              const std::vector<std::string>& only) const {
  const fs::path folder = folder_of(suite);
  std::vector<SuiteTest> tests;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    SuiteTest test;
    test.suite = suite;
    test.name = entry.path().stem();
    if (is_wanted(test.name, only)) tests.push_back(std::move(test));
  }
  if (tests.empty())
    throw ServerError(
        fmt::format("suite '{}' has no such test; the tests are in {}", suite, folder.string()));
  std::ranges::sort(tests, [](const auto& a, const auto& b) { return a.name < b.name; });
  for (SuiteTest& test : tests) look_at(folder, test);
  return tests;
}

// Of several with one name, the first.
std::vector<fs::path> MysqldSuites::programs() const {
  std::vector<fs::path> folders = {clients_};
  if (layout_->told_all) {
    for (const char* folder : {"bin", "sbin"}) folders.push_back(base_ / folder);
  }
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : folders) {
    if (!is_there(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      const bool ours = folder == clients_ || name.starts_with("mysql");
      if (ours && is_there(entry.path())) found.try_emplace(name, entry.path());
    }
  }
  std::vector<fs::path> all;
  for (const auto& [name, path] : found) all.push_back(path);
  return all;
}

void MysqldSuites::prepare(const fs::path& own, const fs::path& done) const {
  std::error_code error;
  const fs::path esox = fs::read_symlink("/proc/self/exe", error);
  make_program_folder(own / "programs/bin", programs(),
                      {layout_->client, {esox, "import", kClientCommand, "--"}, done});
  if (!layout_->told_all) return;
  for (const char* folder : {"lib", "share"}) {
    fs::create_directory_symlink(base_ / folder, own / "programs" / folder);
  }
}

std::vector<std::string> MysqldSuites::command(const fs::path& own, unsigned jobs) const {
  std::vector<std::string> words;
  if (layout_->told_all) {
    words = {find_packaged("env", "coreutils"), "MTR_BINDIR=" + (own / "programs").string(),
             "PERL5LIB=" + (base_ / "share/perl5").string()};
  }
  const std::vector<std::string> runner = {
      find_packaged("perl", "perl"),
      layout_->runner,
      "--vardir=" + (own / "var").string(),
      "--tmpdir=" + (own / "tmp").string(),
      "--client-bindir=" + (own / "programs/bin").string(),
      fmt::format("--parallel={}", jobs),
      "--force",
      "--max-test-fail=0",
      "--retry=0",
      "--nowarnings",
      "--max-save-core=0",
      "--max-save-datadir=0",
      fmt::format("--testcase-timeout={}", kMostMinutesOfATest),
      "--mysqld=--skip-networking"};
  words.insert(words.end(), runner.begin(), runner.end());
  return words;
}

std::vector<std::string> MysqldSuites::logs() const {
  return {kRequestLog};
}

std::vector<FinishedTest> MysqldSuites::finished(const fs::path& done) const {
  return finished_tests(done);
}

std::map<std::string, std::string> MysqldSuites::skipped(std::string_view runner_log) const {
  return skipped_by_runner(runner_log);
}

}  // namespace esox
