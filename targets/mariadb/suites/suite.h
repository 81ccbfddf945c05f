// SPDX-License-Identifier: Apache-2.0
// MariaDB's own regression suites, where Debian's packages, scripts/get-mariadb-test or a source
// tree have them.
#pragma once

#include "targets/imports.h"

namespace esox {

class MariadbSuites final : public TestSuites {
 public:
  // `wanted`: a mysql-test folder; empty: where it usually is. Throws ServerError with the remedy.
  explicit MariadbSuites(const std::filesystem::path& wanted);

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

  std::filesystem::path folder_;   // mysql-test, where mariadb-test-run.pl is
  std::filesystem::path clients_;  // the folder of mariadb-test and the other client programs
};

}  // namespace esox
