// SPDX-License-Identifier: Apache-2.0
// What must hold of all readers of what others wrote - logs, test files, SQL, requests - on any
// bytes: no crash; no wrong cut: what is given out stands in the text, byte for byte, between the
// places where such a thing begins and ends; and nothing goes uncounted.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text/input_error.h"
#include "inputs/limits.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "targets/mariadb/language.h"
#include "targets/memcached/text_import.h"
#include "targets/memcached/text_script.h"
#include "targets/sql/import/audit_log.h"
#include "targets/sql/import/general_log.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/sql_import.h"
#include "targets/sql/import/sql_script.h"
#include "targets/sql/import/test_file.h"
#include "targets/sql/import/test_import.h"
#include "targets/sql/statement.h"
#include "tests/unit/import/fixtures.h"
#include "tests/unit/mutator.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing_import::Logs;
using testing_import::logs_of;
using testing_import::Told;
using testing_mutations::Mutator;
using testing_mutations::rounds;

constexpr std::string_view kBytes("\n\t\0,'\"\\`@.;:(-#/*!0Q \r\xff\xc3\xa4", 24);

const std::vector<Told> kTold = {
    {"CREATE TABLE t1 (a INT,\n\tb VARCHAR(9) DEFAULT 'x;y')", {"CREATE t1"}},
    {"CREATE USER u IDENTIFIED BY 'it''s; secret', v IDENTIFIED BY \"x\""},
    {"INSERT INTO t1 VALUES (1,'\n'),(2,'\t\t     4 Query\tDROP TABLE t1')", {"WRITE t1"}},
    {"CREATE PROCEDURE p1() BEGIN DELETE FROM t1; SELECT 1; END"},
    {"CALL p1(@a, `b``c`.d)", {"READ t1", "RENAME t1|test.t2"}},
    {"BEGIN"},
    {"UPDATE t1 SET a = 2 /* ; */ WHERE b = \"q\"", {"WRITE t1"}},
    {"COMMIT"},
    {"SELECT @@global.x, @y FROM t1 ORDER BY 1", {"READ t1"}, 1064, 5},
    {"SELECT a FROM t1", {"READ t1"}, 0, 5}};

// As the plugin writes it.
Logs real_logs() {
  Logs logs = logs_of(kTold);
  logs.general =
      "/usr/sbin/mariadbd, Version: 10.11. started with:\nTcp port: 0\n"
      "Time\t\t    Id Command\tArgument\n"
      "261121 16:25:21\t     4 Connect\troot@localhost on test using Socket\n" +
      logs.general + "261121  6:25:22\t     4 Quit\t\n";
  for (const std::string secret : {"\\'it\\'\\'s; secret\\'", "\"x\""}) {
    const size_t at = logs.audit.find(secret);
    logs.audit.replace(at, secret.size(), "*****");
  }
  return logs;
}

bool is_head(std::string_view head) {
  if (head.starts_with("\t\t")) {
    head.remove_prefix(2);
  } else if (head.size() > 15 && head[15] == '\t') {
    head.remove_prefix(16);
  } else {
    return false;
  }
  return head.find_first_not_of(" 0") == std::string_view::npos;
}

// Every byte of the log is in a head, in an entry, a line end, or counted as unread.
void expect_whole_entries(std::string_view text, const GeneralLog& log) {
  size_t at = 0;
  for (const GeneralLogEntry& entry : log.entries) {
    const std::string call =
        std::to_string(entry.connection) + " " + entry.command + "\t" + entry.text;
    size_t found = text.find(call, at);
    // What stands before the first entry may look like a part of it.
    while (&entry == &log.entries.front() && found != std::string_view::npos) {
      at = text.rfind('\n', found) + 1;
      if (is_head(text.substr(at, found - at))) break;
      found = text.find(call, found + 1);
    }
    ASSERT_NE(found, std::string_view::npos);
    ASSERT_TRUE(is_head(text.substr(at, found - at))) << text.substr(at, found - at);
    at = found + call.size();
    ASSERT_TRUE(at == text.size() || text[at] == '\n');
    at = std::min(at + 1, text.size());
  }
  const bool to_the_end = !log.restarted && !log.entries.empty();
  ASSERT_TRUE(!to_the_end || at == text.size());
}

