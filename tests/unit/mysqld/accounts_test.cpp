// SPDX-License-Identifier: Apache-2.0
// What is said of accounts and rights, and what of passwords is not.
#include "targets/mysqld/state/accounts.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

constexpr const char* kSalted = "$A$005$salt\"and}digest";

std::vector<Column> columns(const std::vector<std::string>& names) {
  std::vector<Column> all;
  for (const std::string& name : names) {
    all.emplace_back();
    all.back().name = name;
  }
  return all;
}

TEST(Accounts, ARowTellsWhatIsGranted) {
  EXPECT_EQ(account_row(columns({"Host", "Select_priv", "Drop_priv", "Grantor", "Timestamp"}),
                        {Cell("%"), Cell("Y"), Cell("N"), Cell(), Cell("2026-01-01 00:00:00")}, {}),
            "Host '%', Select_priv 'Y'");
}

TEST(Accounts, APasswordWithoutASaltIsComparedAndOneWithASaltIsOldOrNew) {
  const auto row = [](const std::string& password, const std::set<std::string>& known) {
    return account_row(columns({"authentication_string"}), {Cell(password)}, known);
  };
  EXPECT_EQ(row("*B69027D44F6E5EDC07F1AEAD1477967B16F28227", {}),
            "authentication_string '*B69027D44F6E5EDC07F1AEAD1477967B16F28227'");
  for (const char* salted : {kSalted, "$5$salt$digest", "P0:salt:digest"}) {
    EXPECT_EQ(row(salted, {}), "authentication_string '(salted, set since)'") << salted;
    EXPECT_EQ(row(salted, {salted}), "authentication_string '(salted, as after the setup)'");
  }
}

TEST(Accounts, APasswordInJsonIsFoundThereAndTheRestStays) {
  std::set<std::string> seen;
  const std::string salted = "P0:a\\\"b:c";
  const auto json = [](const std::string& password) {
    return "{\"access\":5,\"authentication_string\":\"" + password + "\",\"plugin\":\"parsec\"}";
  };
  EXPECT_EQ(account_row(columns({"Priv"}), {Cell(json(salted))}, {}, &seen),
            "Priv '" + json("(salted, set since)") + "'");
  EXPECT_EQ(seen, std::set<std::string>{salted});
}

TEST(Accounts, ALineOfGrantsGoesWithoutThePassword) {
  EXPECT_EQ(without_password("GRANT SELECT ON *.* TO `u`@`%`"), "GRANT SELECT ON *.* TO `u`@`%`");
  EXPECT_EQ(without_password("GRANT ALL ON *.* TO 'u'@'%' IDENTIFIED BY PASSWORD '*B690' WITH "
                             "GRANT OPTION"),
            "GRANT ALL ON *.* TO 'u'@'%' WITH GRANT OPTION");
}

}  // namespace
}  // namespace esox
