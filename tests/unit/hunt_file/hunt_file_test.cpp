// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "base/text/input_error.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/nights/hunt_file/server_place.h"
#include "harness/nights/hunt_file/values.h"
#include "targets/registry.h"
#include "tests/unit/mutator.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr const char* kLeast = "servers:\n  - name: a\n    path: /x/mariadbd\nbudget: 1h\n";

HuntFile parse(const std::string& yaml) {
  return parse_hunt_file(yaml, "/hunts/nightly.yaml");
}

std::string complaint(const std::string& yaml) {
  try {
    parse(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(HuntFile, NeedsOnlyServersAndABudget) {
  const HuntFile file = parse(kLeast);
  EXPECT_EQ(file.out, "/hunts/esox-nights");
  EXPECT_EQ(file.server_kind, "mariadb");
  EXPECT_EQ(file.budget.time, 1h);
  ASSERT_THAT(file.options, SizeIs(1));
  EXPECT_EQ(file.options[0].name, "default");
  ASSERT_THAT(file.corpora, SizeIs(1));
  EXPECT_THAT(file.corpora[0].inputs, SizeIs(0));
  EXPECT_THAT(file.strategies, ElementsAre("portfolio"));
  EXPECT_FALSE(file.seed_fixed);
  EXPECT_EQ(file.fail_on, FailOn::kNew);
}

TEST(HuntFile, TakesAllThatIsDocumented) {
  const HuntFile file = parse(R"(
name: stable
server: mariadb
out: ../nights
servers:
  - {name: debian, package: mariadb-server-core}
  - {name: tonight, build: ../build, share: 2.5}
options:
  - {name: default}
  - {name: row-log, server_options: [--log-bin=binlog], engines: [innodb], share: 3}
engines: [InnoDB, Aria]
corpora:
  - {name: here, inputs: /tmp, top: all, executions: 50, engines: [Aria]}
strategies: [portfolio, "pct:d=3"]
learn: true
remember: false
seed: 7
budget: 200000 executions
executions: 100
jobs: 2
diagnose: 0
recheck: 90s
rest_nights: 2
turn_within: 7
gate: false
isolation: restart
filters: none
limits: {memory: 4G, free_at_least: 1G, stuck_after: 10m, grace: 20s, resume_within: 2h}
retention: {nights: 5, space: 20GiB}
outputs: {reports: [html, junit], metrics: esox.prom, hook: "mail me", hook_limit: 5s}
fail_on: any
)");
  EXPECT_EQ(file.out, "/nights");
  EXPECT_EQ(file.servers[0].kind, HuntFileServer::Kind::kPackage);
  EXPECT_EQ(file.servers[1].where, "/build");
  EXPECT_EQ(file.servers[1].share, 2.5);
  EXPECT_THAT(file.options[1].engines, ElementsAre("InnoDB"));
  EXPECT_EQ(file.corpora[0].top, 0U);
  EXPECT_EQ(file.corpora[0].executions_each, 50U);
  EXPECT_EQ(file.budget.executions, 200000U);
  EXPECT_FALSE(file.budget.time);
  EXPECT_EQ(file.diagnose_budget, 0ms);
  EXPECT_TRUE(file.seed_fixed);
  EXPECT_TRUE(file.filters.none);
  EXPECT_EQ(file.limits.memory_kib, 4U << 20);
  EXPECT_EQ(file.limits.free_at_least_bytes, 1U << 30);
  EXPECT_EQ(file.limits.resume_within, 2h);
  EXPECT_EQ(file.retention.bytes, 20ULL << 30);
  EXPECT_EQ(file.outputs.reports, "html,junit");
  EXPECT_EQ(file.outputs.metrics, "/hunts/esox.prom");
  EXPECT_EQ(file.fail_on, FailOn::kAny);
}

TEST(HuntFile, ACorpusMayBeMadeTonight) {
  const HuntFile file =
      parse(std::string(kLeast) +
            "corpora: [{name: made, generate: shipped, share: 2}, {name: own, generate: /tmp}]\n");
  EXPECT_EQ(file.corpora[0].grammar, "");
  EXPECT_EQ(file.corpora[0].share, 2);
  EXPECT_EQ(file.corpora[1].grammar, "/tmp");
  EXPECT_EQ(parse(kLeast).corpora[0].grammar, std::nullopt);
}

TEST(HuntFile, SaysWhereAndWhatIsWrongAndWhatIsRight) {
  const std::string least = kLeast;
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"budget: 1h\n", "nightly.yaml:1: the hunt file has no 'servers'"},
      {least + "huors: 3\n", "nightly.yaml:5: unknown key 'huors'"},
      {least + "budgets: 3\n", "did you mean 'budget'?"},
      {least + "limits:\n  memroy: 3G\n",
       "nightly.yaml:6: unknown key 'memroy' in 'limits'; did "
       "you mean 'memory'?"},
      {"servers:\n  - name: a\n    path: /x\n", "no 'budget'"},
      {"servers: []\nbudget: 1h\n", "'servers' holds 0 entries"},
      {"servers:\n  - name: a\nbudget: 1h\n", "needs one of path, package and build; it has 0"},
      {"servers:\n  - {name: a, path: x, build: y}\nbudget: 1h\n", "it has 2"},
      {"servers:\n  - {name: a, path: x}\n  - {name: a, path: y}\nbudget: 1h\n",
       "nightly.yaml:3: a second server 'a'"},
      {"servers:\n  - {name: a/b, path: x}\nbudget: 1h\n", "no safe file name"},
      {"servers:\n  - {name: a, path: x, share: -1}\nbudget: 1h\n", "a number above 0"},
      {"servers:\n  - {name: a, path: x}\nbudget: fast\n", "'fast', not a duration"},
      {"servers:\n  - {name: a, path: x}\nbudget: many executions\n", "a whole number"},
      {least + "jobs: 0\n",
       "nightly.yaml:5: 'jobs' in the hunt file must be a whole number from 1"},
      {least + "limits: {free_at_least: much}\n", "not a size; write 512M or 20G"},
      {least + "fail_on: never\n", "known are any, new, none"},
      {least + "isolation: snapshop\n", "did you mean 'snapshot'?"},
      {least + "corpora: [{name: c, inputs: nowhere}]\n", "'/hunts/nowhere' is not there"},
      {least + "corpora: [{name: c}]\n", "or 'generate' in its place"},
      {least + "corpora: [{name: c, generate: gone.yaml}]\n", "'/hunts/gone.yaml' is not there"},
      {least + "corpora: [{name: c, generate: shipped, top: 3}]\n",
       "'top' says nothing of inputs that 'generate' makes"},
      {least + "options: [{name: o, server_options: [--datadir=x]}]\n", "esox's own to give"},
      {least + "engines: [inodb]\n", "did you mean 'InnoDB'?"},
      {least + "outputs: {reports: [pdf]}\n", "html, text, json, junit, sarif"},
      {least + "budget: 2h\n", "nightly.yaml:5"},
      {"", "must hold one document"},
      {"- a\n", "must be a mapping"},
  };
  for (const auto& [yaml, part] : bad) EXPECT_THAT(complaint(yaml), HasSubstr(part)) << yaml;
}

TEST(HuntFile, RefusesMoreStagesThanANightHolds) {
  std::string yaml = "budget: 1h\nservers:\n";
  for (int i = 0; i < 16; ++i) yaml += "  - {name: s" + std::to_string(i) + ", path: x}\n";
  yaml += "options:\n";
  for (int i = 0; i < 17; ++i) yaml += "  - {name: o" + std::to_string(i) + "}\n";
  EXPECT_THAT(complaint(yaml), HasSubstr("272 stages"));
}

TEST(HuntFile, TheStartersAreReadWithoutComplaint) {
  for (const Target* target : targets()) {
    const HuntFile file = parse(starter_hunt_file(*target, "nightly.yaml"));
    EXPECT_EQ(file.server_kind, target->name());
    EXPECT_THAT(file.servers, SizeIs(1));
  }
}

// What a starter shows in comments must work once the '#' is taken away; but for paths and options
// of which each is shown alone.
TEST(HuntFile, TheStartersCommentsAreRightToo) {
  std::istringstream lines(starter_hunt_file(default_target(), "nightly.yaml"));
  std::string text;
  bool own_inputs = false;
  bool head = true;
  for (std::string line; std::getline(lines, line);) {
    own_inputs = (own_inputs || line.starts_with("#  - name: mine")) && line.starts_with("#");
    head = head && !line.starts_with("servers:");
    const bool key = line.starts_with("# ") && line.find(": ") != std::string::npos;
    const bool list = line.starts_with("#  ");
    if (!head && !own_inputs && (list || key || line == "# outputs:") && line[2] != '#') {
      line.erase(0, list ? 1 : 2);
    }
    text += line + "\n";
  }
  EXPECT_EQ(complaint(text), "") << text;
}

TEST(HuntFile, MayHoldAnyBytes) {
  const std::string starter = starter_hunt_file(default_target(), "nightly.yaml");
  testing_mutations::Mutator mutator(1, ":-[]{}#&*!|>'\"% \n\t,0a");
  size_t read = 0;
  for (size_t i = 0; i < testing_mutations::rounds(2000); ++i) {
    try {
      parse(mutator.mutate(starter));
      ++read;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("nightly.yaml"));
    }
  }
  EXPECT_GT(read, 0U);
}

