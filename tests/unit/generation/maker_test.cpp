// SPDX-License-Identifier: Apache-2.0
// Properties of inputs made: of the shipped grammars, with some of everything to name.
#include "inputs/generation/maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "inputs/generation/filling.h"
#include "inputs/generation/templates.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "tests/unit/generation/grammars.h"
#include "tests/unit/sanitized.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Mutation kAll[] = {Mutation::kRefill, Mutation::kReplace, Mutation::kInsert,
                             Mutation::kDelete, Mutation::kSwap,    Mutation::kMove,
                             Mutation::kWrap,   Mutation::kSplice,  Mutation::kComplete};

size_t requests_of(const Input& input) {
  size_t count = 0;
  for (const InputClient& client : input.clients) count += client.requests.size();
  return count;
}

std::string texts_of(const Input& input) {
  std::string all;
  for (const InputClient& client : input.clients) {
    for (const Request& request : client.requests) all += client.name + ": " + request.text + "\n";
  }
  return all;
}

void expect_well_made(const Input& input, const Grammar& grammar) {
  size_t states = 1;
  EXPECT_GE(input.clients.size(), 2u);
  EXPECT_LE(input.clients.size(), kMostMadeClients);
  std::set<std::string> names;
  const Templates templates(std::make_shared<const Grammar>(grammar));
  for (const InputClient& client : input.clients) {
    EXPECT_TRUE(names.insert(client.name).second);
    EXPECT_GE(client.requests.size(), 1u);
    EXPECT_LE(client.requests.size(), kMostMadeRequests);
    states *= client.requests.size() + 1;
    SessionItems session(grammar);
    for (const Request& request : client.requests) {
      EXPECT_EQ(grammar.language->complaint(request.text), "") << request.text;
      EXPECT_NE(grammar.language->kind(request.text), "");
      EXPECT_EQ(request.ordered, grammar.language->orders_rows(request.text));
      const auto known = templates.known(request.text, &session);
      ASSERT_TRUE(known) << request.text;
      EXPECT_TRUE(session.admit(*known->production, known->bindings)) << texts_of(input);
      session.pass(known->production, known->bindings, request.text);
    }
  }
  EXPECT_LE(states, kMostMadeStates);
}

class MakerTest : public testing::TestWithParam<std::string> {
 protected:
  MakerTest() : grammar_(shipped_grammar(GetParam())), maker_(grammar_) {}

  Input made() {
    for (;;) {
      const Input setup = maker_.setup(random_);
      if (auto input = maker_.fresh(setup, holdings_, {}, random_)) return *input;
    }
  }

  std::shared_ptr<const Grammar> grammar_;
  Maker maker_;
  Rng random_{11};
  Holdings holdings_ = rich_holdings();
};

TEST_P(MakerTest, SetupsAreWhatTheFormatTakes) {
  const size_t setups = repeated(100);
  std::set<std::vector<std::string>> different;
  for (size_t i = 0; i < setups; ++i) {
    const Input setup = maker_.setup(random_);
    EXPECT_FALSE(setup.setup.empty());
    for (const std::string& statement : setup.setup) {
      EXPECT_EQ(grammar_->language->complaint(statement), "") << statement;
      EXPECT_NE(grammar_->language->kind(statement), "");
    }
    different.insert(setup.setup);
  }
  EXPECT_GT(different.size(), setups / 5);
}

TEST_P(MakerTest, FreshInputsAreWellMadeAndAsTheFormatTakesThem) {
  for (size_t i = 0; i < repeated(100); ++i) {
    const Input input = made();
    expect_well_made(input, *grammar_);
    const std::vector<Input> read = parse_inputs(to_yaml(input), "made.yaml", languages());
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(texts_of(read[0]), texts_of(input));
  }
}

