// SPDX-License-Identifier: Apache-2.0
// Executions on a MariaDB that tells of its structures. Each seeded fault is found by the component
// of its structure, and the same executions of the program without it find nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/reader.h"
#include "harness/engine/data_choice_list.h"
#include "harness/engine/known_servers.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "inputs/engine.h"
#include "inputs/reader.h"
#include "tests/integration/mariadb_server.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAnnotated = "annotated";

Input input_of(const std::filesystem::path& file, const std::string& id) {
  for (const Input& input : read_inputs(file, languages())) {
    if (input.id == id) return input;
  }
  ADD_FAILURE() << "no input " << id;
  return {};
}

ConcreteInput shipped(const std::string& folder, const std::string& id, const std::string& engine) {
  const std::filesystem::path inputs = std::filesystem::path(ESOX_INPUTS) / folder;
  return instantiate(input_of(inputs, id), {engine}).at(0);
}

struct Found {
  uint64_t executions = 0;
  uint64_t degraded = 0;
  std::vector<Judged> violations;  // the confirmed ones
};

class AnnotatedMariadb : public testing::Test {
 protected:
  // Whether that program was built; if not, the test is skipped, with words.
  static bool is_there(const std::string& name) { return std::filesystem::exists(program(name)); }
  static std::filesystem::path program(const std::string& name) {
    return std::filesystem::path(ESOX_MARIADB) / name / "mariadbd";
  }
  static std::string how_to_build(const std::string& name) {
    return "there is no " + program(name).string() + "; scripts/build-mariadb builds it";
  }