TEST(HuntFile, SizesHaveUnits) {
  EXPECT_EQ(parse_size("1"), 1U);
  EXPECT_EQ(parse_size("900K"), 900U << 10);
  EXPECT_EQ(parse_size("2 GiB"), 2ULL << 30);
  for (const char* bad : {"", "0", "K", "1X", "1GG", "-1", "99999999T", "1.5G"}) {
    EXPECT_FALSE(parse_size(bad)) << bad;
  }
}

class Place : public testing::Test {
 protected:
  fs::path program(const std::string& name) const {
    fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n";
    chmod(file.c_str(), 0755);
    return file;
  }
  std::string place(HuntFileServer::Kind kind, const std::string& where) const {
    HuntFileServer server;
    server.kind = kind;
    server.where = where;
    return program_of(server, default_target().places());
  }
  PrivateDirectory folder_{temporary_base()};
};

TEST_F(Place, OfABuildFolderIsWhereBuildsPutTheServer) {
  const std::string build = folder_.path().string();
  EXPECT_THROW(place(HuntFileServer::Kind::kBuild, build), ServerError);
  const fs::path old_name = program("bin/mysqld");
  EXPECT_EQ(place(HuntFileServer::Kind::kBuild, build), old_name);
  const fs::path server = program("sql/mariadbd");
  EXPECT_EQ(place(HuntFileServer::Kind::kBuild, build), server);
}

