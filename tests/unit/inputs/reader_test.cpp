// SPDX-License-Identifier: Apache-2.0
// What is read from good files: values, defaults, documents, folders; and the writer's round trip.
#include "inputs/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/yaml/limits.h"
#include "inputs/limits.h"
#include "inputs/writer.h"
#include "tests/unit/inputs/fixtures.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_inputs::kValid;
using testing_inputs::kValidGenerator;
using testing_inputs::message_of;
using testing_inputs::replaced;

Input only(const std::string& yaml) {
  const std::vector<Input> inputs = parse_inputs(yaml, "f.yaml", languages());
  EXPECT_EQ(inputs.size(), 1u);
  return inputs.at(0);
}

std::string minimal(const std::string& id) {
  return "id: " + id + "\nclients: [{requests: [SELECT 1]}]\n";
}

TEST(Reader, ReadsEveryKey) {
  const Input input = only(kValid);
  EXPECT_EQ(input.id, "some/input");
  EXPECT_EQ(input.title, "a title");
  EXPECT_EQ(input.origin, "f.yaml:1");
  EXPECT_THAT(input.engines, ElementsAre("Aria"));
  EXPECT_THAT(input.server_options, ElementsAre("--concurrent-insert=2"));
  EXPECT_THAT(input.setup, ElementsAre("CREATE TABLE t1 (a INT) ENGINE=${engine}"));
  ASSERT_EQ(input.clients.size(), 2u);
  EXPECT_EQ(input.clients[0].name, "A");
  EXPECT_THAT(input.clients[0].setup, ElementsAre("SET sql_mode=''"));
  EXPECT_EQ(input.clients[0].requests[0].text, "INSERT INTO t1 VALUES (1)");
  EXPECT_THAT(input.clients[1].setup, IsEmpty());
  EXPECT_EQ(input.clients[1].requests[0].text, "SELECT a FROM t1 ORDER BY a");
  EXPECT_FALSE(input.clients[1].requests[0].ordered);
  EXPECT_THAT(input.observations, ElementsAre("SELECT COUNT(*) FROM t1"));
}

TEST(Reader, FillsInWhatIsLeftOut) {
  const Input input = only(
      "id: x\nclients:\n- requests: [SELECT 1, SELECT a FROM t1 ORDER BY a]\n"
      "- setup:\n  requests: [SELECT 2]\nsetup:\n");
  EXPECT_EQ(input.title, "x");
  EXPECT_EQ(input.clients[0].name, "A");
  EXPECT_EQ(input.clients[1].name, "B");
  EXPECT_FALSE(input.clients[0].requests[0].ordered);
  EXPECT_TRUE(input.clients[0].requests[1].ordered);
  EXPECT_THAT(input.setup, IsEmpty());
  EXPECT_THAT(input.engines, IsEmpty());
}

TEST(Reader, ASingleClientIsAnInput) {
  EXPECT_EQ(only(minimal("x")).clients.size(), 1u);
}

TEST(Reader, EnginesAreSpeltOurWay) {
  EXPECT_THAT(only(replaced(kValid, "[Aria]", "[innodb, ARIA]")).engines,
              ElementsAre("InnoDB", "Aria"));
}

TEST(Reader, StatementsLoseBlanksAndSemicolonsAtTheEndsOnly) {
  const Input input = only("id: x\nclients:\n- requests:\n  - |\n    SELECT ';'\n      , 2 ;\n\n");
  EXPECT_EQ(input.clients[0].requests[0].text, "SELECT ';'\n  , 2");
}

TEST(Reader, AliasesShareASetup) {
  const Input input = only("id: x\nsetup: &s [DO 1, DO 2]\nclients: [{requests: *s}]\n");
  EXPECT_EQ(input.clients[0].requests.size(), 2u);
}

TEST(Reader, ReadsDocumentsListsAndGeneratorsInOneStream) {
  const auto inputs = parse_inputs(minimal("one") +
                                       "---\ninputs:\n- {id: two, clients: "
                                       "[{requests: [DO 1]}]}\n---\n" +
                                       kValidGenerator,
                                   "f.yaml", languages());
  std::vector<std::string> ids;
  for (const Input& input : inputs) ids.push_back(input.id);
  EXPECT_THAT(ids, ElementsAre("one", "two", "pairs/add--add", "pairs/add--read"));
}