TEST(GeneralLogProperty, EntriesAreCutAtLinesThatBeginOne) {
  Mutator mutator(1, kBytes);
  const std::string whole = real_logs().general;
  for (size_t round = 0; round < rounds(20000); ++round) {
    const std::string text = mutator.mutate(whole);
    expect_whole_entries(text, read_general_log(text));
    if (HasFatalFailure()) FAIL() << text;
  }
}

TEST(AuditLogProperty, EveryLineIsAnEventOrCountedOrOfAnotherKind) {
  Mutator mutator(2, kBytes);
  const std::string whole = real_logs().audit;
  for (size_t round = 0; round < rounds(20000); ++round) {
    const std::string text = mutator.mutate(whole);
    const AuditLog log = read_audit_log(text);
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    ASSERT_LE(log.events.size() + log.malformed_lines, lines) << text;
    for (const AuditEvent& event : log.events) {
      ASSERT_NE(text.find(event.table), std::string::npos) << text;
      ASSERT_EQ(event.text.find('\n'), std::string::npos) << text;
    }
  }
}

size_t count(const LoggedTest& test, const std::string& reason) {
  const auto found = test.rejected.find(reason);
  return found == test.rejected.end() ? 0 : found->second;
}

void expect_counted(const LoggedTest& test) {
  const auto unmatched = std::count_if(test.statements.begin(), test.statements.end(),
                                       [](const LoggedStatement& one) { return !one.matched; });
  ASSERT_EQ(count(test, "a statement whose result is not in the audit log"),
            static_cast<size_t>(unmatched));
}

std::set<std::string> told_texts() {
  std::set<std::string> texts;
  for (const Told& one : kTold) texts.insert(trim_statement(one.text));
  return texts;
}

// Killed anywhere: what is used of the logs is whole statements that were run.
TEST(LoggedTestProperty, LogsCutOffAnywhereGiveNoPartOfAStatement) {
  const Logs logs = real_logs();
  const std::set<std::string> told = told_texts();
  const auto check = [&](const std::string& general, const std::string& audit) {
    const LoggedTest test = read_logged_test(general, audit);
    expect_counted(test);
    for (const LoggedStatement& one : test.statements) {
      ASSERT_TRUE(!one.matched || told.contains(one.text)) << one.text;
    }
  };
  for (size_t end = 0; end <= logs.general.size(); ++end) {
    check(logs.general.substr(0, end), logs.audit);
    check(logs.general.substr(end), logs.audit);
  }
  for (size_t end = 0; end <= logs.audit.size(); ++end) {
    check(logs.general, logs.audit.substr(0, end));
    check(logs.general, logs.audit.substr(end));
  }
}

void expect_loadable(const std::vector<ImportedInput>& inputs, const std::string& from) {
  std::vector<Input> all;
  for (const ImportedInput& one : inputs) all.push_back(one.input);
  if (all.empty()) return;
  try {
    const std::vector<Input> again = parse_inputs(to_yaml(all), "made.yaml", languages());
    ASSERT_EQ(again.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(again[i].setup, all[i].setup) << from;
      for (size_t c = 0; c < all[i].clients.size(); ++c) {
        ASSERT_EQ(again[i].clients[c], all[i].clients[c]) << from;
      }
    }
  } catch (const InputError& error) {
    FAIL() << error.what() << "\nof\n" << from;
  }
}

TEST(ImportProperty, InputsOfDamagedLogsLoadAndHoldWhatTheLogHolds) {
  Mutator mutator(3, kBytes);
  const Logs logs = real_logs();
  for (size_t round = 0; round < rounds(300); ++round) {
    const std::string general = mutator.mutate(logs.general);
    const std::string audit = round % 2 == 0 ? logs.audit : mutator.mutate(logs.audit);
    Selection selection({});
    ImportCounts counts;
    const auto inputs =
        import_test(mariadb_language(), {"main/made_up", general, audit, {}}, selection, counts)
            .inputs;
    for (const ImportedInput& one : inputs) {
      for (const InputClient& client : one.input.clients) {
        for (const Request& request : client.requests) {
          ASSERT_NE(general.find(request.text), std::string::npos) << general;
        }
      }
    }
    expect_loadable(inputs, general);
  }
}