TEST_P(MakerTest, SameRandomNumbersSameInput) {
  const auto run = [&](uint64_t seed) {
    Maker maker(grammar_);
    Rng random(seed);
    std::string all;
    Input member = made();
    for (int i = 0; i < 30; ++i) {
      const Input setup = maker.setup(random);
      if (const auto input = maker.fresh(setup, holdings_, {}, random)) {
        all += to_yaml(*input);
        for (const Mutation how : kAll) {
          const auto mutant = maker.mutate(how, *input, holdings_, {}, random);
          all += mutant ? to_yaml(*mutant) : "none";
        }
      }
    }
    return all;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST_P(MakerTest, EveryRequestCanBeMadeAndIsKnownAgain) {
  const Templates templates(grammar_);
  Holdings holdings = grammar_->known;
  holdings.insert(holdings.end(), holdings_.begin(), holdings_.end());
  const Surroundings surroundings{.holdings = &holdings, .others = {"B"}};
  // A session that has all that a request could need.
  SessionItems session(*grammar_);
  Production giver;
  for (const NameType& type : grammar_->types) {
    if (!type.in_session || type.name.starts_with(kOnly)) continue;
    giver.gives.push_back({type.name, {Piece{.kind = Piece::Kind::kName, .text = "x"}}});
  }
  const Piece own{.kind = Piece::Kind::kName, .text = "x"};
  session.pass(&giver, {{&own, GetParam() == "memcached" ? "k1" : "t1"}}, "");
  for (const Production& production : grammar_->requests) {
    for (int i = 0; i < 10; ++i) {
      const auto text = fill(*grammar_, production.phrase, false, surroundings, session, random_);
      ASSERT_TRUE(text) << production.name;
      EXPECT_EQ(grammar_->language->complaint(grammar_->language->trimmed(*text)), "") << *text;
      const auto known = templates.known(grammar_->language->trimmed(*text));
      ASSERT_TRUE(known) << *text;
    }
  }
}

TEST_P(MakerTest, MutationsDoWhatTheySayAndKeepTheInputWellMade) {
  std::set<Mutation> seen;
  for (size_t i = 0; i < repeated(25); ++i) {
    const Input member = made();
    const Input other = made();
    MakingHelp help{.other = &other, .request = other.clients[0].requests[0].text};
    for (const Mutation how : kAll) {
      const auto mutant = maker_.mutate(how, member, holdings_, help, random_);
      if (!mutant) continue;
      seen.insert(how);
      SCOPED_TRACE(std::string(name_of(how)) + "\n" + texts_of(member) + "->\n" +
                   texts_of(*mutant));
      expect_well_made(*mutant, *grammar_);
      EXPECT_EQ(mutant->setup, member.setup);
      EXPECT_NE(texts_of(*mutant), texts_of(member));
      // What the session then does not admit is left out besides; what it is to end is ended.
      if (GetParam() != "memcached") continue;
      if (how == Mutation::kDelete) {
        EXPECT_LT(requests_of(*mutant), requests_of(member));
      }
      if (how == Mutation::kInsert) {
        EXPECT_LE(requests_of(*mutant), requests_of(member) + 1);
      }
      if (how == Mutation::kWrap) {
        EXPECT_LE(requests_of(*mutant), requests_of(member) + 2);
      }
      if (how == Mutation::kSwap || how == Mutation::kMove || how == Mutation::kRefill ||
          how == Mutation::kReplace) {
        EXPECT_LE(requests_of(*mutant), requests_of(member));
      }
    }
  }
  const std::set<Mutation> all(std::begin(kAll), std::end(kAll));
  EXPECT_EQ(seen, all);
}

TEST_P(MakerTest, AnotherSetupKeepsTheClients) {
  size_t made_anew = 0;
  for (int i = 0; i < 50; ++i) {
    const Input member = made();
    const auto mutant = maker_.mutate(Mutation::kSetup, member, holdings_, {}, random_);
    if (!mutant) continue;
    ++made_anew;
    EXPECT_EQ(texts_of(*mutant), texts_of(member));
    EXPECT_TRUE(mutant->setup != member.setup || mutant->server_options != member.server_options);
  }
  EXPECT_GT(made_anew, 25u);
}

INSTANTIATE_TEST_SUITE_P(Grammars, MakerTest, testing::ValuesIn(kGrammars),
                         [](const auto& one) { return one.param; });

// ---- By a grammar of the test's own.

const std::string kTwoKeys =
    "server: memcached\nnames: [key]\nsetups: {s: [get k]}\n"
    "known: {key: [k1, k2, k3, k4, k5, k6, k7, k8]}\n";

TEST(Maker, ClientsMeet) {
  Maker maker(grammar_of(kTwoKeys + "requests: {get: 'get {key}', delete: 'delete {key}'}\n"));
  Rng random(3);
  size_t met = 0;
  const size_t rounds = 500;
  for (size_t i = 0; i < rounds; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    std::set<std::string> first;
    for (const Request& request : input->clients[0].requests) {
      for (const std::string& name : input->language->names(request.text)) first.insert(name);
    }
    const std::string own = input->language->names(input->clients[1].requests[0].text).at(0);
    met += first.contains(own) ? 1 : 0;
  }
  // 0.7, and of the others as many as by chance: some 0.79.
  EXPECT_GT(met, rounds * 70 / 100);
  EXPECT_LT(met, rounds * 90 / 100);
}

TEST(Maker, WhatIsWantedIsTakenRather) {
  Maker maker(grammar_of(kTwoKeys + "requests: {get: 'get {key}', delete: 'delete {key}'}\n"));
  Rng random(3);
  const MakingHelp help{.wanted = [](std::string_view a, std::string_view b) {
    return a == "DELETE" && b == "GET" ? 1.0 : 0.05;
  }};
  size_t wanted = 0;
  size_t all = 0;
  for (int i = 0; i < 200; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, help, random);
    ASSERT_TRUE(input);
    if (!texts_of(*input).starts_with("A: get")) continue;
    for (const Request& request : input->clients[1].requests) {
      ++all;
      wanted += request.text.starts_with("delete") ? 1 : 0;
    }
  }
  EXPECT_GT(wanted, all * 8 / 10);
}

TEST(Maker, NeedsComeAfterWhatGivesThem) {
  Maker maker(grammar_of(kTwoKeys +
                         "session: [got]\n"
                         "requests:\n"
                         "  get: get {key}\n"
                         "  gets: {text: 'gets {key}', gives: 'got {key}'}\n"
                         "  cas: {text: \"cas {got} 0 0 1 {{cas}}\\n5\", ends: 'got {got}', "
                         "weight: 20}\n"));
  Rng random(3);
  size_t uses = 0;
  for (int i = 0; i < 300; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      std::set<std::string> got;
      for (const Request& request : client.requests) {
        const std::string name = input->language->names(request.text).at(0);
        if (request.text.starts_with("gets")) got.insert(name);
        if (!request.text.starts_with("cas")) continue;
        ++uses;
        EXPECT_EQ(got.erase(name), 1u) << texts_of(*input);
      }
    }
  }
  EXPECT_GT(uses, 50u);
}