TEST(Reader, TextsKeepTheirUnicode) {
  EXPECT_EQ(only(replaced(kValid, "a title", "caf\xc3\xa9 \xf0\x9f\x90\x9f")).title,
            "caf\xc3\xa9 \xf0\x9f\x90\x9f");
}

TEST(Reader, AFileWithAByteOrderMarkIsRead) {
  EXPECT_EQ(only("\xef\xbb\xbf" + minimal("x")).id, "x");
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "esox-inputs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path write(const std::string& name, const std::string& text) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }

  std::string failure(const fs::path& path) {
    try {
      read_inputs(path, languages());
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path root_;
};

TEST_F(Folder, IsReadInOrderAndRecursively) {
  write("b.yaml", minimal("b"));
  write("a/z.yml", minimal("az"));
  write("a/c/d.yaml", minimal("acd"));
  write("notes.txt", "not YAML: [");
  write(".hidden.yaml", "broken: [");
  write(".git/x.yaml", "broken: [");
  std::vector<std::string> ids;
  for (const Input& input : read_inputs(root_, languages())) ids.push_back(input.id);
  EXPECT_THAT(ids, ElementsAre("acd", "az", "b"));
}

TEST_F(Folder, AFileNamedTwiceIsReadOnce) {
  const fs::path file = write("a.yaml", minimal("a"));
  EXPECT_EQ(read_inputs({file, root_, root_ / "." / "a.yaml"}, languages()).size(), 1u);
}

TEST_F(Folder, OriginsNameTheFile) {
  const fs::path file = write("a.yaml", "\n\n" + minimal("a"));
  EXPECT_EQ(read_inputs(file, languages()).at(0).origin, file.string() + ":3");
}

TEST_F(Folder, IdsMustDifferOverFiles) {
  write("a.yaml", minimal("same"));
  write("b.yaml", minimal("same"));
  EXPECT_EQ(failure(root_), (root_ / "b.yaml").string() + ":1: id 'same' is already used at " +
                                (root_ / "a.yaml").string() + ":1; choose another");
}

TEST_F(Folder, OneBadFileFailsTheWhole) {
  write("a.yaml", minimal("a"));
  write("b.yaml", "id: [");
  EXPECT_THAT(failure(root_), HasSubstr("b.yaml:"));
}

TEST_F(Folder, OfAListWithOneThatIsWrongTheOthersAreReadWhereThatIsAskedFor) {
  write("a.yaml",
        "inputs:\n- {id: good, clients: [{requests: [SELECT 1]}]}\n- id: bad\n- {id: other, "
        "clients: [{requests: [SELECT 2]}]}\n");
  EXPECT_THAT(failure(root_), HasSubstr("a.yaml:3:"));
  std::vector<InputError> refused;
  const std::vector<Input> inputs = read_inputs({root_}, languages(), &refused);
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[1].id, "other");
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].line(), 3);
}

TEST_F(Folder, OfAListInWhichAllAreWrongTheFirstIsTold) {
  write("a.yaml", "inputs:\n- id: bad\n- id: worse\n");
  std::vector<InputError> refused;
  EXPECT_THROW(read_inputs({root_}, languages(), &refused), InputError);
}

TEST_F(Folder, WithoutYamlSaysSo) {
  EXPECT_THAT(failure(root_), HasSubstr("has no *.yaml file"));
}

TEST_F(Folder, MissingFileSaysSo) {
  EXPECT_EQ(failure(root_ / "no.yaml"),
            (root_ / "no.yaml").string() +
                ": no such file or folder; name a YAML file or a folder "
                "of them");
}

TEST_F(Folder, ADeviceIsNotRead) {
  EXPECT_THAT(failure("/dev/zero"), HasSubstr("is no regular file"));
}

