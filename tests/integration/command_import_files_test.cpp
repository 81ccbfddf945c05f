// SPDX-License-Identifier: Apache-2.0
// esox import sql and text as a user runs them, and what they made on the real servers.
#include <filesystem>

#include "harness/engine/known_servers.h"
#include "inputs/reader.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A dump, with all that a dump has; and what two sessions do with it.
constexpr const char* kDump = R"(
/*!40101 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop`;
USE `shop`;
DROP TABLE IF EXISTS `bought`;
CREATE TABLE `bought` (
  `id` int(11) NOT NULL,
  `customer` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `c` FOREIGN KEY (`customer`) REFERENCES `customer` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB;
LOCK TABLES `bought` WRITE;
INSERT INTO `bought` VALUES (1,1),(2,1);
UNLOCK TABLES;
CREATE TABLE `customer` (
  `id` int(11) NOT NULL,
  `name` varchar(40) DEFAULT 'no;name',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
INSERT INTO `customer` VALUES (1,'O\'Hara; x'),(2,'"quoted" -- no comment');
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER named BEFORE INSERT ON customer FOR EACH ROW
BEGIN
  IF NEW.name = '' THEN SET NEW.name = 'nobody;'; END IF;
END */;;
DELIMITER ;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
)";
constexpr const char* kBuy = R"(
INSERT INTO customer VALUES (10, '');
BEGIN;
INSERT INTO bought VALUES (20, 10);
COMMIT;
SELECT COUNT(*) FROM bought WHERE customer = 10;
)";
constexpr const char* kLeave = R"(
DELETE FROM customer WHERE id = 1;
SELECT id, name FROM customer ORDER BY id)";

class ImportFilesCommand : public CommandTest {
 protected:
  // Every input of the corpus is run: none has a setup that fails.
  void expect_all_run(const std::string& corpus, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"hunt",   corpus, "--executions", "3",
                                          "--seed", "1",    "--out",        corpus + "/hunt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    ASSERT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    const auto report = nlohmann::json::parse(read(folder() / corpus / "hunt/hunt.json"));
    const size_t inputs = read_inputs(folder() / corpus / "inputs", languages()).size();
    EXPECT_EQ(report.at("inputs").get<size_t>(), inputs);
    EXPECT_EQ(report.at("explorations_touched"), report.at("explorations"));
    EXPECT_GE(report.at("executions").get<size_t>(), 3 * inputs);
  }
};

TEST_F(ImportFilesCommand, SessionsOnADumpRunOnMariadb) {
  write("dump.sql", kDump);
  write("buy.sql", kBuy);
  write("leave.sql", kLeave);
  const Said said =
      esox({"import", "sql", "buy.sql", "leave.sql", "--setup", "dump.sql", "--out", "corpus"});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("1  inputs: sessions\n"));
  EXPECT_THAT(said.out, HasSubstr("3  inputs: pair\n"));
  expect_all_run("corpus", {});
}

TEST_F(ImportFilesCommand, ASessionCutIntoPairsRunsOnMariadb) {
  write("session.sql", std::string("CREATE TABLE t1 (a INT);\nINSERT INTO t1 VALUES (1),(2);\n") +
                           "UPDATE t1 SET a = a + 1;\nSELECT a FROM t1;\nTRUNCATE t1;\n");
  ASSERT_EQ(esox({"import", "sql", "session.sql", "--out", "corpus"}).status, 0);
  EXPECT_GT(read_inputs(folder() / "corpus/inputs", languages()).size(), 5u);
  expect_all_run("corpus", {"--engine", "Aria"});
}

TEST_F(ImportFilesCommand, RequestsRunOnMemcached) {
  const std::string server = std::string(ESOX_MEMCACHED) + "/debian/usr/bin/memcached";
  write("a.txt",
        "# esox: setup\r\nset k 0 0 2\r\n12\r\n# esox: requests\r\ngets k\r\n"
        "cas k 0 0 2 17\r\n20\r\nget k\r\n");
  write("b.txt", "incr k 3\nappend k 0 0 1\n0\nnonsense\nflush_all\n");
  if (!fs::exists(server)) GTEST_SKIP() << "needs " << server << "; see make memcached";
  const Said said =
      esox({"import", "text", "a.txt", "b.txt", "--out", "corpus", "--server", server});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("b.txt:4: 'nonsense': 'nonsense' is no memcached command"));
  EXPECT_EQ(read_inputs(folder() / "corpus/inputs", languages()).size(), 10u);
  expect_all_run("corpus", {"--server", server});
}

TEST_F(ImportFilesCommand, TellsWhatIsWrongInOneLineAndWritesNothing) {
  write("open.sql", "SELECT 1;\nSELECT 'a;\n");
  write("alone.sql", "SELECT 1;\n");
  write("wrong.txt", "\nnonsense\n");
  fs::create_directory(folder() / "full");
  write("full/file", "x");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"sql", "open.sql", "--out", "out"},
       "open.sql:2: a text that begins here with ' never ends"},
      {{"sql", "none.sql", "--out", "out"}, "none.sql: no such file; name a file of SQL"},
      {{"sql", ".", "--out", "out"}, "is no regular file; name a file of SQL"},
      {{"sql", "alone.sql", "--out", "out"}, "no input can be made of these files"},
      {{"sql", "alone.sql", "--out", "full"}, "is not empty; name a new folder by --out"},
      {{"sql", "--out", "out"}, "files is required"},
      {{"text", "wrong.txt", "--out", "out"},
       "wrong.txt:2: 'nonsense': 'nonsense' is no memcached command"}};
  for (const auto& [words, message] : cases) {
    std::vector<std::string> arguments = {"import"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 2) << message;
    EXPECT_THAT(said.err, HasSubstr(message));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_FALSE(fs::exists(folder() / "out"));
  }
}

TEST_F(ImportFilesCommand, HelpShowsExamples) {
  for (const char* name : {"sql", "text", "mtr"}) {
    const Said said = esox({"import", name, "--help"});
    EXPECT_EQ(said.status, 0);
    EXPECT_THAT(said.out, HasSubstr(std::string("  esox import ") + name + " "));
  }
  EXPECT_THAT(esox({"import", "--help"}).out,
              HasSubstr("esox import sql session.sql --out corpus"));
}

}  // namespace
}  // namespace esox
