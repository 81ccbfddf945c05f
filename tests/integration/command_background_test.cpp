// SPDX-License-Identifier: Apache-2.0
// Threads of MariaDB's own, scheduled beside clients: orders that cannot come otherwise.
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;

class Background : public CommandTest {
 protected:
  Said run(const std::string& id, const char* background) {
    return esox({"run", shipped("background.yaml"), "--id", "background/" + id, "--background",
                 background, "--executions", "60", "--seed", "12", "--data-choices", "none"});
  }
};

// DROP waits for a task of the pool: without control of it INSERT has run to its end, or waits
// itself, before DROP goes on, and can never come after CREATE.
TEST_F(Background, ATaskThatAClientWaitsForDoesNotKeepOrdersAway) {
  const Said with = run("fulltext-drop-create-insert", "on");
  EXPECT_EQ(with.status, 0) << with.out << with.err;
  EXPECT_THAT(with.out, HasSubstr("x  as A1 A2 B1"));
  const Said without = run("fulltext-drop-create-insert", "off");
  EXPECT_THAT(without.out, Not(HasSubstr("x  as A1 A2 B1"))) << "no longer a blind spot?";
}

// The handler of a delayed insert, and the event's thread, are made while clients run.
TEST_F(Background, ThreadsMadeMeanwhileAreScheduledToo) {
  const Said said = run("delayed-insert-drop", "on");
  EXPECT_THAT(said.out, HasSubstr("error 1927")) << said.err;
  EXPECT_EQ(run("event-at-once", "on").status, 0);
}

// The scheduler writes back what it read before. Out of control it runs as the machine likes:
// nothing can be said of that.
TEST_F(Background, AnEventThatIsDisabledBesideItsFirstRunIsEnabledAgain) {
  const Said with = run("event-disable", "on");
  EXPECT_EQ(with.status, 1) << with.out << with.err;
}

TEST_F(Background, IsScheduledByItselfWhereItMeetsTheClients) {
  const Said fulltext = run("fulltext-drop-create-insert", "auto");
  EXPECT_THAT(fulltext.out, HasSubstr("with threads of the server's own"));
  EXPECT_THAT(fulltext.out, HasSubstr("x  as A1 A2 B1"));
  const Said plain =
      esox({"run", control(), "--engine", "MyISAM", "--executions", "20", "--seed", "12"});
  EXPECT_THAT(plain.out, HasSubstr("20 concurrent executions, "));
  EXPECT_THAT(plain.out, Not(HasSubstr("the server's own")));
}

