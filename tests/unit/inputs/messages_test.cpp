// SPDX-License-Identifier: Apache-2.0
// Every error of the reader: it names file and line, what is wrong, and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "base/yaml/limits.h"
#include "inputs/limits.h"
#include "tests/unit/inputs/fixtures.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_inputs::kValid;
using testing_inputs::kValidGenerator;
using testing_inputs::message_of;
using testing_inputs::replaced;

struct Case {
  const char* name;
  std::string yaml;
  std::string where;   // beginning of the message
  std::string what;    // in the message
  std::string remedy;  // in the message
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::string changed(const std::string& from, const std::string& to) {
  return replaced(kValid, from, to);
}

std::string changed_generator(const std::string& from, const std::string& to) {
  return replaced(kValidGenerator, from, to);
}

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Nine levels of nine aliases each: 9^9 texts.
std::string alias_bomb() {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below +
            repeated(", " + below, 8) + "]\n";
  }
  return yaml;
}

const std::string kNineClients = repeated("  - requests: [SELECT 1]\n", kMaxInputClients + 1);

const Case kCases[] = {
    // YAML itself.
    {"BrokenYaml", "id: x\nclients: [\n", "f.yaml:", "not valid YAML", "check indentation"},
    {"Tab", "id: x\nclients:\n\t- name: A\n", "f.yaml:", "not valid YAML", "check indentation"},
    {"UnknownAlias", "id: *nobody\n", "f.yaml:1: ", "not valid YAML", "check"},
    {"AliasInItself", "id: x\nsetup: &s [a, *s]\n", "f.yaml:2: ", "inside the value it names",
     "write the value out"},
    {"AliasBomb", alias_bomb(), "f.yaml:", "expands to more than", "fewer aliases"},
    {"Deep", repeated("[", 40) + repeated("]", 40), "f.yaml:1: ", "nested deeper than 16",
     "needs 5"},
    {"VeryDeep", repeated("- ", 100000) + "x", "f.yaml:1: ", "nested deeper than 16", "needs 5"},
    {"KeyTwice", kValid + "title: other\n", "f.yaml:16: ", "'title' appears twice, first on line 2",
     "remove one"},
    {"KeyThatIsAList", "[a, b]: c\n", "f.yaml:1: ", "a key must be a plain word", "put quotes"},
    {"NotUtf8", "id: x\ntitle: caf\xe9\n", "f.yaml:2: ", "byte 0xe9 is not UTF-8", "save the file"},
    {"Utf16", std::string("i\0d\0:\0", 6), "f.yaml:1: ", "not UTF-8", "save the file"},
    {"TooLarge", "# " + std::string(kMaxFileBytes, 'x'), "f.yaml: ", "larger than 4 MB",
     "split it"},
    {"Empty", "", "f.yaml: ", "holds no input", "docs/writing-inputs.md"},
    {"OnlyComments", "# nothing\n---\n", "f.yaml: ", "holds no input", "docs/writing-inputs.md"},
    // Keys and types.
    {"UnknownKeyInClient", changed("    requests:\n      - I", "    reqests:\n      - I"),
     "f.yaml:10: ", "unknown key 'reqests' in client 'A'", "did you mean 'requests'?"},
    {"UnknownKeyInUnnamedClient", changed("name: B\n    requests", "nmae: B\n    requests"),
     "f.yaml:12: ", "unknown key 'nmae' in client 'B'", "did you mean 'name'?"},
    {"UnknownKeyInInput", changed("title", "description"), "f.yaml:2: ",
     "unknown key 'description' in input 'some/input'", "known are id, title, server, engines"},
    {"UnknownKeyInRequest", changed("ordered: f", "sorted: f"),
     "f.yaml:14: ", "unknown key 'sorted' in a request of client 'B'", "known are sql, ordered"},
    {"NoMapping", "- a\n- b\n", "f.yaml:1: ", "must be a mapping", "keys id, title"},
    {"TextAsFile", "just words\n", "f.yaml:1: ", "must be a mapping", "not a text"},
    {"ClientsAsMapping", "id: x\nclients: {A: {requests: [SELECT 1]}}\n", "f.yaml:2: ",
     "'clients' in input 'x' must be a list, not a mapping", "begin each entry with '- '"},
    {"ClientAsText", "id: x\nclients: [A]\n", "f.yaml:2: ", "client 'A' must be a mapping",
     "not a text"},
    {"RequestsAsText", "id: x\nclients:\n- requests: SELECT 1\n",
     "f.yaml:3: ", "'requests' in client 'A' must be a list, not a text", "begin each entry"},
    {"StatementSplitByColon", "id: x\nclients:\n- requests:\n  - SELECT a: b\n",
     "f.yaml:4: ", "a request of client 'A' must be a text", "put quotes around"},
    {"SetupSplitByColon", changed("  - CREATE", "  - SELECT x: y\n  - CREATE"), "f.yaml:6: ",
     "'setup' in input 'some/input' must be a text, not a mapping", "put quotes around"},
    {"StatementAsList", "id: x\nclients:\n- requests:\n  - [SELECT 1]\n",
     "f.yaml:4: ", "must be a text, not a list", "write it on the same line"},
    {"OrderedIsNoBoolean", changed("ordered: false", "ordered: maybe"),
     "f.yaml:14: ", "must be true or false, not 'maybe'", "true or false"},
    {"RequestWithoutSql", changed("sql: SELECT a FROM t1 ORDER BY a, ", ""),
     "f.yaml:14: ", "has no 'sql'", "add the statement"},
    // Ids, names, titles.
    {"NoId", changed("id: some/input\n", ""), "f.yaml:1: ", "has no 'id'", "add 'id:"},
    {"NullId", changed("id: some/input", "id:"), "f.yaml:1: ", "has no 'id'", "add 'id:"},
    {"IdIsAList", changed("id: some/input", "id: [a]"), "f.yaml:1: ", "id in input must be a text",
     "not a list"},
    {"IdClimbs", changed("some/input", "../../etc/passwd"), "f.yaml:1: ", "no safe file name",
     "use letters"},
    {"IdAbsolute", changed("some/input", "/etc/passwd"), "f.yaml:1: ", "no safe file name",
     "use letters"},
    {"IdEndsInSlash", changed("some/input", "some/"), "f.yaml:1: ", "no safe file name",
     "use letters"},
    {"IdHidden", changed("some/input", ".some"), "f.yaml:1: ", "no safe file name", "use letters"},
    {"IdLikeAnOption", changed("some/input", "a/-rf"), "f.yaml:1: ", "no safe file name",
     "use letters"},
    {"IdWithBlank", changed("some/input", "a b"), "f.yaml:1: ", "id 'a b'", "use letters"},
    {"IdWithNewline", changed("some/input", "\"a\\nb\""), "f.yaml:1: ", "id 'a\\nb'",
     "use letters"},
    {"IdTooDeep", changed("some/input", "a/b/c/d/e"), "f.yaml:1: ", "no safe file name",
     "up to 4 parts"},
    {"IdTooLong", changed("some/input", std::string(kMaxIdBytes + 1, 'x')),
     "f.yaml:1: ", "no safe file name", "160 bytes"},
    {"DuplicateId", kValid + "---\n" + kValid,
     "f.yaml:17: ", "id 'some/input' is already used at f.yaml:1", "choose another"},
    {"ClientNameUnsafe", changed("name: A", "name: A/B"), "f.yaml:8: ", "name 'A/B'",
     "use up to 64 letters"},
    {"ClientNameTwice", changed("name: B", "name: A"), "f.yaml:12: ", "two clients named 'A'",
     "rename one"},
    {"TitleOfTwoLines", changed("a title", "\"a\\ntitle\""), "f.yaml:2: ", "must be one line",
     "shorten it"},
    {"TitleTooLong", changed("a title", std::string(kMaxTitleBytes + 1, 'x')),
     "f.yaml:2: ", "one line of up to 300 bytes", "shorten it"},
    {"TitleWithPlaceholder", changed("a title", "on ${engine}"),
     "f.yaml:2: ", "title of input 'some/input' holds ${engine}", "remove it"},
    // Clients and requests.
    {"NoClients", "id: x\n", "f.yaml:1: ", "input 'x' has no 'clients'", "add at least one"},
    {"EmptyClients", "id: x\nclients: []\n", "f.yaml:2: ", "has no clients", "add at least one"},
    {"TooManyClients", "id: x\nclients:\n" + kNineClients, "f.yaml:11: ", "more than 8 clients",
     "to fewer"},
    {"NoRequests", "id: x\nclients:\n- name: A\n", "f.yaml:3: ", "client 'A' has no 'requests'",
     "add at least one statement"},
    {"EmptyRequests", "id: x\nclients:\n- requests: []\n", "f.yaml:3: ", "has no requests",
     "add at least one statement"},
    {"TooManyRequests", "id: x\nclients:\n- requests:\n" + repeated("  - SELECT 1\n", 65),
     "f.yaml:68: ", "more than 64 requests", "move what need not"},
    // Statements.
    {"EmptyRequest", changed("      - INSERT INTO t1 VALUES (1)", "      - ''"),
     "f.yaml:11: ", "empty statement in 'requests' of client 'A'", "write one or remove"},
    {"NullRequest", changed("      - INSERT INTO t1 VALUES (1)", "      -"), "f.yaml:12: ",
     "empty statement in 'requests' of client 'A'", "on this line or just above; write one"},
    {"OnlyACommentInSetup", changed("  - CREATE", "  - \"-- nothing\"\n  - CREATE"),
     "f.yaml:6: ", "empty statement in 'setup'", "write one or remove"},
    {"OnlyASemicolon", changed("[SELECT COUNT(*) FROM t1]", "[;]"),
     "f.yaml:15: ", "empty statement in 'observations'", "write one or remove"},
    {"NulByte", changed("[SELECT COUNT(*) FROM t1]", "[\"SELECT '\\0'\"]"),
     "f.yaml:15: ", "NUL byte", "CHAR(0)"},
    {"StatementTooLong",
     changed("      - INSERT",
             "      - SELECT '" + std::string(kMaxStatementBytes, 'x') + "'\n      - INSERT"),
     "f.yaml:11: ", "longer than 1 MB", "shorten it"},
    {"TooManySetupStatements", "id: x\nsetup:\n" + repeated("- DO 1\n", kMaxStatementsPerList + 1),
     "f.yaml:4099: ", "more than 4096 statements", "use fewer"},
    // Placeholders, engines, options.
    {"UnknownPlaceholder", changed("VALUES (1)", "VALUES (${number})"), "f.yaml:11: ",
     "unknown placeholder '${number}' in 'requests' of client 'A'", "only ${engine}"},
    {"PlaceholderInOtherCase", changed("ENGINE=${engine}", "ENGINE=${Engine}"),
     "f.yaml:6: ", "unknown placeholder '${Engine}'", "only ${engine}"},
    {"PlaceholderNotClosed", changed("VALUES (1)", "VALUES ('${')"),
     "f.yaml:11: ", "unknown placeholder", "only ${engine}"},
    {"EnginesWithoutPlaceholder", changed(" ENGINE=${engine}", ""),
     "f.yaml:3: ", "lists engines, but ${engine} stands nowhere", "write 'ENGINE=${engine}'"},
    {"UnknownEngine", changed("[Aria]", "[Arya]"), "f.yaml:3: ", "unknown engine 'Arya'",
     "did you mean 'Aria'?"},
    {"UnknownEngineFarOff", changed("[Aria]", "[RocksDB]"),
     "f.yaml:3: ", "unknown engine 'RocksDB'", "known are Aria, MyISAM, InnoDB, MEMORY"},
    {"EngineTwice", changed("[Aria]", "[Aria, aria]"), "f.yaml:3: ", "listed twice", "remove one"},
    {"EnginesAsText", changed("[Aria]", "Aria"), "f.yaml:3: ", "'engines' in input", "list"},
    {"OptionWithoutDashes", changed("--concurrent-insert=2", "concurrent-insert=2"),
     "f.yaml:4: ", "must have the form --name", "--name=value"},
    {"OptionWithBlank", changed("--concurrent-insert=2", "--a b"), "f.yaml:4: ", "'--a b'",
     "without blanks"},
    {"ReservedOption", changed("--concurrent-insert=2", "--datadir=data"),
     "f.yaml:4: ", "'--datadir=data' is esox's own", "remove it"},
    {"ReservedOptionInDisguise", changed("--concurrent-insert=2", "--loose_data=x"),
     "f.yaml:4: ", "esox's own to give (--datadir)", "remove it"},
    {"ReservedNetworking", changed("--concurrent-insert=2", "--skip_networking=0"),
     "f.yaml:4: ", "esox's own to give (--skip-networking)", "remove it"},
    {"OptionWithPath", changed("--concurrent-insert=2", "--general-log-file=/etc/x"),
     "f.yaml:4: ", "names a path", "bare file name"},
    {"OptionWithPlaceholder", changed("--concurrent-insert=2", "\"--a=${b}\""),
     "f.yaml:4: ", "unknown placeholder '${b}'", "only ${engine}"},
    // Lists of inputs.
    {"EmptyInputs", "inputs: []\n", "f.yaml:1: ", "'inputs' is empty", "add at least one"},
    {"NullInputs", "inputs:\n", "f.yaml:1: ", "has no 'inputs'", "add at least one"},
    {"InputsWithOtherKeys", "inputs: []\nsetup: []\n", "f.yaml:2: ", "unknown key 'setup'",
     "known are inputs"},
    // Generators.
    {"GenerateOther", changed_generator("pairs", "fours"),
     "f.yaml:1: ", "must be 'pairs' or 'triples', not 'fours'", "'pairs'"},
    {"GeneratorIdsTooLong",
     "generate: triples\nid: " + std::string(40, 'x') +
         "\nshapes:\n- {name: " + std::string(40, 'a') + ", writes: true, sql: x}\n",
     "f.yaml:1: ", "ids of more than 160 bytes", "shorten"},
    {"UnknownKeyInGenerator", changed_generator("setup", "clients"),
     "f.yaml:2: ", "unknown key 'clients' in the generator", "known are"},
    {"UnknownKeyInShape", changed_generator("    writes:", "    write:"),
     "f.yaml:6: ", "unknown key 'write' in shape 'add'", "did you mean 'writes'?"},
    {"ShapeWithoutWrites", changed_generator("    writes: true\n", ""),
     "f.yaml:5: ", "shape 'add' has no 'writes'", "say 'writes: true'"},
    {"ShapeWithoutSql", changed_generator("    sql: INSERT INTO t1 VALUES (1)\n", ""),
     "f.yaml:5: ", "shape 'add' has no 'sql'", "add the statement"},
    {"ShapeWithoutName", changed_generator("name: add", "name:"), "f.yaml:5: ", "has no 'name'",
     "add 'name"},
    {"ShapeNameAmbiguous", changed_generator("name: add", "name: a--b"),
     "f.yaml:5: ", "name 'a--b' of a shape", "single '-'"},
    {"ShapeNameTwice", changed_generator("name: add", "name: read"),
     "f.yaml:5: ", "two shapes are named 'read', the other at f.yaml:4", "rename one"},
    {"NoShapes", "generate: pairs\n", "f.yaml:1: ", "has no 'shapes'", "add the list"},
    {"NoWriter", changed_generator("true", "false"), "f.yaml:1: ", "no shape writes",
     "'writes: true'"},
    {"TooManyShapes",
     "generate: pairs\nshapes:\n" + repeated("- {name: a, writes: true, sql: x}\n", kMaxShapes + 1),
     "f.yaml:203: ", "more than 200 shapes", "split the generator"},
    {"GeneratorEnginesWithoutPlaceholder", kValidGenerator + "engines: [Aria]\n",
     "f.yaml:8: ", "lists engines, but", "remove 'engines'"},
    {"GeneratorIdUnsafe", kValidGenerator + "id: a/b\n", "f.yaml:8: ", "no safe file name",
     "use up to 64"},
};