TEST(TestFileProperty, AnyBytesGiveAReasonOrNone) {
  const std::string whole =
      "--source include/have_innodb.inc\nlet $a= `SELECT 1`;\nconnect (con1,localhost,root,,);\n"
      "--exec echo\nsource include/master-slave.inc;\nperl;\nEOF\n";
  const std::string options = "--innodb-lock-wait-timeout=1 --sql_mode=''\n--log-bin $DATADIR/x";
  Mutator mutator(4,
                  "\n\t -=\"'$/\\\xff"
                  "elo");
  for (size_t round = 0; round < rounds(20000); ++round) {
    reason_not_to_capture(mutator.mutate(whole));
    const auto read = options_of_test(mutator.mutate(options));
    if (!read) continue;
    for (const std::string& option : *read) {
      ASSERT_TRUE(option.starts_with("--") && option.find('/') == std::string::npos) << option;
    }
  }
}

// Statements, and what may stand between them, by the rules of sql_script.h.
const std::vector<std::string> kStatements = {
    "SELECT 1",
    "SELECT 'a;b''c\\'', \"d;\\\"e\", `f;g`",
    "INSERT INTO t1 VALUES (1, '//'), (2, '$$')",
    "CREATE TABLE t1 (a INT,\n  b VARCHAR(9) DEFAULT ';')",
    "SELECT /* ; ' */ 1",
    "SELECT 1 -- ; it's\n  + 1",
    "/*!40101 SET NAMES utf8mb4 */",
    "/*!50003 CREATE*/ /*!50003 TRIGGER tr BEFORE INSERT ON t1 FOR EACH ROW SET @a = ';' */",
    "UPDATE t1 SET b = '\nDELIMITER x\n-- esox: setup\n/*'",
    "SELECT 1--1",
    "DELETE FROM `t``1`",
    "SELECT '\xc3\xa4\xe2\x82\xac'"};
const std::vector<std::string> kBodies = {
    "CREATE PROCEDURE p1() BEGIN DELETE FROM t1; SELECT ';'; END",
    "CREATE TRIGGER tr AFTER INSERT ON t1 FOR EACH ROW BEGIN\n  SET @a = 1;\n  SET @b = 2;\nEND"};
const std::vector<std::string> kBetween = {
    "\n", " ", "\n-- it's; a comment\n", "/* ; \" */", "\n# ;`\n", "\n;;\n", "\r\n"};

struct Script {
  std::string text;
  std::vector<std::string> statements;
};

// The delimiter is another one wherever a body stands.
Script random_script(Mutator& random) {
  Script script;
  std::string delimiter = ";";
  for (size_t n = random.below(12); n > 0; --n) {
    const bool body = random.below(4) == 0;
    if (body || random.below(4) == 0) {
      delimiter = body ? (random.below(2) == 0 ? "//" : "$$") : ";";
      script.text += "\nDELIMITER " + delimiter + "\n";
    }
    // Between two statements, only a delimiter of its own ends nothing.
    const std::string& between = kBetween[random.below(kBetween.size())];
    if (delimiter == ";" || between.find(";;") == std::string::npos) script.text += between;
    const bool takes_body = delimiter != ";";
    script.statements.push_back(takes_body ? kBodies[random.below(kBodies.size())]
                                           : kStatements[random.below(kStatements.size())]);
    script.text += script.statements.back() + delimiter;
  }
  return script;
}

TEST(SqlScriptProperty, WhatWasPutTogetherComesApart) {
  Mutator random(5, kBytes);
  for (size_t round = 0; round < rounds(5000); ++round) {
    const Script script = random_script(random);
    std::vector<std::string> read;
    for (const ScriptRequest& one : read_sql_script(script.text, "f.sql").requests) {
      read.push_back(one.text);
    }
    ASSERT_EQ(read, script.statements) << script.text;
  }
}

// Where a line, counted from 1, begins.
size_t begin_of_line(const std::string& text, int line) {
  size_t at = 0;
  while (--line > 0) at = text.find('\n', at) + 1;
  return at;
}

// One after the other, each on the line it says.
void expect_in_text(const std::string& text, const std::vector<ScriptRequest>& statements) {
  size_t at = 0;
  for (const ScriptRequest& one : statements) {
    at = text.find(one.text, std::max(at, begin_of_line(text, one.line)));
    ASSERT_NE(at, std::string::npos) << one.text;
    const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
    ASSERT_EQ(one.line, lines + 1) << one.text;
    at += one.text.size();
  }
}