// Root may read everything: this thread for a while only what its owner may.
class WithoutRootsRights {
 public:
  WithoutRootsRights() {
    syscall(SYS_capget, &head_, had_.data());
    Sets less = had_;
    for (__user_cap_data_struct& one : less) one.effective = 0;
    syscall(SYS_capset, &head_, less.data());
  }
  ~WithoutRootsRights() { syscall(SYS_capset, &head_, had_.data()); }
  WithoutRootsRights(const WithoutRootsRights&) = delete;
  WithoutRootsRights& operator=(const WithoutRootsRights&) = delete;

 private:
  using Sets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;
  __user_cap_header_struct head_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  Sets had_ = {};
};

TEST_F(Folder, AFileThatMayNotBeReadSaysSo) {
  const fs::path file = write("a.yaml", minimal("a"));
  fs::permissions(file, fs::perms::none);
  const WithoutRootsRights rights;
  EXPECT_THAT(failure(file), HasSubstr("cannot be opened: Permission denied; check its rights"));
}

TEST_F(Folder, ALargeFileIsRefused) {
  EXPECT_THAT(failure(write("a.yaml", std::string(kMaxFileBytes + 1, '#'))),
              HasSubstr("a.yaml: is larger than 4 MB; split it"));
}

TEST_F(Folder, ASymbolicLinkToItselfEnds) {
  write("a.yaml", minimal("a"));
  fs::create_directory_symlink(root_, root_ / "again");
  EXPECT_EQ(read_inputs(root_, languages()).size(), 1u);
}

TEST_F(Folder, DescriptionsOfStructuresAreReadBesideTheInputAndBecomePartOfIt) {
  write("s/mine.yaml", "components: 1\n");
  write("a.yaml", minimal("a") + "structures: [s/mine.yaml]\n");
  fs::rename(root_ / "s" / "mine.yaml", root_ / "s" / "mine");  // no input itself
  EXPECT_THROW(read_inputs(root_, languages()), InputError);
  write("a.yaml", minimal("a") + "structures: [s/mine]\n");
  const Input input = read_inputs(root_ / "a.yaml", languages()).at(0);
  ASSERT_EQ(input.structures.size(), 1u);
  EXPECT_EQ(input.structures[0].text, "components: 1\n");
  EXPECT_EQ(input.structures[0].file, (root_ / "s" / "mine").string());
  EXPECT_EQ(only(to_yaml(input)).structures, input.structures);
}

TEST(Writer, WhatItWritesIsReadAsTheSame) {
  for (const std::string& yaml : {kValid, kValidGenerator, minimal("x")}) {
    for (const Input& input : parse_inputs(yaml, "f.yaml", languages())) {
      Input again = only(to_yaml(input));
      again.origin = input.origin;
      EXPECT_EQ(again, input) << to_yaml(input);
    }
  }
}

TEST(Writer, SeveralInputsAreOneList) {
  const auto inputs = parse_inputs(minimal("a") + "---\n" + minimal("b"), "f.yaml", languages());
  auto again = parse_inputs(to_yaml(inputs), "f.yaml", languages());
  ASSERT_EQ(again.size(), 2u);
  for (size_t i = 0; i < 2; ++i) again[i].origin = inputs[i].origin;
  EXPECT_EQ(again, inputs);
}

TEST(Writer, AwkwardTextsSurvive) {
  Input input = only(minimal("x"));
  for (const char* text :
       {"null", "~", "true", "1", "- a", "SELECT 'a: b # c'", "{a}", "[a]", "SELECT \"\\\\ \\n\"",
        "SELECT '\n\n  x\ty\x01\x7f'", "!x", "&x", "*x", "%x", "@x",
        "SELECT '\xc3\xa9\xf0\x9f\x90\x9f\xe2\x80\xa8\xc2\x85'", "SELECT 'a\r\nb'"}) {
    input.clients[0].requests[0].text = text;
    input.setup = {text};
    const Input again = only(to_yaml(input));
    EXPECT_EQ(again.clients, input.clients) << to_yaml(input);
    EXPECT_EQ(again.setup, input.setup);
  }
}

}  // namespace
}  // namespace esox