  MariadbServer server(const std::string& name, std::vector<std::string> options = {}) {
    MariadbServer made({program(name).string(), std::move(options),
                        std::filesystem::path(ESOX_TEST_CACHE) / "esox", folder_.path()});
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

  static ExplorationSettings settings(const std::string& strategy) {
    ExplorationSettings settings;
    settings.strategy_text = strategy;
    settings.strategy = strategy_from_text(settings.strategy_text);
    settings.clock_base_ns = 1'893'456'000'000'000'000;
    return settings;
  }

  // Until the first confirmed violation.
  Found explore(Server& server, const ConcreteInput& input, const std::string& strategy,
                uint64_t executions) {
    return explore(server, input, settings(strategy), executions);
  }

  Found explore(Server& server, const ConcreteInput& input, ExplorationSettings settings,
                uint64_t executions) {
    ServerExecutor executor(server, options());
    Exploration exploration(input, std::move(settings));
    Found found;
    for (uint64_t n = 1; n <= executions && found.violations.empty(); ++n) {
      Judged judged = exploration.explore(executor, n);
      ++found.executions;
      found.degraded += judged.verdict.verdict == VerdictClass::kDegraded ? 1 : 0;
      if (judged.confirmed) found.violations.push_back(std::move(judged));
    }
    return found;
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(AnnotatedMariadb, TellsOfRowsKeysTablesAndBlocksAsTheyAreAfterTheRequests) {
  if (!is_there(kAnnotated)) GTEST_SKIP() << how_to_build(kAnnotated);
  MariadbServer annotated = server(kAnnotated);
  for (const std::string engine : {"MyISAM", "Aria"}) {
    ServerExecutor executor(annotated, options());
    Exploration exploration(shipped("negative", "negative/readers-same-select", engine),
                            settings("serial"));
    exploration.prepare(executor);
    const StateSummary& state = exploration.serial_runs().at(0).first.state;
    const Component* data = state.find("annotated:data:test/t1");
    const Component* index = state.find("annotated:index:test/t1");
    const Component* tables = state.find("annotated:table-cache");
    const Component* results = state.find("annotated:query-cache");
    const Component* blocks = state.find("annotated:key-cache");
    ASSERT_TRUE(data && index && tables && results && blocks) << engine;
    EXPECT_EQ(data->unavailable + index->unavailable, "") << engine;
    EXPECT_EQ(data->count, 3u) << engine;
    EXPECT_EQ(index->count, 6u) << engine;  // two keys of each row
    EXPECT_THAT(tables->elements, testing::Contains(testing::Field(&Element::key, "'test', 't1'")));
    ASSERT_EQ(results->count, 1u) << engine;
    EXPECT_THAT(results->elements.at(0).key, HasSubstr("SELECT a, b FROM t1")) << engine;
    for (const Element& block : blocks->elements) EXPECT_EQ(block.value, "'clean'") << block.key;
  }
}

TEST_F(AnnotatedMariadb, IsForkedForEachExecutionWhereTheMachineAllowsIt) {
  if (!is_there(kAnnotated)) GTEST_SKIP() << how_to_build(kAnnotated);
  MariadbServer annotated = server(kAnnotated);
  ServerExecutor executor(annotated, options());
  Exploration exploration({input_of(ESOX_FAULTS, "faults/index"), ""}, settings("random:p=0.2"));
  for (uint64_t n = 1; n <= 20; ++n) {
    const Judged judged = exploration.explore(executor, n);
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
    // Nothing of one execution is left in the next.
    const Component* data = judged.report.record.outcome.state.find("annotated:data:test/t1");
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->count, 4u) << n;
  }
  if (executor.isolation() == Isolation::kRestart) GTEST_SKIP() << executor.fallback_reason();
  EXPECT_EQ(executor.isolation(), Isolation::kSnapshot);
}

TEST_F(AnnotatedMariadb, HarmlessInputsAreNotFlagged) {
  if (!is_there(kAnnotated)) GTEST_SKIP() << how_to_build(kAnnotated);
  MariadbServer annotated = server(kAnnotated);
  const std::vector<Input> inputs =
      read_inputs(std::filesystem::path(ESOX_INPUTS) / "negative", languages());
  ASSERT_GE(inputs.size(), 10u);
  for (const Input& input : inputs) {
    for (const ConcreteInput& concrete : instantiate(input, {"MyISAM", "Aria"})) {
      const Found found = explore(annotated, concrete, "random:p=0.2", 6);
      EXPECT_EQ(found.executions, 6u) << input.id << " on " << concrete.engine;
      EXPECT_THAT(found.violations, IsEmpty()) << input.id << " on " << concrete.engine;
    }
  }
}

TEST_F(AnnotatedMariadb, TheStaleResultOfThePositiveControlIsFoundInTheQueryCache) {
  if (!is_there(kAnnotated)) GTEST_SKIP() << how_to_build(kAnnotated);
  MariadbServer annotated = server(kAnnotated);
  const Found found =
      explore(annotated, shipped("pike-table-5-2", "pike-table-5-2/04-insert-select", "Aria"),
              "pct:d=3", 300);
  ASSERT_EQ(found.violations.size(), 1u);
  EXPECT_EQ(found.violations[0].verdict.verdict, VerdictClass::kLatent);
  ASSERT_TRUE(found.violations[0].cause);
  EXPECT_THAT(found.violations[0].cause->text, HasSubstr("annotated:query-cache"));
}

struct Fault {
  const char* name;
  const char* input;
  const char* component;
  uint64_t executions;  // enough to find it; so many find nothing without it
};

void PrintTo(const Fault& fault, std::ostream* to) {
  *to << fault.name;
}

class SeededFault : public AnnotatedMariadb, public testing::WithParamInterface<Fault> {};

TEST_P(SeededFault, IsFoundByItsStructureAndOnlyWhereItIs) {
  const Fault& fault = GetParam();
  for (const std::string& name : {std::string(kAnnotated), std::string(fault.name)}) {
    if (!is_there(name)) GTEST_SKIP() << how_to_build(name);
  }
  const ConcreteInput input{input_of(ESOX_FAULTS, fault.input), ""};
  MariadbServer sound = server(kAnnotated);
  const Found nothing = explore(sound, input, "random:p=0.2", fault.executions);
  EXPECT_EQ(nothing.executions, fault.executions);
  EXPECT_THAT(nothing.violations, IsEmpty());
  MariadbServer faulty = server(fault.name);
  const Found found = explore(faulty, input, "random:p=0.2", fault.executions);
  ASSERT_EQ(found.violations.size(), 1u);
  EXPECT_EQ(found.violations[0].verdict.verdict, VerdictClass::kLatent);
  ASSERT_TRUE(found.violations[0].cause);
  EXPECT_THAT(found.violations[0].cause->text, HasSubstr(fault.component));
}

INSTANTIATE_TEST_SUITE_P(OfMariadb, SeededFault,
                         testing::Values(Fault{"fault-invalidation-skipped-when-busy",
                                               "faults/query-cache", "annotated:query-cache", 200},
                                         Fault{"fault-share-left-when-busy", "faults/table-cache",
                                               "annotated:table-cache", 200},
                                         Fault{"fault-key-not-written-when-read", "faults/index",
                                               "annotated:index:test/t1", 200},
                                         Fault{"fault-block-left-dirty-when-flushing",
                                               "faults/key-cache", "annotated:key-cache", 200},
                                         Fault{"fault-last-of-group-not-logged",
                                               "faults/binary-log", "annotated:binary-log", 200}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Of fault-isolation.patch, by its number.
struct IsolationFault {
  int number;
  const char* input;      // one of the templates, at a level
  const char* cause;      // what it is named by
  bool by_views = false;  // of statements, for which rows are logged
};

void PrintTo(const IsolationFault& fault, std::ostream* to) {
  *to << fault.number << ", " << fault.input;
}

class SeededIsolationFault : public AnnotatedMariadb,
                             public testing::WithParamInterface<IsolationFault> {
 protected:
  static constexpr const char* kProgram = "fault-isolation";
  static constexpr uint64_t kExecutions = 2'000;

  Found explore_with(int number) {
    const IsolationFault& fault = GetParam();
    // The query cache breaks isolation by itself (docs/found.md).
    std::vector<std::string> options = {"--innodb-seeded-fault=" + std::to_string(number),
                                        "--query-cache-size=0"};
    if (fault.by_views) {
      options.insert(options.end(), {"--log-bin=binlog", "--server-id=1", "--binlog-format=ROW"});
    }
    MariadbServer one = server(kProgram, options);
    const std::filesystem::path file =
        std::filesystem::path(ESOX_INPUTS) / "transaction-templates.yaml";
    const Input input = input_of(file, std::string("templates/") + fault.input);
    ExplorationSettings by_all = settings("random:p=0.2");
    by_all.portfolio = by_all.learn = true;
    by_all.confirmations = 10;
    by_all.filters = std::make_shared<const RuleSet>(read_rules({ESOX_FILTERS}, known_servers()));
    return explore(one, instantiate(input, {"InnoDB"}).at(0), by_all, kExecutions);
  }
};

TEST_P(SeededIsolationFault, IsFoundAndReplayedTenTimesAndOnlyWhereItIs) {
  if (!is_there(kProgram)) GTEST_SKIP() << how_to_build(kProgram);
  const Found found = explore_with(GetParam().number);
  ASSERT_EQ(found.violations.size(), 1u);
  ASSERT_TRUE(found.violations[0].cause);
  EXPECT_THAT(found.violations[0].cause->text, HasSubstr(GetParam().cause));
  RecordProperty("execution", static_cast<int>(found.executions));
  const Found nothing = explore_with(0);
  EXPECT_EQ(nothing.executions, kExecutions);
  for (const Judged& judged : nothing.violations) ADD_FAILURE() << judged.cause->text;
}

// 5 is not among them: docs/isolation-levels.md says why.
INSTANTIATE_TEST_SUITE_P(
    OfMariadb, SeededIsolationFault,
    testing::Values(IsolationFault{1, "01-view-by-three-indexes-repeatable-read", "G-single"},
                    IsolationFault{2, "01-view-by-three-indexes-repeatable-read", "G"},
                    IsolationFault{3, "01-view-by-three-indexes-repeatable-read", "fractured-read",
                                   true},
                    IsolationFault{4, "05-unique-row-moves-down-serializable", "G-single"},
                    IsolationFault{6, "05-unique-row-moves-down-serializable", "G"},
                    IsolationFault{7, "04-lost-update-snapshot", "G-single"},
                    IsolationFault{8, "07-parent-and-child-serializable", "rows"},
                    IsolationFault{9, "15-snapshot-at-once-repeatable-read", "read", true},
                    IsolationFault{10, "04-locked-then-looked-at-snapshot", "G-single"},
                    IsolationFault{11, "12-prepared-repeatable-read", "G"}),
    [](const auto& test) { return "F" + std::to_string(test.param.number); });

// Of fault-background.patch, by its number: bugs that MariaDB has had, in which a thread of the
// server's own takes part.
struct BackgroundFault {
  int number;
  const char* input;
  const char* cause;    // what it is named by; others may be found, too (docs/found.md)
  uint64_t executions;  // enough to find it; so many do not find it without
};

void PrintTo(const BackgroundFault& fault, std::ostream* to) {
  *to << fault.number << ", " << fault.input;
}

class SeededBackgroundFault : public AnnotatedMariadb,
                              public testing::WithParamInterface<BackgroundFault> {
 protected:
  static constexpr const char* kProgram = "fault-background";

  // Whether it came.
  bool comes_with(int number) {
    const BackgroundFault& fault = GetParam();
    MariadbServer one =
        server(kProgram, {"--innodb-seeded-background-fault=" + std::to_string(number)});
    ExecutorOptions chosen = options();
    chosen.contexts = true;
    chosen.control.data_choices = shipped_data_choices();
    ExplorationSettings under = settings("random:p=0.2");
    under.portfolio = under.learn = true;
    under.background = Background::kOn;
    under.filters = std::make_shared<const RuleSet>(read_rules({ESOX_FILTERS}, known_servers()));
    ServerExecutor executor(one, chosen);
    const Input input =
        input_of(ESOX_BACKGROUND_FAULTS, std::string("background-faults/") + fault.input);
    Exploration exploration(instantiate(input, {"InnoDB"}).at(0), under);
    for (uint64_t n = 1; n <= fault.executions; ++n) {
      const Judged judged = exploration.explore(executor, n);
      if (!judged.confirmed || judged.cause->text.find(fault.cause) == std::string::npos) continue;
      RecordProperty("execution", static_cast<int>(n));
      if (number == 0) ADD_FAILURE() << "execution " << n << ": " << judged.cause->text;
      return true;
    }
    return false;
  }
};

TEST_P(SeededBackgroundFault, IsFoundAndOnlyWhereItIs) {
  if (!is_there(kProgram)) GTEST_SKIP() << how_to_build(kProgram);
  EXPECT_TRUE(comes_with(GetParam().number));
  EXPECT_FALSE(comes_with(0));
}

// 3 and 4 are not among them: when statistics come is no promise, and that they are missing at the
// end, which shows these faults, is seen without them, too, if seldom.
INSTANTIATE_TEST_SUITE_P(
    OfMariadb, SeededBackgroundFault,
    testing::Values(BackgroundFault{1, "event-keeps-lock", "class serial", 100},
                    BackgroundFault{2, "delayed-alter", "class serial", 100},
                    BackgroundFault{5, "statistics-table-altered", "class crash", 200},
                    BackgroundFault{6, "purge-not-resumed", "class deadlock", 100},
                    BackgroundFault{7, "analyze-beside-statistics", "class semantic", 8'000},
                    BackgroundFault{8, "page-cleaner-sleeps", "class deadlock", 200},
                    BackgroundFault{9, "delayed-session-expression", "ending crash", 100}),
    [](const auto& test) { return "B" + std::to_string(test.param.number); });

}  // namespace
}  // namespace esox
