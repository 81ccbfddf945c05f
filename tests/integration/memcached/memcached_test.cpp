// SPDX-License-Identifier: Apache-2.0
// Whole executions on memcached. Each seeded fault is found, and the same executions of the program
// without it find nothing; harmless inputs are never flagged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "analysis/nondeterminism.h"
#include "analysis/trace_equality.h"
#include "base/process/find_program.h"
#include "harness/engine/known_servers.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "inputs/reader.h"
#include "targets/memcached/client.h"
#include "targets/memcached/server.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kDebian = "debian/usr/bin/memcached";
constexpr const char* kAnnotated = "annotated/memcached";
constexpr const char* kPrograms[] = {kDebian, kAnnotated, "fault-increment-without-lock/memcached",
                                     "fault-swap-compared-outside-lock/memcached",
                                     "fault-unlink-leaves-list/memcached"};

Input shipped(const std::string& id) {
  for (const Input& input : read_inputs(std::filesystem::path(ESOX_INPUTS), languages())) {
    if (input.id == id) return input;
  }
  ADD_FAILURE() << "no shipped input " << id;
  return {};
}

// Whether the thread that moves all lists of the table began before the clients were served.
bool grows_beside_clients(const std::vector<TraceEvent>& trace) {
  constexpr size_t kLists = 4096;
  std::map<ThreadId, size_t> begun;  // how far the clients were
  std::map<ThreadId, size_t> events;
  size_t of_clients = 0;
  for (const TraceEvent& event : trace) {
    of_clients += event.thread < kMaxClients ? 1 : 0;
    begun.try_emplace(event.thread, of_clients);
    ++events[event.thread];
  }
  return std::ranges::any_of(events, [&](const auto& one) {
    return one.first >= kMaxClients && one.second > kLists && begun[one.first] < of_clients;
  });
}

// The numbers of the sockets that a process holds, and of those in /proc/net/TABLE.
std::set<std::string> socket_inodes(pid_t pid) {
  constexpr std::string_view kBegin = "socket:[";
  std::set<std::string> inodes;
  const std::filesystem::path folder = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with(kBegin)) {
      inodes.insert(target.substr(kBegin.size(), target.size() - kBegin.size() - 1));
    }
  }
  return inodes;
}

std::vector<std::string> network_inodes(const std::string& table) {
  constexpr size_t kInodeColumn = 9;
  std::vector<std::string> inodes;
  std::ifstream file("/proc/net/" + table);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    for (size_t i = 0; i <= kInodeColumn; ++i) words >> word;
    inodes.push_back(word);
  }
  return inodes;
}

class MemcachedTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::filesystem::path program : kPrograms) {
      if (std::filesystem::exists(ESOX_MEMCACHED / program)) continue;
      GTEST_SKIP() << "no memcached to test with (" << program.string()
                   << "): scripts/get-memcached brings it, which needs apt's network";
    }
  }

  MemcachedServer server(const std::string& program) {
    MemcachedServer made(ServerOptions{ESOX_MEMCACHED "/" + program, {}, {}, folder_.path()});
    made.prepare();
    return made;
  }

  ExecutorOptions options() {
    ExecutorOptions options;
    options.preload_library = ESOX_PRELOAD;
    options.base = folder_.path();
    options.stall_limit = std::chrono::milliseconds(8'000);  // the machine may be busy
    return options;
  }

  static ExplorationSettings settings() {
    ExplorationSettings settings;
    settings.strategy_text = "random:p=0.2";
    settings.strategy = strategy_from_text(settings.strategy_text);
    settings.clock_base_ns = 1'893'456'000'000'000'000;
    return settings;
  }

  struct Found {
    uint64_t executions = 0;
    uint64_t degraded = 0;
    std::vector<Judged> violations;  // the confirmed ones
  };

  Found explore(Server& server, const Input& input, uint64_t executions) {
    ServerExecutor executor(server, options());
    Exploration exploration({input, ""}, settings());
    Found found;
    for (uint64_t n = 1; n <= executions && found.violations.empty(); ++n) {
      Judged judged = exploration.explore(executor, n);
      ++found.executions;
      found.degraded += judged.verdict.verdict == VerdictClass::kDegraded ? 1 : 0;
      if (judged.confirmed) found.violations.push_back(std::move(judged));
    }
    return found;
  }

  // The fault is found within so many executions, and they find nothing where it is not.
  Judged expect_found(const std::string& fault, const std::string& id, uint64_t executions) {
    MemcachedServer sound = server(kAnnotated);
    const Found nothing = explore(sound, shipped(id), executions);
    EXPECT_EQ(nothing.executions, executions);
    EXPECT_EQ(nothing.degraded, 0u);
    MemcachedServer faulty = server(fault + "/memcached");
    Found found = explore(faulty, shipped(id), executions);
    EXPECT_EQ(found.violations.size(), 1u) << fault;
    return found.violations.empty() ? Judged{} : std::move(found.violations[0]);
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(MemcachedTest, TheClientReadsEachKindOfReply) {
  MemcachedServer debian = server(kDebian);
  const auto running = debian.start(StartRequest{&folder_, {}, {}});
  MemcachedClient client;
  client.connect(running->socket_path());
  const auto ask = [&](const std::string& text) { return client.run(Request{text, true}); };
  EXPECT_EQ(ask("set k 7 0 4\na\r\nb").info, "STORED");
  EXPECT_THAT(ask("get k none").results.at(0).rows, ElementsAre(ElementsAre("k", "7", "a\r\nb")));
  const Output unique = ask("gets k");
  EXPECT_EQ(unique.results.at(0).columns.at(3).type, "identity");
  EXPECT_EQ(ask("cas k 0 0 1 {cas}\n5").info, "STORED");
  EXPECT_EQ(ask("cas k 0 0 1 {cas}\n5").info, "EXISTS");
  EXPECT_EQ(ask("incr k 3").info, "8");
  EXPECT_EQ(ask("delete none").info, "NOT_FOUND");
  EXPECT_EQ(ask("incr k x").error, 2u);
  EXPECT_THAT(ask("get none").results.at(0).rows, IsEmpty());
  EXPECT_GT(ask("stats").results.at(0).rows.size(), 20u);
  running->stop();
  const Output lost = ask("get k");
  EXPECT_FALSE(lost.answered);
  EXPECT_THAT(lost.message, Not(IsEmpty()));
}

// As releases before 1.5 do: here Debian's program behind a script that refuses long names.
TEST_F(MemcachedTest, AProgramThatTakesOptionsByTheirLettersOnlyIsStarted) {
  const std::filesystem::path script = folder_.path() / "memcached";
  std::ofstream(script)
      << "#!/bin/sh\n"
         "for word; do case $word in --* | -o) exit 1 ;; esac; done\n"
         "[ \"$1\" != -h ] || { printf 'memcached 1.4.15\\n-p <num>\\n-s <file>\\n"
         "-a <mask>\\n-u <user>\\n-t <num>\\n'; exit 0; }\n"
         "exec " ESOX_MEMCACHED "/"
      << kDebian << " \"$@\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  MemcachedServer old(ServerOptions{script.string(), {}, {}, folder_.path()});
  old.prepare();
  EXPECT_EQ(old.version(), "memcached 1.4.15");
  const auto running = old.start(StartRequest{&folder_, {}, {"--threads=2"}});
  MemcachedClient client;
  client.connect(running->socket_path());
  EXPECT_EQ(client.run(Request{"set k 0 0 1\n5", true}).info, "STORED");
}

TEST_F(MemcachedTest, ListensToNoPort) {
  MemcachedServer debian = server(kDebian);
  const auto running = debian.start(StartRequest{&folder_, {}, {}});
  MemcachedClient client;
  client.connect(running->socket_path());
  const std::set<std::string> own = socket_inodes(running->pid());
  EXPECT_GE(own.size(), 2u);  // the one that listens, and the client's
  for (const char* table : {"tcp", "tcp6", "udp", "udp6"}) {
    for (const std::string& inode : network_inodes(table)) {
      EXPECT_FALSE(own.contains(inode)) << table;
    }
  }
}

TEST_F(MemcachedTest, WorkersOfDebiansOwnProgramAreControlledInAllOrders) {
  MemcachedServer debian = server(kDebian);
  ServerExecutor executor(debian, options());
  Exploration exploration({shipped("memcached-sessions/three-increments"), ""}, settings());
  exploration.prepare(executor);
  EXPECT_GE(exploration.serial_runs().size(), 2u);
  for (const SerialRun& run : exploration.serial_runs()) EXPECT_EQ(run.infeasible, "");
  EXPECT_TRUE(exploration.masks().empty());
  std::set<std::string> answers;
  for (uint64_t n = 1; n <= 30; ++n) {
    const Judged judged = exploration.explore(executor, n);
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
    answers.insert(judged.report.record.outcome.outputs[0][0].info);
  }
  EXPECT_GT(answers.size(), 1u);  // the schedules differ
}

// Also what clients know (unique numbers) is as after the setup, each time.
TEST_F(MemcachedTest, SnapshotsAndRestartsGiveTheSameExecutions) {
  MemcachedServer annotated = server(kAnnotated);
  for (const char* id :
       {"memcached-sessions/one-of-two-swaps", "memcached-pairs/delete--gets-both"}) {
    SCOPED_TRACE(id);
    ExecutorOptions either = options();
    either.isolation = Isolation::kAuto;
    ServerExecutor forking(annotated, either);
    either.isolation = Isolation::kRestart;
    ServerExecutor restarting(annotated, either);
    Exploration exploration({shipped(id), ""}, settings());
    exploration.prepare(forking);
    if (forking.isolation() != Isolation::kSnapshot) GTEST_SKIP() << forking.fallback_reason();
    for (uint64_t n = 1; n <= 40; ++n) {
      const ExecutionRecord one = forking.run(exploration.plan(n)).record;
      const ExecutionRecord other = restarting.run(exploration.plan(n)).record;
      const TraceDifference traces =
          compare_traces(one.trace, one.modules, other.trace, other.modules);
      ASSERT_TRUE(traces.equal) << n << ": " << traces.text;
      ASSERT_TRUE(differing_places(one.outcome, other.outcome).empty()) << n;
    }
    EXPECT_GT(forking.lives().rewound, 30u) << forking.lives().why;
  }
}

// An item's last second is over in the middle of a client's requests only if the clock, which the
// main thread keeps, is part of the schedule.
TEST_F(MemcachedTest, ItsClockTicksWhereItIsScheduled) {
  const Input input = parse_inputs(R"(
id: ends
server: memcached
setup: ["set k 0 100 1\n1"]
clients:
  - requests: [touch k 20, get k, get k]
  - requests: [get k]
)",
                                   "test.yaml", languages())
                          .at(0);
  MemcachedServer debian = server(kDebian);
  for (const bool contexts : {false, true}) {
    ExecutorOptions chosen = options();
    chosen.contexts = contexts;
    chosen.control.data_choices.timer = DataChoiceMode::kOn;
    ServerExecutor executor(debian, chosen);
    ExplorationSettings under = settings();
    under.background = contexts ? Background::kOn : Background::kOff;
    Exploration exploration({input, ""}, under);
    std::set<size_t> rows;
    for (uint64_t n = 1; n <= 40; ++n) {
      const Judged judged = exploration.explore(executor, n);
      EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
      rows.insert(judged.report.record.outcome.outputs[0][2].results.at(0).rows.size());
    }
    EXPECT_EQ(rows, contexts ? (std::set<size_t>{0, 1}) : std::set<size_t>{1});
  }
}

// Before it grows memcached stops all its threads, so in a serial order it grows when all requests
// are served; else in the middle of them.
TEST_F(MemcachedTest, ItsHashTableGrowsBesideClients) {
  MemcachedServer debian = server(kDebian);
  ExecutorOptions chosen = options();
  chosen.contexts = true;
  chosen.control.data_choices.timer = DataChoiceMode::kOn;
  ServerExecutor executor(debian, chosen);
  ExplorationSettings under = settings();
  under.background = Background::kOn;
  Exploration exploration({shipped("memcached-background/grow-get"), ""}, under);
  unsigned grown = 0;
  for (uint64_t n = 1; n <= 40; ++n) {
    const Judged judged = exploration.explore(executor, n);
    const ExecutionRecord& record = judged.report.record;
    if (!record.degraded_reasons.empty()) continue;
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
    grown += grows_beside_clients(record.trace) ? 1 : 0;
  }
  EXPECT_GT(grown, 0u);
  for (const SerialRun& run : exploration.serial_runs()) EXPECT_EQ(run.infeasible, "");
}

TEST_F(MemcachedTest, AnnotatedStateAgreesWithTheInterface) {
  MemcachedServer annotated = server(kAnnotated);
  ServerExecutor executor(annotated, options());
  Exploration exploration({shipped("memcached-negative/disjoint-keys"), ""}, settings());
  exploration.prepare(executor);
  const StateSummary& state = exploration.serial_runs().at(0).first.state;
  const Component* table = state.find("annotated:table");
  const Component* chunks = state.find("annotated:chunks");
  const Component* connections = state.find("annotated:connections");
  ASSERT_TRUE(table != nullptr && chunks != nullptr && connections != nullptr);
  EXPECT_EQ(table->unavailable, "");
  EXPECT_THAT(table->elements, ElementsAre(Element{"'b'", "0, 'xyz', 'expires'"}));
  EXPECT_EQ(state.find("items")->elements.size(), 1u);
  EXPECT_EQ(chunks->count, 1u);
  EXPECT_EQ(chunks->elements.size(), 1u);  // the free chunks of a new page were never handed out
  EXPECT_EQ(connections->count, 4u);       // two clients', the summary's, and the one that listens
  const auto lru = std::find_if(
      state.components.begin(), state.components.end(),
      [](const auto& c) { return c.name.starts_with("annotated:lru:") && c.count > 0; });
  ASSERT_NE(lru, state.components.end());
  EXPECT_THAT(lru->elements, ElementsAre(Element{"", "'b'"}));
}

TEST_F(MemcachedTest, AnIncrementWithoutItsLockIsFoundAsAWrongReply) {
  const Judged found =
      expect_found("fault-increment-without-lock", "memcached-sessions/three-increments", 60);
  EXPECT_EQ(found.verdict.verdict, VerdictClass::kSemantic);
}

TEST_F(MemcachedTest, ASwapComparedOutsideItsLockIsFoundAsAWrongReply) {
  const Judged found =
      expect_found("fault-swap-compared-outside-lock", "memcached-sessions/one-of-two-swaps", 150);
  EXPECT_EQ(found.verdict.verdict, VerdictClass::kSemantic);
}

TEST_F(MemcachedTest, AnUnlinkThatLeavesTheListIsFoundThoughEveryReplyIsRight) {
  const Judged found =
      expect_found("fault-unlink-leaves-list", "memcached-pairs/delete--gets-both", 60);
  EXPECT_EQ(found.verdict.verdict, VerdictClass::kLatent);
  ASSERT_TRUE(found.cause);
  EXPECT_THAT(found.cause->text, HasSubstr("annotated:lru:"));
}

TEST_F(MemcachedTest, MetaCommandsAreAnsweredAsTheClientReadsThem) {
  MemcachedServer debian = server(kDebian);
  const auto running = debian.start(StartRequest{&folder_, {}, {}});
  MemcachedClient client;
  client.connect(running->socket_path());
  const auto ask = [&](const std::string& text) { return client.run(Request{text, true}); };
  const auto row = [&](const std::string& text) {
    const Output output = ask(text);
    return output.results.empty() ? Row{} : output.results[0].rows.at(0);
  };
  EXPECT_EQ(ask("ms k 4 T100 F7\na\r\nb").info, "HD");
  EXPECT_THAT(row("mg k v s f t k O9"),
              ElementsAre("VA", "a\r\nb", "4", "7", "100", "k", "9", Cell{}));
  EXPECT_EQ(row("mg k c").size(), 3u);
  EXPECT_EQ(ask("ms k 2 C{cas}\n12").info, "HD");
  EXPECT_EQ(ask("ms k 2 C{cas}\n13").info, "EX");
  EXPECT_THAT(row("ma k v D3 t"), ElementsAre("VA", "15", "-1"));
  EXPECT_EQ(ask("mg none v q").info, "nothing, as asked");
  EXPECT_EQ(ask("ms k 1 q\n5").info, "nothing, as asked");
  EXPECT_THAT(row("mg none v N30"), ElementsAre("VA", "", "W"));
  EXPECT_THAT(row("mg none v"), ElementsAre("VA", "", "Z"));
  EXPECT_EQ(ask("md k I T30").info, "HD");
  EXPECT_THAT(row("mg k v t"), ElementsAre("VA", "5", "30", "WX"));
  EXPECT_EQ(row("me k").size(), 7u);
  EXPECT_EQ(row("mg aw== b v k").at(1), "5");
  EXPECT_EQ(ask("md k").info, "HD");
  EXPECT_EQ(ask("me k").info, "EN");
  EXPECT_EQ(ask("mn").info, "MN");
  EXPECT_EQ(ask("verbosity 0").info, "OK");
}

TEST_F(MemcachedTest, WhatIncrementsTakeFromAnItemThatIsBeingReadIsFound) {
  MemcachedServer debian = server(kDebian);
  for (const char* name : {"increment-prolongs", "increment-of-a-stale-number"}) {
    const Found found =
        explore(debian, shipped(std::string("memcached-meta-sessions/") + name), 150);
    EXPECT_EQ(found.violations.size(), 1u) << name;
    EXPECT_EQ(found.degraded, 0u) << name;
  }
}

// An exported bundle is played by what it holds, on any memcached.
TEST_F(MemcachedTest, AnExportedFindingPlaysByItself) {
  const auto play = [&](const Input& input) {
    PrivateDirectory bundle(temporary_base());
    for (const auto& [name, text] : target_named("memcached").export_pieces({input, {}}).files) {
      std::ofstream(bundle.path() / name) << text;
    }
    MemcachedServer debian = server(kDebian);
    const auto running = debian.start(StartRequest{&folder_, {}, {}});
    return ask_program("/usr/bin/perl",
                       {(bundle.path() / "by-hand.pl").string(), running->socket_path(), "20"},
                       bundle.path());
  };
  Input input = shipped("memcached-negative/meta-swaps");
  const Said fine = play(input);
  EXPECT_EQ(fine.ending, "exit status 0") << fine.text;
  EXPECT_THAT(fine.text, HasSubstr("In the order A1 A2 B1 B2, or"));
  EXPECT_THAT(fine.text, HasSubstr("A1: ms a 1 C{cas} c -> HD c#1\n  A2: ms a 1 C{cas} -> HD\n"));
  EXPECT_THAT(fine.text, HasSubstr("afterwards gets a -> VALUE a 0 1 #2 | 6 | END"));
  EXPECT_THAT(fine.text, HasSubstr("At once, 20 of 20 times: as in the order"));
  // Statistics are others each time.
  input.clients[0].requests = {{"stats", true}};
  const Said wrong = play(input);
  EXPECT_EQ(wrong.ending, "exit status 1") << wrong.text;
  EXPECT_THAT(wrong.text, HasSubstr("AS IN NO SERIAL ORDER"));
}

TEST_F(MemcachedTest, HarmlessInputsAreNotFlagged) {
  MemcachedServer annotated = server(kAnnotated);
  const std::vector<Input> inputs =
      read_inputs(std::filesystem::path(ESOX_INPUTS) / "negative", languages());
  ASSERT_GE(inputs.size(), 10u);
  for (const Input& input : inputs) {
    const Found found = explore(annotated, input, 25);
    EXPECT_EQ(found.executions, 25u) << input.id;
    EXPECT_EQ(found.degraded, 0u) << input.id;
    EXPECT_THAT(found.violations, IsEmpty()) << input.id;
  }
}

}  // namespace
}  // namespace esox
