// SPDX-License-Identifier: Apache-2.0
// What every target promises, whichever it is; and finding one.
#include "targets/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "filters/circumstances.h"
#include "filters/reader.h"
#include "inputs/reader.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class EveryTarget : public testing::TestWithParam<const Target*> {
 protected:
  const Target& target() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Targets, EveryTarget,
                         testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& test) { return test.param->name(); });

TEST_P(EveryTarget, IsFoundByItsNameAndItsProgram) {
  EXPECT_EQ(&target_named(target().name()), &target());
  const ProgramPlaces places = target().places();
  ASSERT_FALSE(places.names.empty());
  for (const std::string& name : places.names) {
    // A name that several of a family have is asked about, where the program is.
    EXPECT_EQ(target_of(name).family(), target().family());
    EXPECT_EQ(target_of("/opt/somewhere/" + name).family(), target().family());
  }
  EXPECT_FALSE(places.tree_folders.empty()) << "say {\"\"} for the tree itself";
  EXPECT_NE(places.remedy, "");
}

TEST_P(EveryTarget, ShipsInputsForItselfWithUniqueNames) {
  const std::vector<Input> hunted = read_inputs(target().hunted_inputs(), languages());
  const std::vector<Input> controls = read_inputs(target().negative_controls(), languages());
  EXPECT_FALSE(hunted.empty()) << target().inputs_folder();
  EXPECT_FALSE(controls.empty()) << target().negative_controls();
  std::set<std::string> ids;
  for (const std::vector<Input>* inputs : {&hunted, &controls}) {
    for (const Input& input : *inputs) {
      EXPECT_EQ(target_named(input.server()).family(), target().family()) << input.id;
      EXPECT_TRUE(ids.insert(input.id).second) << input.id;
    }
  }
}

TEST_P(EveryTarget, ShipsRulesThatAreForIt) {
  const auto file = target().filters_file();
  if (!file) return;
  const RuleSet set = read_rules({*file}, known_servers());
  EXPECT_TRUE(std::any_of(set.rules.begin(), set.rules.end(),
                          [this](const Rule& rule) { return is_for(rule, target().name()); }));
  for (const Rule& rule : set.rules) {
    for (const std::string& server : rule.servers) {
      EXPECT_EQ(target_named(server).family(), target().family()) << rule.name;
    }
    if (rule.component.empty()) continue;
    // Latent damage is never forgiven by default, nor is an element of what requests left passed
    // over.
    const ComponentMeaning meaning = meaning_of(rule.component, target().components());
    EXPECT_FALSE(is_damage(meaning)) << rule.name;
    if (rule.kind == RuleKind::kIncluded || rule.kind == RuleKind::kIgnore) {
      EXPECT_EQ(meaning, ComponentMeaning::kDerived) << rule.name;
    }
  }
}

TEST_P(EveryTarget, HasATrialInputThatItCanBeStartedFor) {
  const std::string text = target().trial_input();
  const std::vector<Input> inputs = text.empty()
                                        ? read_inputs(target().hunted_inputs(), languages())
                                        : parse_inputs(text, "trial", languages());
  ASSERT_FALSE(inputs.empty());
  EXPECT_EQ(target_named(inputs.front().server()).family(), target().family());
  EXPECT_GE(inputs.front().clients.size(), 2U);
}

TEST_P(EveryTarget, AddsNoOptionThatTheInputGivesItself) {
  Input input;
  input.language = &target().language();
  input.clients.resize(2);
  input.server_options = target().options_for(input);
  EXPECT_EQ(server_options(target(), input), input.server_options);
}

TEST_P(EveryTarget, MakesAClientThatIsNotConnected) {
  const std::unique_ptr<Client> client = target().make_client(0);
  EXPECT_FALSE(client->connected());
  EXPECT_EQ(client->socket_fd(), -1);
}

TEST_P(EveryTarget, NamesTheVersionInALineOfAnotherFormByTheLine) {
  EXPECT_EQ(target().version_name("another kind of line"), "another kind of line");
}

