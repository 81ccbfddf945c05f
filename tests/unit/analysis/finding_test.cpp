// SPDX-License-Identifier: Apache-2.0
#include "analysis/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "analysis/nondeterminism.h"
#include "tests/unit/analysis/builders.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using test::bag;
using test::ok;
using test::outcome;
using test::record;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Finding stale_cache() {
  ExecutionRecord execution = test::StaleCache::execution();
  execution.choices = {{3, 1, 0}, {117, 0, 0}, {140, 1, 0}};
  execution.values = {0, UINT64_MAX, 7};
  const auto runs = test::StaleCache::serial_runs();
  const Masks masks = find_nondeterminism(runs);
  const Verdict verdict = judge(execution, runs, masks);
  Symbols symbols({});
  const ConcreteInput input = test::StaleCache::input();
  Finding finding = make_finding(input, execution, verdict, runs, masks,
                                 cause_of(execution, verdict, symbols, client_names(input.input)));
  finding.executions = 300;
  finding.hits = 4;
  finding.server = {"10.11.14-MariaDB", "/usr/sbin/mariadbd", {"--query-cache-type=1", "--x=#:"}};
  finding.esox_version = "0.1.0";
  finding.clock_base_ns = 1700000000000000000;
  finding.control = {{"step_limit", "1000000"}, {"weird: key", "null"}};
  return finding;
}

Finding round_trip(const Finding& finding) {
  return finding_from_yaml(finding_to_yaml(finding), "finding.yaml", known_servers());
}