TEST(SqlScriptProperty, AnyBytesGiveWholeStatementsOrOneLine) {
  Mutator mutator(6, kBytes);
  size_t read = 0;
  for (size_t round = 0; round < rounds(10000); ++round) {
    const std::string text = mutator.mutate(random_script(mutator).text);
    try {
      expect_in_text(text, read_sql_script(text, "f.sql").requests);
      ++read;
    } catch (const InputError& error) {
      ASSERT_TRUE(std::string(error.what()).starts_with("f.sql:")) << error.what();
    }
    if (HasFatalFailure()) FAIL() << text;
  }
  EXPECT_GT(read, rounds(10000) / 5);
  EXPECT_LT(read, rounds(10000));
}

TEST(SqlScriptProperty, AFileCutOffAnywhereLosesNoStatementBefore) {
  Mutator random(7, kBytes);
  for (size_t round = 0; round < 20; ++round) {
    const std::string text = random_script(random).text;
    const ImportScript whole = read_sql_script(text, "f.sql");
    for (size_t end = 0; end < text.size(); ++end) {
      try {
        const ImportScript cut = read_sql_script(text.substr(0, end), "f.sql");
        ASSERT_LE(cut.requests.size(), whole.requests.size() + 1);
        for (size_t i = 0; i + 1 < cut.requests.size(); ++i) {
          ASSERT_EQ(cut.requests[i].text, whole.requests[i].text) << text.substr(0, end);
        }
      } catch (const InputError&) {
        continue;  // within a text or a comment
      }
    }
  }
}

TEST(ImportProperty, InputsOfAnySqlLoad) {
  Mutator mutator(8, kBytes);
  const std::string setup = "-- esox: setup\nCREATE TABLE t1 (a INT, b TEXT);\n-- esox: requests\n";
  size_t made = 0;
  for (size_t round = 0; round < rounds(1000); ++round) {
    const std::string one = mutator.mutate(setup + random_script(mutator).text);
    const std::string two = random_script(mutator).text;
    try {
      std::vector<ImportFile> files = {{"a.sql", one, false}};
      if (round % 2 == 0) files.push_back({"b.sql", two, false});
      const FilesImport result = import_sql(files, {}, mariadb_language());
      expect_loadable(result.inputs, one + "\n---\n" + two);
      made += result.inputs.size();
    } catch (const InputError& error) {
      ASSERT_NE(std::string(error.what()), "");
    }
    if (HasFatalFailure()) FAIL();
  }
  EXPECT_GT(made, 100u);
}

const std::string kRequests =
    "# esox: setup\nset k 0 0 5\n12 34\n# esox: requests\ngets k\r\ncas k 0 0 2 17\r\nab\r\n"
    "incr k 3\nget k l\nappend l 0 0 2\n\n\n\nflush_all\ndelete k noreply\nquit\n";

// Its command on the line it says, its data on those after it: only the line end between is ours.
void expect_request(const std::string& text, const ScriptRequest& request) {
  ASSERT_LE(request.text.size(), kMaxStatementBytes);
  const size_t begin = begin_of_line(text, request.line);
  const size_t end = text.find('\n', begin);
  const std::string command = request.text.substr(0, request.text.find('\n'));
  ASSERT_NE(text.substr(begin, end - begin).find(command), std::string::npos) << command;
  if (command.size() == request.text.size()) return;
  ASSERT_EQ(text.find(request.text.substr(command.size() + 1), end + 1), end + 1) << request.text;
}

TEST(TextScriptProperty, AnyBytesGiveWholeRequestsOrOneLine) {
  Mutator mutator(9, "\n\r \t0123#;\\\xff{}kl");
  size_t read = 0;
  for (size_t round = 0; round < rounds(20000); ++round) {
    std::string text = mutator.mutate(kRequests);
    try {
      const ImportScript script = read_text_script(text, "f.txt");
      for (const ScriptRequest& one : script.requests) expect_request(text, one);
      expect_loadable(import_text({{"a.txt", text, false}, {"b.txt", "get k\n", true}}, {}).inputs,
                      text);
      ++read;
    } catch (const InputError& error) {
      ASSERT_NE(std::string(error.what()), "");
    }
    if (HasFatalFailure()) FAIL() << text;
  }
  EXPECT_GT(read, rounds(20000) / 20);
  EXPECT_LT(read, rounds(20000));
}

}  // namespace
}  // namespace esox