TEST(Maker, ClientsOftenBeginWithWhatGivesTheirSessionSomething) {
  Maker maker(grammar_of(kTwoKeys + "session: [got]\n"
                                    "requests:\n"
                                    "  get: {text: 'get {key}', weight: 99}\n"
                                    "  gets: {text: 'gets {key}', gives: 'got {key}'}\n"));
  Rng random(3);
  size_t clients = 0;
  size_t opened = 0;
  size_t later = 0;
  for (int i = 0; i < 300; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      if (client.requests.size() < 2) continue;
      ++clients;
      opened += client.requests[0].text.starts_with("gets") ? 1 : 0;
      later += client.requests[1].text.starts_with("gets") ? 1 : 0;
    }
  }
  EXPECT_GT(opened * 5, clients);  // 0.3 and a hundredth
  EXPECT_LT(opened * 5, clients * 2);
  EXPECT_LT(later * 10, clients);
}

TEST(Maker, SomeClientsDoAWholeSequenceOnWhatItNamed) {
  Maker maker(grammar_of(kTwoKeys + "requests:\n"
                                    "  get: {text: 'get {key}', weight: 999}\n"
                                    "  touch: 'touch {key} 0'\n"
                                    "  delete: 'delete {key}'\n"
                                    "groups: {change: [touch, delete]}\n"
                                    "sequences:\n"
                                    "  s: [touch, get, change]\n"));
  Rng random(3);
  size_t clients = 0;
  size_t sequences = 0;
  size_t same_key = 0;
  for (int i = 0; i < 300; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      ++clients;
      if (!client.requests[0].text.starts_with("touch") || client.requests.size() < 2) continue;
      ++sequences;
      ASSERT_EQ(client.requests.size(), 3u);
      EXPECT_TRUE(client.requests[1].text.starts_with("get"));
      EXPECT_FALSE(client.requests[2].text.starts_with("get"));
      const auto key = [&](const Request& one) { return input->language->names(one.text); };
      same_key += key(client.requests[0]) == key(client.requests[1]) ? 1 : 0;
    }
  }
  EXPECT_GT(sequences * 100, clients * 35);  // 0.5, less where many states are there already
  EXPECT_LT(sequences * 100, clients * 55);
  EXPECT_GT(same_key * 100, sequences * 25);  // by chance one of eight
}

