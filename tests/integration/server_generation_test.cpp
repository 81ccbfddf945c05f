// SPDX-License-Identifier: Apache-2.0
// Inputs made by the shipped grammars, on real servers: what they ask about the schema is answered,
// and most of their requests succeed, one client after the other. The share is told; of more
// inputs:
//   ESOX_MADE_INPUTS=300 scripts/run-tests build -R MostRequestsSucceed
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "inputs/generation/grammar_reader.h"
#include "inputs/generation/maker.h"
#include "inputs/languages.h"
#include "targets/target.h"
#include "tests/integration/server_fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::Not;

constexpr double kLeastShare = 0.75;
constexpr int kUsualInputs = 30;
// A third of its grammar is of later releases, and has to be tried before it rests.
constexpr int kUsualInputsOfMysql56 = 200;

bool outlives_database(const std::string& statement) {
  return statement.starts_with("XA ") || statement.find("GLOBAL") != std::string::npos ||
         statement.find(" USER ") != std::string::npos ||
         statement.find("ROLE ") != std::string::npos ||
         statement.find("DATABASE ") != std::string::npos;
}

class GenerationTest : public RealServerTest {
 protected:
  // The same server again, unless the input wants other options or the last one left something
  // that outlives its database.
  void begin(const Input& setup) {
    std::vector<std::string> options = server_options(target(), setup);
    options.emplace_back("--innodb-lock-wait-timeout=1");
    options.emplace_back("--lock-wait-timeout=1");
    if (own_ == nullptr || options != options_) {
      end();
      boot(options);
      options_ = options;
      own_ = target().make_client();
      own_->connect(running_->socket_path());
    } else {
      target().empty(*own_);
    }
    own_->run_setup(setup.setup);
  }
  void end() {
    own_.reset();
    running_.reset();
  }

  Holdings held() {
    std::vector<Output> replies;
    for (const std::string& question : target().holdings_questions()) {
      replies.push_back(own_->run({question}));
      EXPECT_EQ(replies.back().error, 0u) << replies.back().message;
    }
    return target().holdings_of(replies);
  }

  void play(const Input& input, Maker& maker) {
    std::vector<std::unique_ptr<Client>> sessions;
    for (const InputClient& client : input.clients) {
      sessions.push_back(target().make_client());
      sessions.back()->connect(running_->socket_path());
      sessions.back()->run_setup(client.setup);
    }
    for (size_t i = 0; i < sessions.size(); ++i) {
      play(input.clients[i], *sessions[i], maker);
      sessions[i].reset();  // its transaction and locks end, so that the next one need not wait
    }
  }
  void play(const InputClient& client, Client& session, Maker& maker) {
    for (const Request& request : client.requests) {
      const Output reply = session.run(request);
      const bool succeeded = reply.answered && reply.error == 0;
      maker.learn(request.text, succeeded);
      ++requests_;
      succeeded_ += succeeded ? 1 : 0;
      lasts_ = lasts_ || !reply.answered || outlives_database(request.text);
    }
  }

  std::unique_ptr<Client> own_;
  std::vector<std::string> options_;
  bool lasts_ = false;
  size_t requests_ = 0;
  size_t succeeded_ = 0;
};

TEST_P(GenerationTest, TheSchemaIsToldByTheServer) {
  Input setup;
  setup.setup = {
      "CREATE TABLE t1 (id INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(9) DEFAULT '') ENGINE=InnoDB",
      "ALTER TABLE t1 ADD UNIQUE KEY ub (b)",
      "CREATE TABLE `odd name` (a INT, KEY ka (a)) ENGINE=InnoDB",
      "ALTER TABLE `odd name` ADD CONSTRAINT f1 FOREIGN KEY (a) REFERENCES t1 (id)",
      "CREATE TABLE p (id INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 2",
      "CREATE VIEW v1 AS SELECT b FROM t1",
      "CREATE TRIGGER tr1 BEFORE INSERT ON t1 FOR EACH ROW SET NEW.b = 'y'",
      "CREATE PROCEDURE pr1() SELECT 1",
      "CREATE EVENT e1 ON SCHEDULE EVERY 1 DAY DO SELECT 1",
      "CREATE USER u1",
      "CREATE DATABASE d1"};
  if (is_mariadb()) {
    setup.setup.emplace_back("CREATE SEQUENCE s1");
    setup.setup.emplace_back("CREATE ROLE r1");
  }
  begin(setup);
  const Holdings holdings = held();
  const Holding wanted[] = {{"table", "t1", "", "InnoDB"},
                            {"table", "p", "", "InnoDB partitioned"},
                            {"table", "`odd name`", "", "InnoDB"},
                            {"column", "id", "t1", "int primary indexed auto"},
                            {"column", "b", "t1", "varchar unique indexed"},
                            {"column", "a", "`odd name`", "int indexed"},
                            {"column", "b", "v1", "varchar"},
                            {"index", "ub", "t1", "btree unique"},
                            {"constraint", "f1", "`odd name`", "foreign key"},
                            {"partition", "p0", "p", "hash"},
                            {"trigger", "tr1", "t1", "insert"},
                            {"view", "v1", "", ""},
                            {"procedure", "pr1", "", ""},
                            {"event", "e1", "", ""},
                            {"user", "u1", "", ""},
                            {"database", "d1", "", ""}};
  for (const Holding& one : wanted) {
    EXPECT_THAT(holdings, Contains(one)) << one.type << " " << one.name;
  }
  EXPECT_THAT(holdings, Not(Contains(testing::Field(&Holding::name, "mysql"))));
  const Holding sequence{"sequence", "s1", "", ""};
  const Holding role{"role", "r1", "", ""};
  if (is_mariadb()) {
    EXPECT_THAT(holdings, Contains(sequence));
    EXPECT_THAT(holdings, Contains(role));
  }
}

TEST_P(GenerationTest, MostRequestsSucceed) {
  const Languages languages = {&target().language()};
  Maker maker(read_grammar(target().grammar_file().value(), languages));
  Rng random(1);
  const char* const wanted = std::getenv("ESOX_MADE_INPUTS");
  const bool is_old = std::string_view(GetParam().name) == "mysql-5.6";
  const int usual = is_old ? kUsualInputsOfMysql56 : kUsualInputs;
  const int inputs = wanted == nullptr ? usual : std::atoi(wanted);
  size_t unfit_setups = 0;
  for (int i = 0; i < inputs; ++i) {
    const Input setup = maker.setup(random);
    if (lasts_) end();
    lasts_ = false;
    try {
      begin(setup);
    } catch (const ClientError&) {
      ++unfit_setups;
      lasts_ = true;
      continue;
    }
    lasts_ = std::ranges::any_of(setup.setup, outlives_database);
    const auto input = maker.fresh(setup, held(), {}, random);
    ASSERT_TRUE(input);
    play(*input, maker);
  }
  const double share = static_cast<double>(succeeded_) / static_cast<double>(requests_);
  fmt::print("{}: of {} requests of {} inputs {:.1f} % succeeded; {} setups failed\n",
             GetParam().name, requests_, inputs, share * 100, unfit_setups);
  EXPECT_GE(share, kLeastShare);
  // Columns that are computed are newer than MySQL 5.6.
  EXPECT_LE(unfit_setups, static_cast<size_t>(inputs) / 5);
}

INSTANTIATE_TEST_SUITE_P(Servers, GenerationTest, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
