// SPDX-License-Identifier: Apache-2.0
// The regression suites that come with MySQL and MariaDB, where Debian's packages, the scripts that
// fetch them (scripts/get-servers, scripts/get-mariadb-test) or a source tree have them.
#pragma once

#include "targets/imports.h"

namespace esox {

// Of esox import, for the scripts that stand in for the client program (capture_files.h).
inline constexpr const char* kClientCommand = "mtr-client";

// What differs between the two.
struct SuiteLayout {
  const char* runner;       // "mysql-test-run.pl"
  const char* client;       // "mysqltest"
  const char* main_folder;  // of suite main
  // Whether the runner must be told of all programs and where the rest of the server is: else it
  // finds what it runs by itself.
  bool told_all;
};

class MysqldSuites final : public TestSuites {
 public:
  // `wanted`: a mysql-test folder; empty: one that is near the server `near`, a program or a
  // folder, or where it usually is. Throws ServerError with the remedy.
  MysqldSuites(const std::filesystem::path& wanted, const std::filesystem::path& near);

  std::vector<SuiteTest> tests_of(const std::string& suite,
                                  const std::vector<std::string>& only) const override;
  const std::filesystem::path& folder() const override { return folder_; }
  void prepare(const std::filesystem::path& own, const std::filesystem::path& done) const override;
  std::vector<std::string> command(const std::filesystem::path& own, unsigned jobs) const override;
  std::vector<std::string> logs() const override;
  std::vector<FinishedTest> finished(const std::filesystem::path& done) const override;
  std::map<std::string, std::string> skipped(std::string_view runner_log) const override;

 private:
  std::filesystem::path folder_of(const std::string& suite) const;
  std::vector<std::filesystem::path> programs() const;

  std::filesystem::path folder_;  // mysql-test, where the runner is
  const SuiteLayout* layout_;
  std::filesystem::path clients_;  // the folder of the client programs
  std::filesystem::path base_;     // where the server's programs, libraries and messages are
};

}  // namespace esox