TEST(Maker, OfASequenceThereIsNothingForSomeRequestIsMadeInstead) {
  Maker maker(grammar_of(kTwoKeys + "session: [got]\n"
                                    "requests:\n"
                                    "  get: 'get {key}'\n"
                                    "  gets: {text: 'gets {key}', gives: 'got {key}'}\n"
                                    "  cas: {text: \"cas {got} 0 0 1 {{cas}}\\n5\"}\n"
                                    "sequences: {s: [get, cas]}\n"));
  Rng random(3);
  for (int i = 0; i < 100; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      ASSERT_FALSE(client.requests.empty());
      EXPECT_FALSE(client.requests[0].text.starts_with("cas"));
      if (client.requests.size() > 1 && client.requests[1].text.starts_with("cas")) {
        EXPECT_TRUE(client.requests[0].text.starts_with("gets"));
      }
    }
  }
}

TEST(Maker, ClientsThatAreNamedArePreparedAndNoOthers) {
  const auto grammar = grammar_of(kTwoKeys +
                                  "named_clients: \"set {client} 0 0 1\\n5\"\n"
                                  "requests: {get: 'get {key}', delete: 'delete {client}'}\n");
  Maker maker(grammar);
  Rng random(3);
  size_t named = 0;
  for (int i = 0; i < 100; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    const auto check = [&](const Input& one) {
      const std::string texts = texts_of(one);
      for (const InputClient& client : one.clients) {
        const bool is_named = texts.find("delete " + client.name) != std::string::npos;
        named += is_named ? 1 : 0;
        EXPECT_EQ(client.setup.size(), is_named ? 1u : 0u) << texts;
        EXPECT_EQ(texts.find(client.name + ": delete " + client.name), std::string::npos) << texts;
      }
    };
    check(*input);
    for (const Mutation how : kAll) {
      if (const auto mutant = maker.mutate(how, *input, {}, {}, random)) check(*mutant);
    }
  }
  EXPECT_GT(named, 50u);
}

TEST(Maker, WhatOthersWaitForIsMostlyEnded) {
  const auto grammar = grammar_of(kTwoKeys +
                                  "session: [held brief]\nrequests:\n  get: get {key}\n"
                                  "  begin: {text: mn, gives: held, weight: 5, unless: held}\n"
                                  "  end: {text: version, needs: held, ends: held}\n");
  Maker maker(grammar);
  Rng random(3);
  size_t begun = 0;
  size_t open = 0;
  for (int i = 0; i < 300; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      bool held = false;
      for (const Request& request : client.requests) {
        begun += request.text == "mn" ? 1 : 0;
        held = request.text == "mn" || (held && request.text != "version");
      }
      open += held ? 1 : 0;
    }
  }
  EXPECT_GT(begun, 200u);
  EXPECT_LT(open * 4, begun);
  EXPECT_GT(open, 0u);
}

TEST(Maker, WithoutWhatItNeedsARequestIsLeftOutByMutations) {
  const auto grammar = grammar_of(kTwoKeys +
                                  "session: [got]\nrequests:\n  get: get {key}\n"
                                  "  gets: {text: 'gets {key}', gives: 'got {key}'}\n"
                                  "  cas: {text: \"cas {got} 0 0 1 {{cas}}\\n5\"}\n");
  Maker maker(grammar);
  Rng random(3);
  Input member = maker.setup(random);
  member.clients = {{"A", {}, {{"gets k1"}, {"cas k1 0 0 1 {cas}\n5"}, {"get k2"}}},
                    {"B", {}, {{"get k1"}}}};
  bool left_out = false;
  for (int i = 0; i < 100; ++i) {
    const auto mutant = maker.mutate(Mutation::kDelete, member, {}, {}, random);
    if (!mutant) continue;
    const std::string texts = texts_of(*mutant);
    if (texts.find("gets") != std::string::npos) continue;
    left_out = true;
    EXPECT_THAT(texts, Not(HasSubstr("cas")));
  }
  EXPECT_TRUE(left_out);
}

