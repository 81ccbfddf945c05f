// SPDX-License-Identifier: Apache-2.0
// esox import mtr with the real suites and their own runners. Skipped where make mariadb-test and
// make mysql-test have not brought them.
#include <signal.h>

#include <filesystem>
#include <set>

#include "harness/engine/known_servers.h"
#include "inputs/reader.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::chrono::seconds kLongest{400};
constexpr const char* kInput = "\n  - id: ";

class ImportCommand : public CommandTest {
 protected:
  static std::vector<std::string> arguments(const std::string& out, const std::string& test) {
    return {"import", "mtr", "--do-test", test, "--out", out, "--jobs", "1"};
  }

  // The suite's runner and its workers, where they run this test: they are not in our folder.
  static bool is_running(const std::string& test) {
    std::error_code error;
    for (const auto& process : fs::directory_iterator("/proc", error)) {
      const std::string line = read(process.path() / "cmdline");
      const bool runs = line.find("mariadb-test-run.pl") != std::string::npos;
      if (runs && line.find("main." + test) != std::string::npos) return true;
    }
    return false;
  }

  // Each input as it is written, in any order: a few of the places where InnoDB's requests touch
  // hang on what its own threads do meanwhile, and with them the order of nearly equal ones.
  std::multiset<std::string> inputs_in(const char* corpus) {
    std::string text = read(folder() / corpus / "inputs/main/alias.yaml");
    text.erase(text.find_last_not_of('\n') + 1);  // each may be the last one
    std::multiset<std::string> inputs;
    for (size_t at = text.find(kInput); at != std::string::npos;) {
      const size_t next = text.find(kInput, at + 1);
      inputs.insert(text.substr(at, next - at));
      at = next;
    }
    return inputs;
  }

  static bool is_missing(const Said& said) {
    return said.status == 2 && said.err.find("make mariadb-test") != std::string::npos;
  }
};

TEST_F(ImportCommand, MakesTheSameInputsOfTheSameSuite) {
  const Said said = esox(arguments("one", "alias"));
  if (is_missing(said)) GTEST_SKIP() << said.err;
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("1  tests: captured"));
  const std::multiset<std::string> inputs = inputs_in("one");
  EXPECT_GT(inputs.size(), 10u);
  EXPECT_EQ(inputs.size(), read_inputs(folder() / "one/inputs", languages()).size());
  ASSERT_EQ(esox(arguments("two", "alias")).status, 0);
  EXPECT_EQ(inputs_in("two"), inputs);
  EXPECT_FALSE(is_running("alias"));
}

// A server of another release, run by its own loader, with a suite of its own.
TEST_F(ImportCommand, MakesInputsOfMysqlsSuiteForMysql) {
  const fs::path server = fs::path(ESOX_PROGRAM).parent_path() / "servers/mysql-9-test";
  if (!fs::exists(server)) GTEST_SKIP() << server << " is not there: make mysql-test fetches it";
  std::vector<std::string> words = arguments("one", "insert_update_myisam");
  words.insert(words.end(), {"--server", server.string()});
  const Said said = esox(words);
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("1  tests: captured"));
  const std::vector<Input> inputs = read_inputs(folder() / "one/inputs", languages());
  EXPECT_GT(inputs.size(), 10u);
  for (const Input& input : inputs) EXPECT_EQ(input.server(), "mysql");
}

TEST_F(ImportCommand, LeavesNoProcessWhenItIsKilledAndGoesOnAfterwards) {
  const Said none = esox(arguments("none", "no_such_test"));
  ASSERT_EQ(none.status, 2);
  if (is_missing(none)) GTEST_SKIP() << none.err;
  const std::string test = "type_uint";
  const pid_t import = start(arguments("out", test), [] {});
  EXPECT_TRUE(wait_until([&] { return is_running(test); }, kLongest));
  kill(import, SIGKILL);
  finish(kLongest);
  EXPECT_TRUE(wait_until([&] { return !is_running(test); }, std::chrono::seconds(60)));
  EXPECT_EQ(esox(arguments("out", test)).status, 0);
  EXPECT_FALSE(read(folder() / "out/inputs/main/type_uint.yaml").empty());
}

TEST_F(ImportCommand, TellsWhatIsWrongInOneLine) {
  const Said said = esox({"import", "mtr", "--mtr", folder(), "--out", "out"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("mariadb-test-run.pl"));
  EXPECT_FALSE(fs::exists(folder() / "out"));
}

}  // namespace
}  // namespace esox
