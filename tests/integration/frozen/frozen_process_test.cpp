// SPDX-License-Identifier: Apache-2.0
// Structures of a small program, read while its threads stand still: from each form of debug
// information, sound and with a fault, and that it goes on afterwards whatever happens.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/process/unique_fd.h"
#include "base/yaml/file_text.h"
#include "summaries/component.h"
#include "summaries/frozen/description.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/frozen_state.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::SizeIs;

using Words = std::vector<std::string>;

const Words kAdded = {"add", "1", "add", "9", "add", "5"};

// A process of ours, killed and collected at the end.
class Running {
 public:
  Running(const std::string& program, const Words& commands) {
    int input[2];
    int output[2];
    EXPECT_EQ(pipe2(input, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(output, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(input[0], 0);
      dup2(output[1], 1);
      std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
      for (const std::string& word : commands) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    input_ = UniqueFd(input[1]);
    const UniqueFd said(output[0]);
    char text[6] = {};
    EXPECT_EQ(read(said.get(), text, sizeof text), 6) << program;
  }
  ~Running() {
    if (pid_ > 1 && !ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }

  // It ends by itself when its input does: a proof that it goes on.
  int end() {
    input_.reset();
    int status = -1;
    waitpid(pid_, &status, 0);
    ended_ = true;
    return status;
  }

  // The states of its threads (proc(5), stat).
  std::set<char> states() const {
    std::set<char> states;
    std::error_code error;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task", error)) {
      std::ifstream stat(task.path() / "stat");
      std::string text;
      std::getline(stat, text);
      const size_t close = text.rfind(')');
      if (close != std::string::npos && close + 2 < text.size()) states.insert(text[close + 2]);
    }
    return states;
  }

  bool runs_within(std::chrono::seconds limit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (states().contains('t') || states().contains('T')) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  UniqueFd input_;
};

std::string program(const std::string& name) {
  return ESOX_FROZEN_PROGRAMS "/" + name;
}

std::shared_ptr<const StructureDescriptions> description() {
  return std::make_shared<StructureDescriptions>(
      parse_structures(file_text(ESOX_FROZEN_DESCRIPTION), ESOX_FROZEN_DESCRIPTION));
}

StateSummary state_of(pid_t pid, FreezeLimits limits = {}) {
  return make_summary(FrozenState([&] { return pid; }, {description()}, limits).take());
}

StateSummary state_after(const Words& commands, const std::string& name = "frozen_dwarf5") {
  Running running(program(name), commands);
  StateSummary state = state_of(running.pid());
  EXPECT_EQ(running.end(), 0);
  return state;
}

Words texts(const StateSummary& state, const std::string& name) {
  const Component* component = state.find("frozen:" + name);
  if (component == nullptr) return {"no such component"};
  if (!component->unavailable.empty()) return {component->unavailable};
  Words all;
  for (const Element& element : component->elements) {
    all.push_back(element.key.empty() ? element.value : element.key + "=" + element.value);
  }
  return all;
}

Words differences(const StateSummary& a, const StateSummary& b) {
  Words names;
  EXPECT_EQ(a.components.size(), b.components.size());
  for (const Component& component : a.components) {
    const Component* other = b.find(component.name);
    if (other == nullptr || !same(component, *other)) names.push_back(component.name);
  }
  return names;
}

class EachForm : public testing::TestWithParam<std::string> {};

TEST_P(EachForm, OfDebugInformationGivesAllStructures) {
  const StateSummary state = state_after(kAdded, GetParam());
  EXPECT_THAT(texts(state, "ring"), ElementsAre("1", "9", "5"));
  EXPECT_THAT(texts(state, "table"),
              ElementsAre("1=GREEN, 1, -1, 'item 1', 'item 1'", "5=BLUE, 5, -5, 'item 5', 'item 5'",
                          "9=RED, 1, -1, 'item 9', 'item 9'"));
  EXPECT_THAT(texts(state, "tree"), ElementsAre("1", "5", "9"));
  EXPECT_THAT(texts(state, "slots"), ElementsAre("1=1, 1", "5=5, 5", "9=9, 9"));
  EXPECT_THAT(texts(state, "numbers"), ElementsAre("0.5, 6, -3"));
}

INSTANTIATE_TEST_SUITE_P(Frozen, EachForm,
                         testing::Values("frozen_dwarf5", "frozen_dwarf4", "frozen_fixed",
                                         "frozen_separate", "frozen_library"),
                         [](const auto& form) { return form.param; });

TEST(FrozenProcess, AnItemForgottenInOneStructureIsSeenThereAlone) {
  const StateSummary removed = state_after({"add", "1", "add", "9", "add", "5", "remove", "9"});
  EXPECT_THAT(
      differences(removed, state_after({"add", "1", "add", "9", "add", "5", "forget", "9"})),
      ElementsAre("frozen:ring"));
  EXPECT_THAT(differences(removed, state_after({"add", "1", "add", "5"})), IsEmpty());
}

TEST(FrozenProcess, AnotherOrderIsSeenOnlyWhereOrderCounts) {
  const StateSummary one = state_after(kAdded);
  const StateSummary other = state_after({"add", "5", "add", "1", "add", "9"});
  EXPECT_THAT(differences(one, other), ElementsAre("frozen:ring"));
  EXPECT_THAT(differences(one, state_after({"add", "1", "add", "9", "add", "5"})), IsEmpty());
}

TEST(FrozenProcess, BrokenLinksAreElementsAndEqualOnlyWhereTheyAreBrokenAlike) {
  const StateSummary sound = state_after(kAdded);
  const StateSummary astray = state_after({"add", "1", "add", "9", "add", "5", "astray", "1"});
  const StateSummary round = state_after({"add", "1", "add", "9", "add", "5", "round", "0"});
  EXPECT_THAT(texts(astray, "table"), Contains(HasSubstr("leads to memory that is not there")));
  EXPECT_THAT(texts(round, "ring"), Contains("(element 3 leads to element 1 again)"));
  EXPECT_THAT(differences(sound, astray), ElementsAre("frozen:table"));
  EXPECT_THAT(differences(sound, round), ElementsAre("frozen:ring"));
  EXPECT_THAT(differences(round, state_after({"add", "1", "add", "9", "add", "5", "round", "0"})),
              IsEmpty());
}

TEST(FrozenProcess, WithoutDebugInformationAllIsUnavailableAndSaysWhy) {
  const StateSummary state = state_after(kAdded, "frozen_without");
  ASSERT_EQ(state.components.size(), 5u);
  for (const Component& component : state.components) {
    EXPECT_THAT(component.unavailable, HasSubstr("no debug information"));
    EXPECT_FALSE(same(component, component));
  }
}

TEST(FrozenProcess, ThreadLocalAndAmbiguousNamesAreRefusedInWords) {
  const auto reason = [](const std::string& name) {
    const auto mine = std::make_shared<StructureDescriptions>(parse_structures(
        "components: [{name: c, kind: set, container: {kind: value, root: " + name +
            "}, fields: [it]}]",
        "mine.yaml"));
    Running running(program("frozen_dwarf5"), {});
    return FrozenState([&] { return running.pid(); }, {mine}).take().at(0).unavailable;
  };
  EXPECT_THAT(reason("own"), HasSubstr("'own' is thread-local"));
  EXPECT_THAT(reason("bucket"), HasSubstr("did you mean 'buckets'?"));
  EXPECT_EQ(reason("load == load"), "mine.yaml:1: double is no number; name one of its members");
}

TEST(FrozenProcess, AProcessThatIsGoneIsUnavailable) {
  Running running(program("frozen_dwarf5"), {});
  running.end();
  for (const Component& component : state_of(running.pid()).components) {
    EXPECT_THAT(component.unavailable, HasSubstr("is gone"));
  }
  for (const Component& component : state_of(-1).components) EXPECT_NE(component.unavailable, "");
}

TEST(FrozenProcess, AllThreadsStandStillAndGoOnAfterwards) {
  Running running(program("frozen_dwarf5"), kAdded);
  {
    const Freeze freeze(running.pid());
    EXPECT_EQ(freeze.threads(), 4u);
    EXPECT_THAT(running.states(), ElementsAre('t'));
  }
  EXPECT_FALSE(running.states().contains('t'));
  EXPECT_EQ(running.end(), 0);
}

TEST(FrozenProcess, ThreadsThatComeAndGoAreCaughtAll) {
  Running running(program("frozen_dwarf5"), {"add", "1", "breed", "0"});
  FreezeLimits limits;
  limits.attempts = 1'000'000;  // on a busy machine it rests only when all have come and gone
  for (int i = 0; i < 20; ++i) {
    {
      const Freeze freeze(running.pid(), limits);
      EXPECT_THAT(running.states(), IsSubsetOf({'t', 'Z', 'X'}));  // those that end have ended
      EXPECT_GE(freeze.threads(), 4u);
    }
    EXPECT_FALSE(running.states().contains('t'));
  }
  EXPECT_THAT(texts(state_of(running.pid()), "ring"), ElementsAre("1"));
  EXPECT_EQ(running.end(), 0);
}

TEST(FrozenProcess, AThreadThatNeverRestsMakesItUnavailable) {
  Running running(program("frozen_dwarf5"), {"add", "1", "spin", "0"});
  FreezeLimits limits;
  limits.attempts = 5;
  for (const Component& component : state_of(running.pid(), limits).components) {
    EXPECT_THAT(component.unavailable, HasSubstr("never came to rest"));
  }
  EXPECT_FALSE(running.states().contains('t'));
  EXPECT_EQ(running.end(), 0);
}

TEST(FrozenProcess, GoesOnWhenEsoxDiesWhileItIsFrozen) {
  Running running(program("frozen_dwarf5"), kAdded);
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  const pid_t reader = fork();
  if (reader == 0) {
    const Freeze freeze(running.pid());
    (void)!write(said[1], "f", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(said[0], &byte, 1), 1);
  EXPECT_THAT(running.states(), ElementsAre('t'));
  ASSERT_GT(reader, 1);
  kill(reader, SIGKILL);
  waitpid(reader, nullptr, 0);
  EXPECT_TRUE(running.runs_within(std::chrono::seconds(60)));
  EXPECT_EQ(running.end(), 0);
  close(said[0]);
  close(said[1]);
}

TEST(FrozenProcess, IsKilledAndCollectedWhileFrozen) {
  Running running(program("frozen_dwarf5"), kAdded);
  {
    const Freeze freeze(running.pid());
    kill(running.pid(), SIGKILL);
  }
  const int status = running.end();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

// A tracer is one to a process: while another one has it, nothing can be read.
TEST(FrozenProcess, WhatSomebodyElseTracesIsUnavailable) {
  Running running(program("frozen_dwarf5"), kAdded);
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  const pid_t reader = fork();
  if (reader == 0) {
    const Freeze freeze(running.pid());
    (void)!write(said[1], "f", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(said[0], &byte, 1), 1);
  const StateSummary state = state_of(running.pid());
  ASSERT_THAT(state.components, SizeIs(Ge(1u)));
  EXPECT_THAT(state.components[0].unavailable, HasSubstr("not permitted"));
  ASSERT_GT(reader, 1);
  kill(reader, SIGKILL);
  waitpid(reader, nullptr, 0);
  close(said[0]);
  close(said[1]);
}

}  // namespace
}  // namespace esox
