// SPDX-License-Identifier: Apache-2.0
// Descriptions of structures on the command line: checked, hunted with, replayed with.
#include <fstream>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSettings = R"yaml(
components:
  - name: settings
    kind: set
    container: {kind: value, root: "*cast<unsigned long *>(&max_connections)"}
    fields: [it]
)yaml";

class Structures : public CommandTest {
 protected:
  static std::string mariadbd() {
    for (const char* path : {"/usr/sbin/mariadbd", "/usr/bin/mariadbd", "/usr/libexec/mariadbd"}) {
      if (std::filesystem::exists(path)) return path;
    }
    ADD_FAILURE() << "no mariadbd to check against";
    return {};
  }
};

TEST_F(Structures, AreCheckedAgainstAProgram) {
  const std::string good = write("good.yaml", kSettings);
  Said said = esox({"structures", "check", good, "--server", mariadbd()});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, "frozen:settings: a set, fits\n");
  const std::string bad =
      write("bad.yaml",
            "components: [{name: c, kind: set, container: {kind: value, root: max_conections}, "
            "fields: [it]}]\n");
  said = esox({"structures", "check", bad, "--server", mariadbd()});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.out, AllOf(HasSubstr("frozen:c: NOT AVAILABLE: "), HasSubstr("bad.yaml:1: "),
                              HasSubstr("no variable 'max_conections'")));
}

TEST_F(Structures, AreReadOfAProcess) {
  const std::string good = write("good.yaml", kSettings);
  const Said said = esox({"structures", "check", good, "--pid", std::to_string(getpid())});
  EXPECT_EQ(said.status, 1);  // this test has no such variable
  EXPECT_THAT(said.out, HasSubstr("frozen:settings: NOT AVAILABLE: "));
}

TEST_F(Structures, ThatAreWrongAreBadInput) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_THAT(said.err, HasSubstr(why));
    EXPECT_EQ(said.out, "");
    EXPECT_FALSE(std::filesystem::exists(folder() / "out"));
  };
  const std::string wrong = write("wrong.yaml", "components:\n  - {nam: c}\n");
  const std::string good = write("good.yaml", kSettings);
  refused({"hunt", control(), "--structures", wrong, "--out", "out"},
          "wrong.yaml:2: unknown key 'nam' in component; did you mean 'name'?");
  refused({"run", control(), "--structures", "nothing.yaml"}, "nothing.yaml: no such file");
  refused({"structures", "check", good}, "give either --server PROGRAM or --pid NUMBER");
  refused({"structures", "check", good, "--server", "/etc/passwd"}, "/etc/passwd");
  refused({"structures", "check", good, "--pid", "1"}, "--pid");
}

TEST_F(Structures, AreKeptInAFindingAndReadAgainByItsReplay) {
  const std::string file = write("settings.yaml", kSettings);
  const std::filesystem::path found = hunt_until_found("out", {"--structures", file});
  ASSERT_FALSE(found.empty());
  std::filesystem::remove(file);
  EXPECT_THAT(read(found / "finding.yaml"),
              AllOf(HasSubstr("frozen:settings"), HasSubstr("max_connections")));
  const Said said = esox({"replay", found.string()});
  EXPECT_EQ(said.status, 1) << said.err << said.out;
  EXPECT_THAT(said.out, HasSubstr("1 of 1 gave the recorded outcome"));
}

}  // namespace
}  // namespace esox
