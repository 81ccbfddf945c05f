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
#include "targets/mysqld/suites/session_reader.h"
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

using testing_import::log_of;
using testing_import::Told;
using testing_mutations::Mutator;
using testing_mutations::rounds;

constexpr std::string_view kBytes("\n\t\0,'\"\\`@.;:(-#/*!0Q \r\xff\xc3\xa4", 24);

const std::vector<Told> kTold = {
    {"CREATE TABLE t1 (a INT,\n\tb VARCHAR(9) DEFAULT 'x;y')"},
    {"CREATE USER u IDENTIFIED BY 'it''s; secret', v IDENTIFIED BY \"x\""},
    {"INSERT INTO t1 VALUES (1,'\n'),(2,'\t\t     4 Query\tDROP TABLE t1')"},
    {"CREATE PROCEDURE p1() BEGIN DELETE FROM t1; SELECT 1; END"},
    {"CALL p1(@a, `b``c`.d)"},
    {"BEGIN"},
    {"UPDATE t1 SET a = 2 /* ; */ WHERE b = \"q\""},
    {"COMMIT"},
    {"SELECT @@global.x, @y FROM t1 ORDER BY 1", 1064, 5},
    {"SELECT a FROM t1", 0, 5}};

TEST(RequestLogProperty, RequestsStandInTheTextByteForByte) {
  Mutator mutator(1, kBytes);
  const std::string whole = log_of(kTold);
  for (size_t round = 0; round < rounds(20000); ++round) {
    const std::string text = mutator.mutate(whole);
    const RequestLog log = read_request_log(text);
    size_t at = 0;
    for (const LoggedRequest& one : log.requests) {
      const std::string piece = "\n" + one.text + "\n";
      at = text.find(piece, at);
      ASSERT_NE(at, std::string::npos) << text;
      at += piece.size() - 1;
    }
    ASSERT_TRUE(log.cut_off || at + 1 == text.size() || text.empty()) << text;
  }
}

// What a client and a server said to each other, cut into any pieces.
TEST(SessionReaderProperty, AnyBytesGiveRequestsOfBytesThatWereSent) {
  const std::string client("\x1f\0\0\1\x8f\xa2\x0a\0\0\0\0\1\x21", 13);
  const std::string query("\x09\0\0\0\x03SELECT 1", 13);
  const std::string reply("\x01\0\0\1\1\x07\0\0\1\xff\x7a\x04#42S", 16);
  Mutator mutator(2, kBytes);
  for (size_t round = 0; round < rounds(20000); ++round) {
    const std::string sent = mutator.mutate(client + query + query);
    const std::string replied = mutator.mutate(reply + reply);
    RequestLog log;
    uint64_t next = 1;
    SessionReader reader(log, next);
    for (size_t at = 0; at < std::max(sent.size(), replied.size());) {
      const size_t some = 1 + mutator.below(9);
      if (at < replied.size()) reader.from_server(std::string_view(replied).substr(at, some));
      if (at < sent.size()) reader.from_client(std::string_view(sent).substr(at, some));
      at += some;
    }
    for (const LoggedRequest& one : log.requests) {
      ASSERT_NE(sent.find(one.text), std::string::npos);
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
  ASSERT_EQ(count(test, "a statement that was not answered"), static_cast<size_t>(unmatched));
}

std::set<std::string> told_texts() {
  std::set<std::string> texts;
  for (const Told& one : kTold) texts.insert(trim_statement(one.text));
  return texts;
}

// Cut off anywhere: what is used of the log is whole statements that were run.
TEST(LoggedTestProperty, ALogCutOffAnywhereGivesNoPartOfAStatement) {
  const std::string log = log_of(kTold);
  const std::set<std::string> told = told_texts();
  for (size_t end = 0; end <= log.size(); ++end) {
    const LoggedTest test = read_logged_test(log.substr(0, end));
    expect_counted(test);
    for (const LoggedStatement& one : test.statements) {
      ASSERT_TRUE(!one.matched || told.contains(one.text)) << one.text;
    }
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

TEST(ImportProperty, InputsOfADamagedLogLoadAndHoldWhatTheLogHolds) {
  Mutator mutator(3, kBytes);
  const std::string whole = log_of(kTold);
  for (size_t round = 0; round < rounds(300); ++round) {
    const std::string log = mutator.mutate(whole);
    Selection selection({});
    ImportCounts counts;
    const auto inputs =
        import_test(mariadb_language(), {"main/made_up", log, {}}, selection, counts).inputs;
    for (const ImportedInput& one : inputs) {
      for (const InputClient& client : one.input.clients) {
        for (const Request& request : client.requests) {
          ASSERT_NE(log.find(request.text), std::string::npos) << log;
        }
      }
    }
    expect_loadable(inputs, log);
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
  EXPECT_GT(made, rounds(1000) / 10);
}

const std::string kRequests =
    "# esox: setup\nset k 0 0 5\n12 34\n# esox: requests\ngets k\r\ncas k 0 0 2 17\r\nab\r\n"
    "incr k 3\nget k l\nappend l 0 0 2\n\n\n\nflush_all\ndelete k noreply\nquit\nms k 2 T30 "
    "c\n12\nmg k v c\nms a2s= 1 b C7\n5\nmd k I\n";

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
  Mutator mutator(9, "\n\r \t0123#;\\\xff{}klmgsTCb=");
  size_t read = 0;
  for (size_t round = 0; round < rounds(4000); ++round) {
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
  EXPECT_GT(read, rounds(4000) / 20);
  EXPECT_LT(read, rounds(4000));
}

}  // namespace
}  // namespace esox
