// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/suites/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/process/find_program.h"
#include "base/process/log_file.h"
#include "base/process/server_error.h"
#include "targets/mariadb/suites/capture_files.h"
#include "targets/sql/import/test_file.h"

namespace esox {
namespace {

constexpr int kMostMinutesOfATest = 3;

namespace fs = std::filesystem;
constexpr const char* kRemedy =
    "fetch it by scripts/get-mariadb-test, install mariadb-test, or name a mysql-test folder by "
    "--mtr";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

fs::path usual_folder() {
  std::error_code error;
  const fs::path esox = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {esox / "mariadb-test/usr/share/mysql/mysql-test",
                                fs::path("/usr/share/mysql/mysql-test")}) {
    if (is_there(place / "mariadb-test-run.pl")) return place;
  }
  throw ServerError(fmt::format("MariaDB's regression suite is not here; {}", kRemedy));
}

// ROOT/usr/bin of a package; client/ of a source tree.
fs::path client_folder(const fs::path& folder) {
  for (const char* place : {"../../../bin", "../client"}) {
    if (is_there(folder / place / "mariadb-test")) return fs::canonical(folder / place);
  }
  throw ServerError(
      fmt::format("no program mariadb-test for the suite in {}; {}", folder.string(), kRemedy));
}

// The plugin belongs to the server's package, not to the suite's.
void check_plugin(const fs::path& folder) {
  if (folder.parent_path().filename() != "mysql") return;  // a source tree: the runner finds it
  const fs::path plugin =
      fs::weakly_canonical(folder / "../../../lib/mysql/plugin/server_audit.so");
  if (is_there(plugin)) return;
  throw ServerError(
      fmt::format("{} is missing; scripts/get-mariadb-test fetches it, and Debian's "
                  "mariadb-server has it",
                  plugin.string()));
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
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& begin) {
           return name.starts_with(begin);
         });
}

}  // namespace

MariadbSuites::MariadbSuites(const fs::path& wanted) {
  folder_ = wanted.empty() ? usual_folder() : fs::absolute(wanted).lexically_normal();
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  if (!is_there(folder_ / "mariadb-test-run.pl")) {
    throw ServerError(
        fmt::format("--mtr {}: no mariadb-test-run.pl is there; {}", folder_.string(), kRemedy));
  }
  clients_ = client_folder(folder_);
  check_plugin(folder_);
}

fs::path MariadbSuites::folder_of(const std::string& suite) const {
  for (const fs::path& place :
       {folder_ / suite, folder_ / "suite" / suite / "t", folder_ / "suite" / suite}) {
    if (suite.find('/') == std::string::npos && suite.find("..") == std::string::npos &&
        is_there(place))
      return place;
  }
  throw ServerError(fmt::format("there is no suite '{}' in {}", suite, folder_.string()));
}

std::vector<SuiteTest> MariadbSuites::tests_of(const std::string& suite,
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
  std::sort(tests.begin(), tests.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (SuiteTest& test : tests) look_at(folder, test);
  return tests;
}

void MariadbSuites::prepare(const fs::path& own, const fs::path& done) const {
  make_client_folder(own / "clients", clients_, done);
}

std::vector<std::string> MariadbSuites::command(const fs::path& own, unsigned jobs) const {
  const fs::path perl = find_program(
      {"perl", {"perl"}, "/usr/sbin:/usr/bin:/sbin:/bin", "install it (Debian: perl)"});
  return {perl, "mariadb-test-run.pl", "--vardir=" + own.string() + "/var",
          "--tmpdir=" + own.string() + "/tmp", "--client-bindir=" + own.string() + "/clients",
          fmt::format("--parallel={}", jobs), "--force", "--max-test-fail=0", "--retry=0",
          "--nowarnings", "--max-save-core=0", "--max-save-datadir=0",
          fmt::format("--testcase-timeout={}", kMostMinutesOfATest), "--mysqld=--skip-networking",
          "--mysqld=--plugin-load-add=server_audit", "--mysqld=--loose-server-audit-logging=ON",
          // Whole statements, in one file that is never begun anew.
          "--mysqld=--loose-server-audit-query-log-limit=2000000",
          "--mysqld=--loose-server-audit-file-rotate-size=9000000000000000000"};
}

std::vector<std::string> MariadbSuites::logs() const {
  return {kGeneralLog, kAuditLog};
}

std::vector<FinishedTest> MariadbSuites::finished(const fs::path& done) const {
  return finished_tests(done);
}

std::map<std::string, std::string> MariadbSuites::skipped(std::string_view runner_log) const {
  return skipped_by_runner(runner_log);
}

}  // namespace esox
