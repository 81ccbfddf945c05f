// SPDX-License-Identifier: Apache-2.0
// From files of memcached's requests to inputs.
#include "targets/memcached/text_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/input_error.h"
#include "targets/memcached/text_script.h"
#include "tests/unit/import/made_inputs.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::string> requests_in(const std::string& file) {
  std::vector<std::string> all;
  for (const ScriptRequest& one : read_text_script(file, "f.txt").requests) all.push_back(one.text);
  return all;
}

std::string refusal_of(const std::string& file) {
  try {
    read_text_script(file, "f.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

FilesImport import_requests(const std::vector<ImportFile>& files) {
  return read_again(import_text(files, {}));
}

TEST(TextScript, ReadsCommandsAndTheirData) {
  EXPECT_THAT(requests_in("get a\r\nset k 0 0 5\r\na\r\nbc\r\n\n# get b\nincr k 1"),
              ElementsAre("get a", "set k 0 0 5\na\r\nbc", "incr k 1"));
  EXPECT_THAT(requests_in("set k 0 0 5\nget l\nget k"), ElementsAre("set k 0 0 5\nget l", "get k"));
}

TEST(TextScript, CountsWhatItLeavesOut) {
  const ImportScript script = read_text_script(
      "set k 0 0 5 noreply\nget a\nwatch\nset k 0 0 2\na \nset k 0 0 0\n\nset k 0 0 "
      "1\n\xff\nget k\nquit\n",
      "f.txt");
  ASSERT_EQ(script.requests.size(), 1u);
  EXPECT_EQ(script.requests[0].line, 10);
  EXPECT_THAT(script.left_out, ElementsAre(Pair("a command that is not about data (quit)", 1),
                                           Pair("a command that is not about data (watch)", 1),
                                           Pair("its data is empty, or ends in a blank", 2),
                                           Pair("noreply: nobody knows when it has ended", 1),
                                           Pair("not UTF-8", 1)));
}

TEST(TextScript, LeavesOutALineThatIsNoRequestWithItsPlaceAndText) {
  const ImportScript script = read_text_script(
      "get a\nste k 0 0 1\n5\nset k 0 0\nms k 2 T30 T40\nms k 2 T30\n12\nmg k v c\n", "f.txt");
  std::vector<std::string> kept;
  for (const ScriptRequest& one : script.requests) kept.push_back(one.text);
  EXPECT_THAT(kept, ElementsAre("get a", "ms k 2 T30\n12", "mg k v c"));
  ASSERT_EQ(script.left_out.size(), 4u);
  std::string reasons;
  for (const auto& [reason, number] : script.left_out) reasons += reason + "\n";
  EXPECT_THAT(reasons, HasSubstr("f.txt:2: 'ste k 0 0 1': 'ste' is no memcached command"));
  EXPECT_THAT(reasons, HasSubstr("f.txt:3: '5': '5' is no memcached command"));
  EXPECT_THAT(reasons, HasSubstr("f.txt:4: 'set k 0 0': set with 3 arguments"));
  EXPECT_THAT(reasons, HasSubstr("f.txt:5: 'ms k 2 T30 T40': ms has the flag T twice"));
}

TEST(TextScript, RefusesAFileInWhichTooMuchOrAllIsNoRequest) {
  std::string lines = "get k\n";
  for (int i = 0; i < 20; ++i) lines += "SELECT " + std::to_string(i) + "\n";
  EXPECT_EQ(refusal_of(lines), "");
  EXPECT_THAT(refusal_of(lines + "SELECT 20\n"),
              HasSubstr("f.txt:22: 'SELECT 20': 'SELECT' is no"));
  EXPECT_THAT(refusal_of("\nSELECT 0\nSELECT 1\n"), HasSubstr("f.txt:2: 'SELECT 0'"));
}

TEST(TextScript, TellsWhatIsWrongAndWhere) {
  EXPECT_THAT(refusal_of("set k 0 0 9\n1\n"), HasSubstr("f.txt:1: set says 9 bytes, but the file"));
  EXPECT_THAT(refusal_of("set k 0 0 1\n12\n"),
              HasSubstr("f.txt:1: set says 1 bytes, but its data"));
  EXPECT_THAT(refusal_of("set k 0 0 -1\n"), HasSubstr("set says no number of bytes, but '-1'"));
  EXPECT_THAT(refusal_of("get\n"), HasSubstr("f.txt:1: 'get': get with 0 arguments"));
  EXPECT_THAT(refusal_of("set k 0 0 1"), HasSubstr("the file ends before"));
  EXPECT_THAT(refusal_of("# esox: server\n"), HasSubstr("f.txt:1: unknown mark"));
}

TEST(TextImport, OneFileIsCutIntoPairsOfOneKey) {
  const FilesImport result = import_requests(
      {{"k.txt", "set k 0 0 1\n5\nset l 0 0 1\n5\nincr k 1\nget l\nget k\n", false}});
  const Input pair = find(result, "incr k 1; | get k;");
  EXPECT_THAT(pair.setup, ElementsAre("set k 0 0 1\n5"));
  EXPECT_EQ(pair.server(), "memcached");
  EXPECT_EQ(pair.title, "k, line 5 | k, line 7");
  for (const ImportedInput& one : result.inputs)
    EXPECT_NE(requests_of(one.input), "get l; | get k;");
}

TEST(TextImport, SeveralFilesAreSessionsAtTheSameTime) {
  const FilesImport result = import_requests(
      {{"a.txt", "set k 0 0 1\n1\nincr k 1\nget k\n", false},
       {"b.txt", "# esox: setup\nset k 0 0 1\n9\n# esox: requests\nappend k 0 0 1\n5\n", false}});
  const Input whole = find(result, "set k 0 0 1\n1;incr k 1;get k; | append k 0 0 1\n5;");
  EXPECT_THAT(whole.setup, ElementsAre("set k 0 0 1\n9"));
  EXPECT_THAT(find(result, "set k 0 0 1\n1; | append k 0 0 1\n5;").setup,
              ElementsAre("set k 0 0 1\n9"));
  // The last `set` makes what was before it needless.
  EXPECT_THAT(find(result, "get k; | append k 0 0 1\n5;").setup,
              ElementsAre("set k 0 0 1\n1", "incr k 1"));
}

TEST(TextImport, UniqueNumbersAreAskedForAnew) {
  const FilesImport result =
      import_requests({{"a.txt", "set k 0 0 1\n1\ngets k\ncas k 0 0 1 77\n2\nget k\n", false},
                       {"b.txt", "incr k 1\ncas k 0 0 1 78\n3\n", false}});
  const Input pair = find(result, "cas k 0 0 1 {cas}\n2; | incr k 1;");
  EXPECT_THAT(pair.clients[0].setup, ElementsAre("gets k"));
  EXPECT_THAT(find(result, "get k; | incr k 1;").setup,
              ElementsAre("set k 0 0 1\n1", "gets k", "cas k 0 0 1 {cas}\n2"));
  // The second session never asked.
  EXPECT_THAT(find(result, "get k; | cas k 0 0 1 {cas}\n3;").clients[1].setup, IsEmpty());
  EXPECT_EQ(result.counts.stages.at("unique numbers that became {cas}"), 2u);
}

TEST(TextImport, MetaCommandsAreCutAndSlicedAsOthers) {
  const FilesImport result = import_requests(
      {{"a.txt", "ma k\nms k 2 T30\n12\nmg k v c\nms k 2 C77 I\n13\nmn\nmg k v\n", false},
       {"b.txt", "mg k v\nma k N0 D5\n", false}});
  const Input pair = find(result, "ms k 2 C{cas} I\n13; | ma k N0 D5;");
  EXPECT_THAT(pair.setup, ElementsAre("ms k 2 T30\n12"));
  EXPECT_THAT(pair.clients[0].setup, ElementsAre("gets k"));
  EXPECT_EQ(result.counts.stages.at("unique numbers that became {cas}"), 1u);
  for (const ImportedInput& one : result.inputs) {
    EXPECT_NE(requests_of(one.input), "mg k v; | mg k v;");
    EXPECT_NE(requests_of(one.input), "mn; | ma k N0 D5;");
  }
}

TEST(TextImport, AFlushEndsTheSetupAndConcernsEveryKey) {
  const FilesImport result =
      import_requests({{"a.txt", "set k 0 0 1\n1\nflush_all\nset l 0 0 1\n2\n", false},
                       {"b.txt", "get k l\n", false}});
  EXPECT_THAT(find(result, "flush_all; | get k l;").setup, ElementsAre("set k 0 0 1\n1"));
  EXPECT_THAT(find(result, "set l 0 0 1\n2; | get k l;").setup, IsEmpty());
}

}  // namespace
}  // namespace esox