std::string error_of(const std::string& yaml) {
  try {
    finding_from_yaml(yaml, "finding.yaml", known_servers());
  } catch (const FindingError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(Finding, KeepsAllThatReplayNeeds) {
  Finding written = stale_cache();
  written.input.input.structures = {{"s.yaml", "components:\n  - {name: \"a\"}\n"}};
  const Finding read = round_trip(written);
  EXPECT_EQ(read.input.input.structures, written.input.input.structures);
  EXPECT_EQ(read.id, written.id);
  EXPECT_EQ(read.cause, written.cause);
  EXPECT_EQ(read.verdict, VerdictClass::kLatent);
  EXPECT_TRUE(read.latent);
  EXPECT_EQ(read.hits, 4u);
  EXPECT_EQ(read.executions, 300u);
  EXPECT_EQ(read.first_execution, 17u);
  EXPECT_EQ(read.seed, 42u);
  EXPECT_EQ(read.strategy, "pct:d=3");
  ASSERT_EQ(read.choices.size(), 3u);
  EXPECT_EQ(read.choices[1].point, 117u);
  EXPECT_EQ(read.choices[2].thread, 1u);
  EXPECT_EQ(read.values, written.values);
  EXPECT_EQ(read.server.version, written.server.version);
  EXPECT_EQ(read.server.path, written.server.path);
  EXPECT_EQ(read.server.options, written.server.options);
  EXPECT_EQ(read.clock_base_ns, written.clock_base_ns);
  EXPECT_EQ(read.control, written.control);
  EXPECT_EQ(read.input.engine, "Aria");
  EXPECT_EQ(read.input.input.setup, written.input.input.setup);
  ASSERT_EQ(read.input.input.clients.size(), 2u);
  EXPECT_EQ(read.input.input.clients[1].requests[0].text,
            "INSERT INTO t1 (a) VALUES (10),(11),(12)");
  ASSERT_EQ(read.orders.size(), 2u);
  EXPECT_EQ(read.orders[1].order, (Order{1, 0}));
  EXPECT_EQ(read.orders[1].differing_requests, std::vector<std::string>{"A1"});
  EXPECT_EQ(read.orders[0].differing_components,
            std::vector<std::string>{"cached:SELECT a FROM t1"});
  EXPECT_TRUE(compare(read.outcome, written.outcome, {}).fully_matches());
}

TEST(Finding, KeepsWhichRequestsAreOneTransaction) {
  Finding written = stale_cache();
  written.input.input.isolation_level = "serializable";
  written.units = {{{0, 0, true}}, {{0, 0}}};
  const ExecutionRecord record = record_of(round_trip(written));
  EXPECT_EQ(record.units.of, written.units);
  EXPECT_TRUE(record.units.serial);
  for (const std::vector<std::vector<Unit>>& wrong : {std::vector<std::vector<Unit>>{{{0, 0}}},
                                                      {{{0, 1}}, {{0, 0}}},
                                                      {{{1, 0}}, {{0, 0}}},
                                                      {{}, {{0, 0}}},
                                                      {{{0, 0}, {0, 0}}, {{0, 0}}}}) {
    written.units = wrong;
    EXPECT_THAT(error_of(finding_to_yaml(written)), StartsWith("finding.yaml:"));
  }
}

TEST(Finding, WrittenAgainIsTheSameText) {
  const std::string once = finding_to_yaml(stale_cache());
  EXPECT_EQ(finding_to_yaml(finding_from_yaml(once, "f", known_servers())), once);
}

TEST(Finding, KeepsAnyBytesOfRepliesAndState) {
  test::RandomOutcomes random(11);
  for (int round = 0; round < 100; ++round) {
    Finding finding = stale_cache();
    finding.outcome = random.any();
    std::string bytes;
    for (size_t i = random.below(40); i > 0; --i) bytes += static_cast<char>(random.below(256));
    for (const char* text : {"~", "null", "true", "0x10", "- a", "a: b", "\xc2\x85", "\xef\xbb\xbf",
                             "\xe2\x80\xa8", "'\"\\", "\r\n", " x "}) {
      finding.outcome.outputs[0][0].results.push_back({{{text, "T"}}, {{text}, {Cell{}}, {bytes}}});
    }
    finding.outcome.outputs[0][0].results.push_back({{}, {{std::string(1, '\0')}, {}}});
    const Finding read = round_trip(finding);
    ASSERT_TRUE(compare(read.outcome, finding.outcome, {}).fully_matches());
    ASSERT_EQ(read.outcome.outputs[0][0].results, finding.outcome.outputs[0][0].results);
    for (size_t i = 0; i < finding.outcome.state.components.size(); ++i) {
      ASSERT_EQ(read.outcome.state.components[i].elements,
                finding.outcome.state.components[i].elements);
    }
  }
}

TEST(Finding, KeepsWhatComponentsMeanAndAsksTheServerOfOneThatDoesNot) {
  Finding finding = stale_cache();
  finding.outcome.state =
      make_summary({test::bag("check:test.t1", {"status: OK"}), test::bag("frozen:table", {"a"}),
                    test::bag("index:test.t1.k", {})});
  finding.outcome.state.components[1].meaning = ComponentMeaning::kDamage;
  const auto meanings = [](const Finding& read) {
    std::vector<ComponentMeaning> all;
    for (const Component& one : read.outcome.state.components) all.push_back(one.meaning);
    return all;
  };
  EXPECT_EQ(meanings(round_trip(finding)), meanings(finding));
  const std::string before =
      std::regex_replace(finding_to_yaml(finding), std::regex("\n *meaning: [a-z]+"), "");
  ASSERT_EQ(before.find("meaning"), before.npos) << before;
  EXPECT_EQ(meanings(finding_from_yaml(before, "f", known_servers())),
            (std::vector{ComponentMeaning::kDamage, ComponentMeaning::kContent,
                         ComponentMeaning::kDamage}));
  std::string wrong = finding_to_yaml(finding);
  wrong.replace(wrong.find("meaning: damage"), 15, "meaning: damaged");
  EXPECT_THAT(error_of(wrong), testing::HasSubstr("unknown meaning 'damaged'"));
}

TEST(Finding, KeepsEveryEnding) {
  Finding finding = stale_cache();
  for (auto kind : {EndingKind::kFinished, EndingKind::kCrash, EndingKind::kDeadlock,
                    EndingKind::kHang, EndingKind::kDegraded}) {
    finding.ending = kind;
    EXPECT_EQ(round_trip(finding).ending, kind);
  }
}

TEST(Finding, OfAServerThatIsNotKnownIsRefusedInWords) {
  Finding finding = stale_cache();
  std::string text = finding_to_yaml(finding);
  text.replace(text.find("server: \"mariadb\""), 17, "server: \"mariadc\"");
  EXPECT_THAT(error_of(text), testing::HasSubstr("did you mean 'mariadb'?"));
}

TEST(Finding, KeepsMasks) {
  Finding finding = stale_cache();
  finding.masks.outputs[{1, 2, OutputPart::kColumn, 3, 4}] = 5;
  finding.masks.outputs[{0, 0, OutputPart::kWarnings}] = 1;
  finding.masks.state[{"status", "Uptime"}] = 2;
  finding.masks.state[{"log", std::nullopt}] = 1;
  EXPECT_EQ(round_trip(finding).masks, finding.masks);
}

TEST(Finding, LongListsStandOnOneLine) {
  Finding finding = stale_cache();
  finding.choices.assign(5000, {});
  for (uint32_t i = 0; i < 5000; ++i) finding.choices[i] = {i, static_cast<ThreadId>(i % 2), 0};
  const std::string text = finding_to_yaml(finding);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 300);
  EXPECT_EQ(finding_from_yaml(text, "f", known_servers()).choices.size(), 5000u);
}

TEST(Finding, OfACrashHasNoTableButKeepsWhatTheOrdersGive) {
  ExecutionRecord execution = test::StaleCache::execution();
  execution.ending = {EndingKind::kCrash, {"[ERROR] mysqld got signal 11"}, 11, {}, {}};
  const auto runs = test::StaleCache::serial_runs();
  const Verdict verdict = judge(execution, runs, {});
  Symbols symbols({});
  const Finding read = round_trip(make_finding(test::StaleCache::input(), execution, verdict, runs,
                                               {}, cause_of(execution, verdict, symbols, {})));
  EXPECT_EQ(read.ending, EndingKind::kCrash);
  EXPECT_EQ(read.signal, 11);
  EXPECT_EQ(read.ending_detail, execution.ending.detail);
  ASSERT_EQ(read.orders.size(), 2u);
  EXPECT_FALSE(read.orders[0].outcome.outputs.empty());
}

TEST(Finding, LargeComponentsKeepTheirDigestAndSomeElements) {
  std::vector<std::string> values;
  for (int i = 0; i < 500; ++i) values.push_back(std::to_string(i));
  const Outcome value = outcome({ok()}, {bag("rows", values)});
  Finding finding = stale_cache();
  finding.outcome = make_finding(finding.input, record(value), {}, {}, {}, {}).outcome;
  const Finding read = round_trip(finding);
  EXPECT_EQ(read.outcome.state.components[0].elements.size(), kMaxFindingElements);
  EXPECT_EQ(read.outcome.state.components[0].count, 500u);
  EXPECT_TRUE(compare(value, read.outcome, {}).state_match());
}

// --- Replay --------------------------------------------------------------------------------------

TEST(MatchReplay, TheSameOutcomeIsTheSame) {
  const Finding finding = round_trip(stale_cache());
  EXPECT_TRUE(match_replay(test::StaleCache::execution(), finding).same);
}

TEST(MatchReplay, AnotherReplyStateOrEndingIsNamed) {
  const Finding finding = round_trip(stale_cache());
  const auto runs = test::StaleCache::serial_runs();
  const ReplayMatch state = match_replay(record(runs[0].first), finding);
  EXPECT_FALSE(state.same);
  EXPECT_EQ(state.why, "component cached:SELECT a FROM t1 differs");
  const ReplayMatch reply = match_replay(record(runs[1].first), finding);
  EXPECT_EQ(reply.why, "the reply to A1 differs: rows");
  ExecutionRecord crashed = test::StaleCache::execution();
  crashed.ending.kind = EndingKind::kCrash;
  EXPECT_EQ(match_replay(crashed, finding).why, "it ended as crash, not as finished");
}

TEST(MatchReplay, MaskedPlacesMayDiffer) {
  Finding finding = stale_cache();
  ExecutionRecord again = test::StaleCache::execution();
  again.outcome.outputs[1][0].insert_id = 77;
  EXPECT_FALSE(match_replay(again, finding).same);
  finding.masks.outputs[{1, 0, OutputPart::kInsertId}] = 1;
  EXPECT_TRUE(match_replay(again, finding).same);
}

TEST(MatchReplay, AComponentThatWasUnavailableThenAndNowIsNoDifference) {
  const auto gone = unavailable_component("check", ComponentKind::kMap, "error 2013");
  Finding finding = stale_cache();
  ExecutionRecord again = test::StaleCache::execution();
  finding.outcome.state.components.push_back(gone);
  again.outcome.state.components.push_back(gone);
  EXPECT_TRUE(match_replay(again, finding).same);
}

// --- Bad files -----------------------------------------------------------------------------------

TEST(FindingErrors, EveryTruncationIsRefusedAndNeverACrash) {
  const std::string whole = finding_to_yaml(stale_cache());
  for (size_t length = 0; length + 1 < whole.size(); length += 7) {
    const std::string cut = whole.substr(0, length);
    EXPECT_THAT(error_of(cut), StartsWith("finding.yaml:")) << length;
  }
}

TEST(FindingErrors, SayThatTheFileWasCutOff) {
  std::string text = finding_to_yaml(stale_cache());
  text.resize(text.find("end: finding"));
  EXPECT_THAT(error_of(text), HasSubstr("the file was cut off; restore the file"));
}

TEST(FindingErrors, NameFileLineFaultAndRemedy) {
  const std::string text = finding_to_yaml(stale_cache());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return error_of(changed.replace(at, from.size(), to));
  };
  const char* remedy = "; restore the file from where it was written, or hunt again";
  EXPECT_EQ(with("format: 1", "format: 2"),
            std::string("finding.yaml:1: format 2 is unknown, this esox reads format 1: use the "
                        "esox that wrote it") +
                remedy);
  EXPECT_EQ(with("class: latent", "class: wet"),
            std::string("finding.yaml:3: unknown class 'wet'") + remedy);
  EXPECT_EQ(with("latent: true", "latent: 7"),
            std::string("finding.yaml:4: expected true or false, not '7'") + remedy);
  EXPECT_THAT(with("hits: 4", "hits: -4"), HasSubstr("'-4' is not a number that fits here"));
  EXPECT_THAT(with("hits: 4", "hits: 99999999999999999999"), HasSubstr("not a number that fits"));
  EXPECT_THAT(with("hits: 4", "hitz: 4"), HasSubstr("unknown key 'hitz'"));
  EXPECT_THAT(with("hits: 4\n", ""), HasSubstr("the key 'hits' is missing"));
  EXPECT_THAT(with("[3, 1]", "[3]"), HasSubstr("expected a list of 2 values here"));
  EXPECT_THAT(with("[3, 1]", "[3, 99999]"), HasSubstr("'99999' is not a number that fits"));
  EXPECT_THAT(with("[3, 1]", "[300, 1]"), HasSubstr("the choices' points do not ascend"));
  EXPECT_THAT(with("digest: \"", "digest: \"zz"), HasSubstr("is not a digest of 32"));
  EXPECT_THAT(with("kind: multiset", "kind: heap"), HasSubstr("unknown kind 'heap'"));
  EXPECT_THAT(with("kind: finished", "kind: fine"), HasSubstr("unknown ending 'fine'"));
  EXPECT_THAT(with("clients: [0, 1]", "clients: [0, 9]"), HasSubstr("there is no client 9"));
  EXPECT_THAT(with("id: \"", "id: \"\n \""), HasSubstr("not valid YAML"));
}

