// SPDX-License-Identifier: Apache-2.0
// The positive control asked of a folder of servers: the same server under two names, and one that
// refuses to start.
#include <fstream>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class AffectedServers : public CommandTest {
 protected:
  // Programs called mariadbd, each in a folder of its own.
  void put_server(const std::string& name, const std::string& script) const {
    const fs::path file = folder() / "servers" / name / "mariadbd";
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }

  static std::string program_of(const fs::path& finding) {
    const std::string yaml = read(finding / "finding.yaml");
    const size_t at = yaml.find("path: ", yaml.find("\nserver:")) + std::string("path: \"").size();
    return yaml.substr(at, yaml.find('"', at) - at);
  }

  void link_server(const std::string& name, const std::string& program) const {
    fs::create_directories(folder() / "servers" / name);
    fs::create_symlink(program, folder() / "servers" / name / "mariadbd");
  }
};

TEST_F(AffectedServers, EachHasARowAndABadOneEndsNoOther) {
  const fs::path finding = hunt_until_found("out", {"--strategy", "pct:d=3"});
  ASSERT_FALSE(finding.empty());
  const std::string program = program_of(finding);
  link_server("one", program);
  link_server("two", program);
  put_server("refuses", "case \"$*\" in *--version*|*--help*) exec " + program +
                            " \"$@\";; esac; echo 'it refuses to start' >&2; exit 1");

  const Said said = esox({"affected", finding.string(), "--servers", "servers", "--executions",
                          "100", "--json=table.json"});
  EXPECT_EQ(said.status, 1) << said.err << said.out;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("has it (its schedule, to the letter)"),
                    HasSubstr(" of 100), where it was found"), HasSubstr("cannot tell: ")));
  const json table = json::parse(read(folder() / "table.json"));
  ASSERT_EQ(table["rows"].size(), 4U) << said.out;
  EXPECT_TRUE(table["rows"][0]["found_there"]);
  EXPECT_EQ(table["rows"][0]["searches"][0]["executions"], 100);
  EXPECT_GT(table["rows"][0]["searches"][0]["hits"], 0);
  for (const json& row : table["rows"]) {
    const bool refuses = row["server"] == "servers/refuses";
    EXPECT_EQ(row["answer"], refuses ? "cannot tell" : "has it") << row;
    EXPECT_EQ(row["version"].get<std::string>().empty(), refuses);
  }
  EXPECT_EQ(read(finding / "affected.json"), read(folder() / "table.json"));
  ASSERT_EQ(esox({"report", finding.parent_path().parent_path().string()}).status, 0);
  EXPECT_THAT(read(finding.parent_path().parent_path() / "report.html"),
              HasSubstr("Which servers have it?"));
}

TEST_F(AffectedServers, OneThatWasMendedHasItNotWithAProbability) {
  const fs::path finding = hunt_until_found("out", {"--strategy", "pct:d=3"});
  ASSERT_FALSE(finding.empty());
  link_server("mended", program_of(finding));
  const Said said =
      esox({"affected", finding.string(), "--servers", "servers", "--executions", "150",
            "--attempts", "20", "--server-option=--query-cache-size=0", "--json"});
  EXPECT_EQ(said.status, 0) << said.err << said.out;
  const json table = json::parse(said.out);
  ASSERT_EQ(table["rows"].size(), 2U);
  EXPECT_EQ(table["rows"][0]["answer"], "has it") << "without that option";
  EXPECT_EQ(table["rows"][1]["answer"], "not seen");
  EXPECT_GT(table["rows"][1]["would_have_been_seen"], 0.5);
}

TEST_F(AffectedServers, WhatMakesNoSenseIsTold) {
  EXPECT_EQ(esox({"affected", "nothing", "--servers", "a"}).status, 2);
  EXPECT_EQ(esox({"affected", "nothing"}).status, 2);
}

}  // namespace
}  // namespace esox
