// SPDX-License-Identifier: Apache-2.0
// A MariaDB as Debian ships it, frozen: variables of its symbol table, and a structure of a library
// with debug information that it loaded, of a restarted server and of a forked one.
#include <gmock/gmock.h>

#include "tests/integration/execution/execution_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;

constexpr const char* kDescription = R"yaml(
components:
  - name: counter           # of seeded_faults.c
    kind: set
    unit: seeded_faults.c
    container: {kind: value, root: counter}
    fields: [it]
  - name: settings          # no debug information: only where they are
    kind: set
    container: {kind: value, root: "*cast<unsigned long *>(&max_connections)"
}
    fields: [it]
)yaml";

class FrozenMariadbTest : public ExecutionFixture {
 protected:
  static ConcreteInput updates(std::string description = kDescription) {
    ConcreteInput concrete =
        input(kFunctions, {{"DO esox_lost_update()"}, {"DO esox_lost_update()"}});
    concrete.input.structures.push_back({"counter.yaml", std::move(description)});
    return concrete;
  }

  static ExecutorOptions with(Isolation isolation) {
    ExecutorOptions chosen = options();
    chosen.isolation = isolation;
    return chosen;
  }

  static std::string element(const StateSummary& state, const std::string& name) {
    const Component* component = state.find(name);
    if (component == nullptr) return "no such component";
    if (!component->unavailable.empty()) return component->unavailable;
    return component->elements.empty() ? "empty" : component->elements.front().value;
  }
};

TEST_F(FrozenMariadbTest, ReadsARestartedServer) {
  ServerExecutor executor(*server_, with(Isolation::kRestart));
  Exploration exploration(updates(), settings("random:p=0.3"));
  exploration.prepare(executor);
  for (const SerialRun& run : exploration.serial_runs()) {
    EXPECT_EQ(element(run.first.state, "frozen:counter"), "2");
    EXPECT_EQ(element(run.first.state, "frozen:settings"), "151");
  }
}

TEST_F(FrozenMariadbTest, ALostUpdateThatNoReplyShowsIsFoundInForkedServers) {
  ServerExecutor executor(*server_, with(Isolation::kAuto));
  const auto found = [&](const ConcreteInput& concrete) {
    Exploration exploration(concrete, settings("random:p=0.3"));
    Judged judged;
    for (uint64_t n = 1; n <= 60 && !judged.confirmed; ++n) {
      judged = exploration.explore(executor, n);
      EXPECT_NE(judged.verdict.verdict, VerdictClass::kDegraded);
    }
    return judged;
  };
  ConcreteInput blind = updates();
  blind.input.structures.clear();
  EXPECT_FALSE(found(blind).confirmed);
  const Judged judged = found(updates());
  ASSERT_TRUE(judged.confirmed);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kLatent);
  EXPECT_THAT(judged.cause->text, HasSubstr("frozen:counter"));
  EXPECT_EQ(executor.isolation() == Isolation::kSnapshot, executor.fallback_reason().empty());
}

TEST_F(FrozenMariadbTest, WhatIsNotThereIsUnavailableAndTheExecutionIsNotJudgedByIt) {
  ServerExecutor executor(*server_, with(Isolation::kAuto));
  Exploration exploration(
      updates("components: [{name: gone, kind: set, container: {kind: value, root: nobodys}, "
              "fields: [it]}]"),
      settings("random:p=0.3"));
  exploration.prepare(executor);
  const SerialRun& run = exploration.serial_runs().at(0);
  EXPECT_THAT(element(run.first.state, "frozen:gone"),
              HasSubstr("counter.yaml:1: no variable 'nobodys'"));
  EXPECT_EQ(exploration.explore(executor, 1).verdict.verdict, VerdictClass::kDegraded);
}

}  // namespace
}  // namespace esox
