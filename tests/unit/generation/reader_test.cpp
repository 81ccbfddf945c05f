// SPDX-License-Identifier: Apache-2.0
// What the reader of grammars takes and refuses, and how it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml/file_text.h"
#include "inputs/generation/limits.h"
#include "tests/unit/generation/grammars.h"
#include "tests/unit/mutator.h"

namespace esox {
namespace {

using testing::HasSubstr;

const std::string kHead = "server: memcached\nnames: [key]\nsetups: {s: [get k]}\n";

std::string refusal(const std::string& yaml) {
  try {
    grammar_of(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(GrammarReader, TakesWhatThePagesSay) {
  const auto grammar = grammar_of(kHead +
                                  "session: [got, 'open alone', 'inner in open brief', only key]\n"
                                  "known: {key: [k1, k2]}\n"
                                  "values: {default: ['1']}\n"
                                  "rules: {two: ['{key} {key 2}', x]}\n"
                                  "requests:\n"
                                  "  get: get {two}\n"
                                  "  gets: {text: 'gets {key}', gives: 'got {key}', weight: 3}\n"
                                  "  cas: {text: 'cas {got} 0 0 1 {{cas}}', ends: [got]}\n");
  ASSERT_EQ(grammar->requests.size(), 3u);
  EXPECT_EQ(grammar->requests[1].weight, 3u);
  EXPECT_EQ(grammar->requests[2].phrase.back().text, " 0 0 1 {cas}");
  EXPECT_EQ(grammar->requests[0].phrase.back().kind, Piece::Kind::kRule);
  EXPECT_TRUE(grammar->type("open")->alone);
  EXPECT_EQ(grammar->type("inner")->within, "open");
  EXPECT_TRUE(grammar->type("inner")->brief);
}

TEST(GrammarReader, OwnRulesAndRequestsTakeThePlaceOfIncludedOnes) {
  const auto grammar = parse_grammar(
      "server: memcached\ninclude: base.yaml\nrules: {r: [own]}\nrequests: {b: 'get {r}'}\n",
      "g.yaml", languages(), [](const std::string& name) -> std::string {
        EXPECT_EQ(name, "base.yaml");
        return "setups: {s: [get k]}\nrules: {r: [theirs]}\nrequests: {a: 'get {r}', b: get k}\n";
      });
  ASSERT_EQ(grammar->requests.size(), 2u);
  ASSERT_EQ(grammar->rules.size(), 1u);
  EXPECT_EQ(grammar->rules[0].phrases[0][0].text, "own");
  EXPECT_EQ(grammar->requests[1].phrase.back().kind, Piece::Kind::kRule);
}

TEST(GrammarReader, StepsOfASequenceAreRequestsAndWhatGroupsHave) {
  const auto grammar = parse_grammar(
      "server: memcached\ninclude: base.yaml\nrequests: {c: x}\ngroups: {both: [c, a]}\n", "g.yaml",
      languages(), [](const std::string&) -> std::string {
        return "setups: {s: [get k]}\nrequests: {a: x, b: y}\ngroups: {both: [a, b]}\n"
               "sequences: {s: {weight: 2, requests: [b, [both, b]]}}\n";
      });
  ASSERT_EQ(grammar->sequences.size(), 1u);
  EXPECT_EQ(grammar->sequences[0].weight, 2u);
  ASSERT_EQ(grammar->sequences[0].steps.size(), 2u);
  EXPECT_EQ(grammar->sequences[0].steps[0].requests, (std::vector<size_t>{1}));
  EXPECT_EQ(grammar->sequences[0].steps[1].requests, (std::vector<size_t>{2, 0, 1}));
}

TEST(GrammarReader, SaysWhereAndWhat) {
  const std::pair<std::string, std::string> cases[] = {
      {"names: [key]\n", "g.yaml:1: the grammar has no 'server'; add"},
      {"server: memcache\n", "g.yaml:1: unknown server 'memcache'; did you mean 'memcached'?"},
      {kHead, "has no 'requests'"},
      {kHead + "request: {}\n", "g.yaml:4: unknown key 'request' in the grammar; did you mean"},
      {kHead + "requests: {a: 'get {kye}'}\n",
       "no rule and no name is called 'kye'; did you mean 'key'?"},
      {kHead + "requests: {a: 'get {key'}\n", "g.yaml:4: request 'a': a brace has no other"},
      {kHead + "requests: {a: 'get }'}\n", "a brace has no other"},
      {kHead + "requests: {a: 'get {}'}\n", "names nothing"},
      {kHead + "requests: {a: 'get {Key}'}\n", "is no name of small letters"},
      {kHead + "requests: {a: 'get {key two}'}\n", "after its name a digit says"},
      {kHead + "requests: {a: 'get {key:}'}\n", "has no word of a detail"},
      {kHead + "requests: {a: 'get {letters}'}\n", "says no number of letters"},
      {kHead + "requests: {a: 'get {new value}'}\n", "cannot be new"},
      {kHead + "requests: {a: {text: x, weight: 0}}\n", "'weight' of request 'a' must be"},
      {kHead + "requests: {a: {text: x, needs: got}}\n", "'got' is not among 'session'"},
      {kHead + "session: [got]\nrequests: {a: 'get {got}'}\n",
       "needs 'got' of its session, which no request gives"},
      {kHead + "requests: {a: {txt: x}}\n", "unknown key 'txt' in request 'a'"},
      {kHead + "requests: {a: ''}\n", "request 'a' is empty"},
      {kHead + "requests: {a: [x]}\n", "must be a text, not a list"},
      {kHead + "rules: {r: ['{r}']}\nrequests: {a: 'get {r}'}\n", "rule r holds itself"},
      {kHead + "rules: {a: ['{b}'], b: ['{a}']}\nrequests: {c: x}\n", "holds itself"},
      {kHead + "rules: {key: [x]}\nrequests: {c: x}\n", "is a name and a rule"},
      {kHead + "rules: {value: [x]}\nrequests: {c: x}\n", "has a meaning of its own"},
      {kHead + "rules: {r: [x]}\nrequests: {c: '{r*}'}\n", "'r' is a rule; write {r} alone"},
      {kHead + "rules: {r: []}\nrequests: {c: x}\n", "rule 'r' has no phrase"},
      {kHead + "include: ../x.yaml\nrequests: {c: x}\n", "include"},
      {kHead + "include: x.yaml\nrequests: {c: x}\n", "includes 'x.yaml': no such file"},
      {kHead + "known: {keys: [x]}\nrequests: {c: x}\n", "'keys' is not among 'names'"},
      {kHead + "requests: {a: x}\nsequences: {s: [b]}\n",
       "g.yaml:5: sequence s: no request and no group is called 'b'"},
      {kHead + "requests: {get: x}\ngroups: {g: [gte]}\n",
       "group g: no request and no group is called 'gte'; did you mean 'get'?"},
      {kHead + "requests: {a: x}\ngroups: {a: [a]}\n", "'a' is a group and a request"},
      {kHead + "requests: {a: x}\nsequences: {s: []}\n", "has 0 requests; write 1 to 4"},
      {kHead + "requests: {a: x}\nsequences: {s: [a, a, a, a, a]}\n", "has 5 requests; write"},
      {kHead + "requests: {a: x}\nsequences: {s: [a, []]}\n", "has a step without a request"},
      {kHead + "requests: {a: x}\nsequences: {s: {weight: 2}}\n", "has no 'requests'"},
      {"server: mariadb\nsetups: {s: {statements: [x], server_options: [--port=1]}}\n"
       "requests: {c: x}\n",
       "is esox's own to give"},
  };
  for (const auto& [yaml, message] : cases) {
    EXPECT_THAT(refusal(yaml), HasSubstr(message)) << yaml;
    EXPECT_THAT(refusal(yaml), HasSubstr("g.yaml")) << yaml;
  }
}

TEST(GrammarReader, KeepsLimits) {
  std::string rules = "rules:\n  r0: ['{letters:1000}']\n";
  for (int i = 1; i < 20; ++i) {
    rules += "  r" + std::to_string(i) + ": ['{r" + std::to_string(i - 1) + "}{r" +
             std::to_string(i - 1) + "}']\n";
  }
  EXPECT_THAT(refusal(kHead + rules + "requests: {c: x}\n"), HasSubstr("can become longer than"));
  std::string slots;
  for (size_t i = 0; i <= kMostPieces; ++i) slots += "{key}";
  EXPECT_THAT(refusal(kHead + "requests: {c: '" + slots + "'}\n"), HasSubstr("more than 64 slots"));
  EXPECT_THAT(refusal(kHead + "requests: {c: '{letters:999999999}'}\n"), HasSubstr("up to 100000"));
}

TEST(GrammarReader, AGrammarThatIncludesItselfIsRefused) {
  const std::string text = "server: memcached\ninclude: g.yaml\n";
  EXPECT_THROW(parse_grammar(text, "g.yaml", languages(),
                             [&](const std::string&) { return std::string(text); }),
               InputError);
}

// Any bytes: a grammar or an InputError of one line.
TEST(GrammarReader, Fuzz) {
  const std::string folder = std::string(ESOX_SOURCES) + "/inputs/grammars/";
  const std::string seed = file_text(folder + "memcached.yaml");
  testing_mutations::Mutator mutator(7, "{}[]:,'\" \n*!-#&");
  size_t taken = 0;
  for (size_t i = 0; i < testing_mutations::rounds(400); ++i) {
    const std::string text = mutator.mutate(seed);
    try {
      const auto grammar = parse_grammar(text, "f.yaml", languages(),
                                         [&](const std::string&) { return std::string(seed); });
      Maker maker(grammar);
      Rng random(1);
      maker.fresh(maker.setup(random), {}, {}, random);
      ++taken;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(taken, 0u);
}

}  // namespace
}  // namespace esox