TEST(Maker, ATemplateThatNearlyAlwaysFailsRestsForAWhile) {
  const auto grammar =
      grammar_of(kTwoKeys + "requests: {get: 'get {key}', delete: 'delete {key}'}\n");
  Maker maker(grammar);
  Rng random(3);
  const auto deletes = [&] {
    size_t count = 0;
    for (int i = 0; i < 50; ++i) {
      const auto input = maker.fresh(maker.setup(random), {}, {}, random);
      if (texts_of(*input).find("delete") != std::string::npos) ++count;
    }
    return count;
  };
  EXPECT_GT(deletes(), 10u);
  for (uint64_t i = 0; i < kTriesBeforeRest; ++i) maker.learn("delete k1", i % 20 == 0);
  EXPECT_EQ(deletes(), 0u);
  // Another maker that is told so knows it, too.
  Maker later(grammar);
  later.restore(maker.rates(), maker.made());
  EXPECT_EQ(later.rates(), maker.rates());
  later.restore(maker.rates(), maker.made() + kRest);
  size_t awake = 0;
  for (int i = 0; i < 50; ++i) {
    const auto input = later.fresh(later.setup(random), {}, {}, random);
    if (texts_of(*input).find("delete") != std::string::npos) ++awake;
  }
  EXPECT_GT(awake, 10u);
}

TEST(Maker, ATemplateThatNeverSucceedsRestsSoonerThanOneThatSometimesDoes) {
  Maker maker(grammar_of(kTwoKeys + "requests: {get: 'get {key}', delete: 'delete {key}'}\n"));
  Rng random(3);
  const auto has_delete = [&] {
    for (int i = 0; i < 50; ++i) {
      const auto input = maker.fresh(maker.setup(random), {}, {}, random);
      if (texts_of(*input).find("delete") != std::string::npos) return true;
    }
    return false;
  };
  for (uint64_t i = 1; i < kFailuresBeforeRest; ++i) maker.learn("delete k1", false);
  EXPECT_TRUE(has_delete());
  maker.learn("delete k1", false);
  EXPECT_FALSE(has_delete());
  for (uint64_t i = 0; i < kFailuresBeforeRest; ++i) maker.learn("get k1", i == 0);
  EXPECT_TRUE(maker.fresh(maker.setup(random), {}, {}, random)) << "all of its templates rest";
}

// ---- Templates of statements that somebody else wrote.

TEST(Maker, LearnsTemplatesWithNamesAndValuesAsSlots) {
  const auto grammar = shipped_grammar("mariadb");
  const Holdings holdings = rich_holdings();
  const auto learnt = [&](const std::string& text) {
    return learnt_of(*grammar, text, holdings).name;
  };
  EXPECT_EQ(learnt("select n from t1 where a = 5 and c like 'x%'"),
            "select {column} from {table} where {column b} = {value:int} and {column c} like "
            "{value:varchar}");
  EXPECT_EQ(learnt("insert into t1 select * from t2 where t2.id in (1, 2) limit 3"),
            "insert into {table} select * from {table 2} where {table 2}.{column 2} in "
            "({value:int}, {value:int}) limit 3");
  EXPECT_EQ(learnt("alter table t1 drop index ka, add d2 varchar(20)"),
            "alter table {table} drop index {index}, add d2 varchar(20)");
}

TEST(Maker, StatementsThatTheGrammarDoesNotMakeAreNotTakenForItsOwn) {
  const Templates templates(shipped_grammar("mariadb"));
  for (const std::string text :
       {"select * from t1", "SELECT a + 1 FROM t1", "SELECT * FROM t1 WHERE a = 5 GROUP BY b",
        "INSERT INTO t1 VALUES (1)", "SET GLOBAL max_connections = 5",
        "CHECK TABLE t1 EXTENDED, t2", ""}) {
    EXPECT_FALSE(templates.known(text)) << text;
  }
}

TEST(Maker, TaughtTemplatesAreFilledForWhatThereIs) {
  Maker maker(
      grammar_of("server: mariadb\nnames: [table, column of table]\n"
                 "values: {int: ['7'], default: ['8']}\n"
                 "setups: {s: [SELECT 1]}\nrequests: {a: SELECT 1}\n"));
  Input imported;
  imported.language = &language_of(languages(), "mariadb");
  imported.clients = {{"A", {}, {{"DELETE FROM x1 WHERE y1 = 5"}}}};
  maker.teach(imported, {{"table", "x1", "", ""}, {"column", "y1", "x1", "int"}});
  Rng random(1);
  const Holdings own = {{"table", "mine", "", ""}, {"column", "of_mine", "mine", "int"}};
  size_t filled = 0;
  for (int i = 0; i < 50; ++i) {
    const auto input = maker.fresh(maker.setup(random), own, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      for (const Request& request : client.requests) {
        if (request.text == "SELECT 1") continue;
        EXPECT_EQ(request.text, "DELETE FROM mine WHERE of_mine = 7");
        ++filled;
      }
    }
  }
  EXPECT_GT(filled, 10u);
}

}  // namespace
}  // namespace esox