// Requests, and how to run them, in files that stay in their folder.
TEST_P(EveryTarget, ExportsEachClientsRequests) {
  Input input;
  input.language = &target().language();
  input.setup = {"the setup"};
  input.clients = {{"A", {}, {{"first of A", false}}}, {"B", {}, {{"first of B", false}}}};
  const ExportPieces pieces = target().export_pieces({input, {"--an-option=1"}});
  std::string all;
  for (const auto& [name, text] : pieces.files) {
    EXPECT_EQ(name.find('/'), std::string::npos) << name;
    all += text;
  }
  for (const char* text : {"the setup", "first of A", "first of B"}) {
    EXPECT_THAT(all, HasSubstr(text));
  }
  EXPECT_THAT(pieces.by_hand, HasSubstr("--an-option=1"));
  EXPECT_TRUE(pieces.statement_end.ends_with("\n"));
}

TEST(Registry, TheServersOfTheDocumentationHaveMoreThanAFewInputs) {
  for (const char* name : {"mariadb", "memcached"}) {
    EXPECT_GT(read_inputs(target_named(name).hunted_inputs(), languages()).size(), 10U) << name;
  }
}

TEST(MariadbTarget, TakesTheVersionFromTheServersLine) {
  const Target& target = target_named("mariadb");
  EXPECT_EQ(
      target.version_name(
          "/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64"),
      "10.11.19-MariaDB-0+deb12u1");
  EXPECT_EQ(target.version_name("x Ver 9"), "9");
}

TEST(Registry, TheFirstTargetIsTheDefault) {
  EXPECT_EQ(&default_target(), targets().front());
  EXPECT_EQ(&target_of(""), &default_target());
  EXPECT_EQ(&target_of("/opt/anything"), &default_target());
}

TEST(Registry, AnUnknownNameIsRefusedWithTheNearestOne) {
  EXPECT_EQ(find_target("oracle"), nullptr);
  try {
    target_named("mariadbb");
    FAIL();
  } catch (const ServerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'mariadb'?"));
  }
}

TEST(Registry, AsksAProgramOnceForAllInputs) {
  const PrivateDirectory folder(fs::temp_directory_path());
  const fs::path program = folder.path() / "mysqld";
  const fs::path asked = folder.path() / "asked";
  const auto times_asked = [&](size_t inputs) {
    std::ofstream(program) << "#!/bin/sh\necho once >>" << asked.string() << "\n";
    fs::permissions(program, fs::perms::owner_all);
    fs::remove(asked);
    std::vector<Input> adapted(inputs);
    for (Input& input : adapted) input.language = &default_target().language();
    adapt_inputs(adapted, program.string());
    std::ifstream lines(asked);
    return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
  };
  EXPECT_GE(times_asked(1), 1);
  EXPECT_EQ(times_asked(100), times_asked(1));
  EXPECT_EQ(times_asked(0), 0);
}

TEST(Registry, AFolderOfServersNamesThoseOfTheFamily) {
  const PrivateDirectory folder(temporary_base());
  const auto put = [&](const fs::path& name) {
    const fs::path file = folder.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n";
    fs::permissions(file, fs::perms::owner_all);
  };
  put("new/usr/sbin/mariadbd");
  put("build/mysqld");
  put("cache/usr/bin/memcached");
  put("other/usr/bin/another");
  const auto places = [&](const fs::path& place, const char* server) {
    std::vector<std::string> names;
    for (const std::string& one : server_places(place.string(), target_named(server).family())) {
      names.push_back(fs::path(one).lexically_relative(folder.path()).string());
    }
    return names;
  };
  EXPECT_THAT(places(folder.path(), "mariadb"), testing::ElementsAre("build", "new"));
  EXPECT_THAT(places(folder.path(), "memcached"), testing::ElementsAre("cache"));
  EXPECT_THAT(places(folder.path() / "new", "mariadb"), testing::ElementsAre("new"));
  EXPECT_THAT(places(folder.path() / "other", "mariadb"), testing::IsEmpty());
  EXPECT_THAT(server_places("/no/such/mysqld", target_named("mysql").family()),
              testing::ElementsAre("/no/such/mysqld"));
}

TEST(Registry, TakesNoTwoTargetsOfOneName) {
  EXPECT_THROW(add_target(default_target()), std::logic_error);
}

}  // namespace
}  // namespace esox
