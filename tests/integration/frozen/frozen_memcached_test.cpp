// SPDX-License-Identifier: Apache-2.0
// memcached with debug information: what is read of it frozen agrees with what it says by its
// annotations, and finds a latent fault in a build without any.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/yaml/file_text.h"
#include "harness/engine/known_servers.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "inputs/reader.h"
#include "targets/memcached/server.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPrograms[] = {"plain", "annotated", "plain-fault-unlink-leaves-list"};
const std::string kDescription = ESOX_STRUCTURES "/memcached.yaml";

class FrozenMemcachedTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : kPrograms) {
      if (std::filesystem::exists(path(program))) continue;
      GTEST_SKIP() << "no memcached to test with (" << program
                   << "): scripts/get-memcached brings it, which needs apt's network";
    }
  }

  static std::string path(const std::string& program) {
    return fmt::format("{}/{}/memcached", ESOX_MEMCACHED, program);
  }

  MemcachedServer server(const std::string& program) {
    MemcachedServer made(ServerOptions{path(program), {}, {}, folder_.path()});
    made.prepare();
    return made;
  }

  ExecutorOptions options() {
    ExecutorOptions options;
    options.preload_library = ESOX_PRELOAD;
    options.base = folder_.path();
    options.isolation = Isolation::kRestart;
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

  static Input shipped(const std::string& id, bool frozen = true) {
    for (Input& input : read_inputs(std::filesystem::path(ESOX_INPUTS), languages())) {
      if (input.id != id) continue;
      if (frozen) input.structures.push_back({kDescription, file_text(kDescription)});
      return input;
    }
    ADD_FAILURE() << "no shipped input " << id;
    return {};
  }

  Judged explore(const std::string& program, const Input& input, uint64_t executions) {
    MemcachedServer one = server(program);
    ServerExecutor executor(one, options());
    Exploration exploration({input, ""}, settings());
    Judged judged;
    for (uint64_t n = 1; n <= executions && !judged.confirmed; ++n) {
      judged = exploration.explore(executor, n);
      EXPECT_NE(judged.verdict.verdict, VerdictClass::kDegraded) << input.id;
    }
    return judged;
  }

  PrivateDirectory folder_{temporary_base()};
};

// The lists of one kind of source: "lru:129" -> keys. Annotations also tell of those that are empty
// by now.
std::map<std::string, std::vector<Element>> lists_of(const StateSummary& state,
                                                     const std::string& prefix) {
  std::map<std::string, std::vector<Element>> lists;
  for (const Component& component : state.components) {
    if (!component.name.starts_with(prefix + "lru:") || component.count == 0) continue;
    EXPECT_EQ(component.unavailable, "");
    lists[component.name.substr(prefix.size())] = component.elements;
  }
  return lists;
}

// Chunks handed out, by slab class: the last field of a frozen class, the number of equal elements
// of the annotated multiset. (A new page's chunks are put back there without having been taken.)
std::map<std::string, uint64_t> chunks_of(const StateSummary& state) {
  std::map<std::string, uint64_t> chunks;
  for (const Element& element : state.find("annotated:chunks")->elements) {
    if (!element.value.starts_with("removed")) ++chunks[element.value];
  }
  return chunks;
}

std::map<std::string, uint64_t> frozen_chunks_of(const StateSummary& state) {
  std::map<std::string, uint64_t> chunks;
  for (const Element& element : state.find("frozen:slabs")->elements) {
    const uint64_t used = std::stoull(element.value.substr(element.value.rfind(' ')));
    if (used > 0) chunks[element.key] = used;
  }
  return chunks;
}

void expect_agreement(const StateSummary& state, const std::string& what) {
  const Component* frozen = state.find("frozen:table");
  const Component* annotated = state.find("annotated:table");
  ASSERT_TRUE(frozen != nullptr && annotated != nullptr) << what;
  EXPECT_EQ(frozen->unavailable, "") << what;
  EXPECT_EQ(frozen->elements, annotated->elements) << what;
  EXPECT_EQ(lists_of(state, "frozen:"), lists_of(state, "annotated:")) << what;
  EXPECT_EQ(frozen_chunks_of(state), chunks_of(state)) << what;
}

TEST_F(FrozenMemcachedTest, AgreesWithTheAnnotationsOnTheSameExecutions) {
  MemcachedServer annotated = server("annotated");
  uint64_t compared = 0;
  for (const char* id : {"memcached-pairs/append--set-large", "memcached-pairs/add-new--delete",
                         "memcached-pairs/flush--touch", "memcached-sessions/append-and-read",
                         "memcached-sessions/compare-and-swap", "memcached-pairs/incr--set"}) {
    const Input input = shipped(id);
    ServerExecutor executor(annotated, options());
    Exploration exploration({input, ""}, settings());
    exploration.prepare(executor);
    for (const SerialRun& run : exploration.serial_runs()) {
      expect_agreement(run.first.state, input.id);
    }
    for (uint64_t n = 1; n <= 15; ++n, ++compared) {
      const Judged judged = exploration.explore(executor, n);
      expect_agreement(judged.report.record.outcome.state, input.id);
    }
  }
  EXPECT_EQ(compared, 90u);
}

TEST_F(FrozenMemcachedTest, AnUnlinkThatLeavesTheListIsFoundByTheFrozenStateAlone) {
  const std::string fault = "plain-fault-unlink-leaves-list";
  const std::string id = "memcached-pairs/delete--gets-both";
  EXPECT_FALSE(explore(fault, shipped(id, false), 60).confirmed);
  EXPECT_FALSE(explore("plain", shipped(id), 60).confirmed);
  const Judged found = explore(fault, shipped(id), 60);
  ASSERT_TRUE(found.confirmed);
  EXPECT_EQ(found.verdict.verdict, VerdictClass::kLatent);
  EXPECT_THAT(found.cause->text, HasSubstr("frozen:lru:"));
}

TEST_F(FrozenMemcachedTest, HarmlessInputsAreNotFlagged) {
  std::vector<Input> inputs =
      read_inputs(std::filesystem::path(ESOX_INPUTS) / "negative", languages());
  for (Input& input : inputs) {
    input.structures.push_back({kDescription, file_text(kDescription)});
    EXPECT_FALSE(explore("plain", input, 15).confirmed) << input.id;
  }
}

}  // namespace
}  // namespace esox