class Messages : public testing::TestWithParam<Case> {};

TEST_P(Messages, NameTheFileTheLineAndTheRemedy) {
  const Case& c = GetParam();
  const std::string message = message_of(c.yaml);
  EXPECT_THAT(message, StartsWith(c.where));
  EXPECT_THAT(message, HasSubstr(c.what));
  EXPECT_THAT(message, HasSubstr(c.remedy));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Reader, Messages, testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Messages, TheValidTextsOfTheseTestsAreValid) {
  EXPECT_EQ(message_of(kValid), "");
  EXPECT_EQ(message_of(kValidGenerator), "");
}

TEST(Messages, AGeneratorThatWouldFillTheMemoryIsRefused) {
  std::string yaml =
      "generate: pairs\nsetup: [\"SELECT '" + std::string(500000, 'x') + "'\"]\nshapes:\n";
  for (int i = 0; i < 60; ++i) {
    yaml += "- {name: s" + std::to_string(i) + ", writes: true, sql: DO 1}\n";
  }
  EXPECT_THAT(message_of(yaml), HasSubstr("the generator's inputs would take more than 64 MB"));
}

TEST(InputErrorText, EscapesControlCharactersAndShortens) {
  EXPECT_EQ(in_quotes("a\n\x1b[1m\t"), "'a\\n\\x1b[1m\\t'");
  EXPECT_EQ(in_quotes(std::string(59, 'x') + "\xc3\xa9more"), "'" + std::string(59, 'x') + "...'");
  const InputError error("f\n.yaml", 0, "m\r");
  EXPECT_STREQ(error.what(), "f\\n.yaml: m\\x0d");
  EXPECT_EQ(error.line(), 0);
}

}  // namespace
}  // namespace esox