// By the server's clock it may run anywhere.
TEST_F(Background, AnEventWithAPeriodIsNoViolation) {
  const Said said =
      esox({"run", shipped("background.yaml"), "--id", "background/event-period", "--background",
            "on", "--executions", "100", "--seed", "12", "--data-choices", "none,timer=on"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
}

// A deadlock of rows, of which the client's statement is the victim or the event.
TEST_F(Background, AnEventThatIsTheVictimOfADeadlockIsForgivenByItsRule) {
  write("victim.yaml",
        "id: victim/one\n"
        "setup:\n"
        "  - SET GLOBAL event_scheduler = ON\n"
        "  - CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB\n"
        "  - CREATE TABLE t2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB\n"
        "  - INSERT INTO t1 VALUES (1, 0), (2, 0)\n"
        "  - INSERT INTO t2 VALUES (1, 0), (2, 0)\n"
        "  - CREATE TRIGGER g AFTER UPDATE ON t2 FOR EACH ROW UPDATE t1 SET b = b + 10\n"
        "clients:\n"
        "  - requests: [CREATE EVENT e1 ON SCHEDULE AT CURRENT_TIMESTAMP DO BEGIN START "
        "TRANSACTION; UPDATE t1 SET b = b + 1 WHERE a = 1; UPDATE t2 SET b = b + 1 WHERE a = 1; "
        "COMMIT; END]\n"
        "  - requests: [UPDATE t2 SET b = b + 10]\n");
  const auto run_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run",          "victim.yaml", "--background", "on",
                                          "--executions", "100",         "--seed",       "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return esox(arguments);
  };
  const Said with = run_with({});
  EXPECT_EQ(with.status, 0) << with.out << with.err;
  EXPECT_THAT(with.out, HasSubstr("FORGIVEN by deadlock-of-an-event: test.e1 failed (Deadlock"));
  // Not by a rule for another failure of it.
  write("other.yaml",
        "server: mariadb\nrules:\n  - {name: other, kind: tolerate, task: ^Lock wait timeout, "
        "reason: r, owner: o}\n  - {name: clients, kind: tolerate, errors: [1213], reason: r, "
        "owner: o}\n");
  const Said other = run_with({"--filters", "other.yaml"});
  EXPECT_EQ(other.status, 1) << other.out << other.err;
  EXPECT_THAT(other.out, HasSubstr("VIOLATION, latent"));
}

// Its deadline is that of the clock that it has read: 3 of these executions gave up while the time
// of a timer counted for who read the clock before and waited after, or began to wait anew.
TEST_F(Background, AClientsPatienceIsNotThatOfTheServersTimers) {
  write("patience.yaml",
        "id: patience/one\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=Aria\n"
        "  - INSERT INTO t1 VALUES (1, 1), (2, 2)\n"
        "clients:\n"
        "  - {setup: [SET lock_wait_timeout = 1], requests: [ALTER TABLE t1 ADD c INT]}\n"
        "  - requests: [LOCK TABLES t1 WRITE, DELETE FROM t1 WHERE a = 1, UNLOCK TABLES]\n");
  const Said said = esox({"run", "patience.yaml", "--background", "on", "--executions", "150",
                          "--seed", "6", "--data-choices", "none,timer=on,spurious=on"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("x  as B1 B2 B3 A1"));
  EXPECT_THAT(said.out, Not(HasSubstr("error 1205")));
}

// The server's timers go on for ever beside it, and fill no trace.
TEST_F(Background, AHangOfClientsIsToldAsSuch) {
  write("hang.yaml",
        "id: hang/one\n"
        "setup: ['CREATE TABLE t1 (a INT, b INT DEFAULT 1, KEY (a)) ENGINE=Aria']\n"
        "clients:\n"
        "  - requests: ['INSERT INTO t1 (a) VALUES (1),(2),(3)']\n"
        "  - requests: ['ALTER TABLE t1 ALTER b SET DEFAULT 2']\n");
  const Said said =
      esox({"run", "hang.yaml", "--background", "on", "--executions", "40", "--seed", "5"});
  EXPECT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("VIOLATION, hang"));
  EXPECT_THAT(said.out, Not(HasSubstr("not judged")));
}

// A timer of the server's own ends it, anywhere.
TEST_F(Background, AStatementThatTakesTooLongIsNoViolation) {
  write("limit.yaml",
        "id: limit/one\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB\n"
        "  - INSERT INTO t1 VALUES (1, 1), (2, 2)\n"
        "clients:\n"
        "  - requests: [SET STATEMENT max_statement_time = 1 FOR UPDATE t1 SET b = b + 1]\n"
        "  - requests: [UPDATE t1 SET b = b + 10, DELETE FROM t1 WHERE a = 1]\n");
  const Said said = esox({"run", "limit.yaml", "--background", "on", "--executions", "60", "--seed",
                          "5", "--data-choices", "none,timer=on"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("FORGIVEN by time-limit-of-a-statement"));
}

// Accounts are read anew in two steps, and between them a role lacks what it has from another one
// (docs/found.md).
TEST_F(Background, ASignalIsScheduledAsARequestIs) {
  const Said said = esox({"run", shipped("signals.yaml"), "--id", "signals/role-definer",
                          "--executions", "150", "--seed", "5"});
  EXPECT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("error 1370"));
  EXPECT_THAT(said.out, Not(HasSubstr("not judged")));
}

TEST_F(Background, AServerThatASignalEndsIsJudgedByWhatItLeavesBehind) {
  const Said said =
      esox({"run", shipped("shutdown.yaml"), "--id", "shutdown/transactions", "--engine", "InnoDB",
            "--executions", "6", "--seed", "1", "--strategy", "random"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("no reply"));
  EXPECT_THAT(said.out, Not(HasSubstr("not judged")));
}

// Its client is told nothing, whether it was done or not; what it had still to ask is not asked.
TEST_F(Background, ASessionThatIsKilledIsJudged) {
  for (const char* background : {"off", "on"}) {
    for (const char* input : {"kill-connection", "kill-transaction"}) {
      const Said said = run(input, background);
      EXPECT_EQ(said.status, 0) << said.out << said.err;
      EXPECT_THAT(said.out, Not(HasSubstr("not judged"))) << input << ", " << background;
    }
  }
}

TEST_F(Background, AKilledRequestIsNoViolation) {
  const Said said = run("kill-query", "on");
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("error 1317"));
}

}  // namespace
}  // namespace esox