TEST_F(Place, OfAPackageThatIsNotInstalledIsToldWithTheRemedy) {
  try {
    place(HuntFileServer::Kind::kPackage, "no-such-package");
    FAIL();
  } catch (const ServerError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("not installed"), HasSubstr("apt-get install")));
  }
}

// A script for the system's start has the server's name, too, and is not for us to run.
TEST_F(Place, InAPackageIsAFolderOfPrograms) {
  const fs::path script = program("etc/init.d/memcached");
  std::istringstream without(folder_.path().string() + "\n" + script.string() + "\n");
  EXPECT_EQ(server_among(without, {{"memcached"}, "", {}, ""}), "");
  const fs::path server = program("usr/bin/memcached");
  std::istringstream list(script.string() + "\n" + server.string() + "\n");
  EXPECT_EQ(server_among(list, {{"memcached"}, "", {}, ""}), server);
}

TEST_F(Place, OfAPathIsThatOrToldToBeNone) {
  const fs::path file = program("mine");
  EXPECT_EQ(place(HuntFileServer::Kind::kPath, file), file);
  EXPECT_EQ(place(HuntFileServer::Kind::kPath, "mariadbd"), "mariadbd");
  EXPECT_THROW(place(HuntFileServer::Kind::kPath, file.string() + "x"), ServerError);
}

}  // namespace
}  // namespace esox