// A mask without a key hides the whole component.
TEST(FindingErrors, NoTextIsNoKeyOfAMask) {
  Finding finding = stale_cache();
  finding.masks.state[{"status", "Uptime"}] = 2;
  std::string text = finding_to_yaml(finding);
  const std::string key = "\"Uptime\"";
  ASSERT_NE(text.find(key), std::string::npos);
  EXPECT_THAT(error_of(text.replace(text.find(key), key.size(), "~")),
              HasSubstr("expected a text here"));
}

TEST(FindingErrors, SayOfAPartWithoutItsNamesThatTheyAreMissing) {
  Finding finding = stale_cache();
  finding.operations.names = {{OpKind::kMutexLock, "mutex#1", "f", "f+0x1"}};
  finding.operations.of = {{0, 0}};
  const std::string text = finding_to_yaml(finding);
  const size_t names = text.find("    names:");
  const size_t of = text.find("    of:");
  ASSERT_LT(names, of);
  EXPECT_THAT(error_of(text.substr(0, names) + text.substr(of)),
              HasSubstr("the key 'names' is missing"));
}

TEST(FindingErrors, ForeignContentIsRefusedInOneLine) {
  for (const char* text : {"", "[]", "hello", "{}", "\t", "&a [*a]", "a: *b", "%x", "\xff\xfe",
                           "format: [1]", "? {a: b} : c"}) {
    const std::string error = error_of(text);
    EXPECT_THAT(error, AllOf(StartsWith("finding.yaml:"), Not(HasSubstr("\n")))) << text;
  }
}

TEST(FindingErrors, AnyDamagedByteIsReadOrRefusedButNeverACrash) {
  const std::string whole = finding_to_yaml(stale_cache());
  test::RandomOutcomes random(5);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    error_of(damaged);
  }
}

}  // namespace
}  // namespace esox
