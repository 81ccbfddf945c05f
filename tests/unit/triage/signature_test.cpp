// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/signature.h"

#include <gmock/gmock.h>

#include "tests/unit/triage/findings.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;

Finding base() {
  return finding_with(read_and_write(rows_reply({"1"}), {"1"}),
                      read_and_write(rows_reply({"1", "2"}), {"1"}));
}

DiagnosisFacts pair_of(const std::string& a, const std::string& b) {
  return {{a, b}, "", {}, {}};
}

// A diagnosed finding whose clients stood at these places.
Signature at_places(const std::string& cause, const std::vector<std::string>& places) {
  Finding finding = base();
  finding.cause = cause;
  std::string form = "SELECT a FROM t1 WHERE a > 1";  // another one for each first place
  for (char c = 'a'; c < places.front().front(); ++c) form += " AND b LIKE 'x' OR a IS NULL";
  finding.input.input.clients[0].requests[0].text = form;
  DiagnosisFacts diagnosis = pair_of("lock mutex in " + places.front(), "unlock mutex");
  diagnosis.places = places;
  return signature_of(finding, diagnosis);
}

TEST(Signature, IsTheSameWhateverTheTableTheEngineTheInputAndTheValues) {
  Finding other = base();
  other.id = "fedcba9876543210";
  other.input = {reader_and_writer("another", "accounts"), "InnoDB", "row-log"};
  other.seed = 1;
  other.hits = 99;
  EXPECT_EQ(signature_of(base(), std::nullopt).plain, signature_of(other, std::nullopt).plain);
}

TEST(Signature, DoesNotDependOnWhichClientIsNamedFirst) {
  Finding other = base();
  std::swap(other.input.input.clients[0], other.input.input.clients[1]);
  other.input.input.clients[0].name = "A";
  other.input.input.clients[1].name = "B";
  other.cause = "class semantic\nreply B1: result 1 rows missing\n";
  EXPECT_EQ(signature_of(base(), std::nullopt).plain, signature_of(other, std::nullopt).plain);
}

TEST(Signature, TellsTheDirectionOfADifferenceApart) {
  Finding other = base();
  other.cause = "class semantic\nreply A1: result 1 rows extra\n";
  EXPECT_NE(signature_of(base(), std::nullopt).plain, signature_of(other, std::nullopt).plain);
}

TEST(Signature, TellsClassesAndStatementsApart) {
  Finding latent = base();
  latent.cause = "class latent, latent\ncomponent rows:test.t1: missing\n";
  EXPECT_NE(signature_of(base(), std::nullopt).plain, signature_of(latent, std::nullopt).plain);
  Finding other = base();
  other.input.input.clients[1].requests[0].text = "DELETE FROM t1";
  EXPECT_NE(signature_of(base(), std::nullopt).plain, signature_of(other, std::nullopt).plain);
}

TEST(Signature, NamesWhatDiffersByKindOfStatementAndOfComponent) {
  Finding finding = base();
  finding.cause =
      "class semantic, latent\nreply A1: result 2 rows missing and extra\ncomponent "
      "answer:SELECT a: b FROM t1: missing\n";
  const std::string text = signature_of(finding, std::nullopt).text;
  EXPECT_THAT(text, HasSubstr("reply to SELECT: rows missing and extra\n"));
  EXPECT_THAT(text, HasSubstr("component answer: missing\n"));
  EXPECT_THAT(text, Not(HasSubstr("t1")));
}

TEST(Signature, ACriticalPairMattersOnceItIsKnown) {
  EXPECT_EQ(signature_of(base(), std::nullopt).critical, "");
  EXPECT_EQ(signature_of(base(), DiagnosisFacts{}).critical, "");
  const Signature one = signature_of(base(), pair_of("lock mutex in a", "unlock mutex in b"));
  const Signature two = signature_of(base(), pair_of("lock mutex in a", "unlock mutex in c"));
  EXPECT_NE(one.critical, "");
  EXPECT_NE(one.critical, two.critical);
  EXPECT_EQ(one.plain, two.plain);
}

TEST(Signature, UnderOneCriticalPairTheFormOfTheStatementsNoLongerMatters) {
  Finding other = base();
  other.input.input.clients[0].requests[0].text = "SELECT COUNT(*) FROM t1 WHERE a > 3";
  const DiagnosisFacts pair = pair_of("lock mutex in a", "unlock mutex in b");
  EXPECT_EQ(signature_of(base(), pair).critical, signature_of(other, pair).critical);
  EXPECT_NE(signature_of(base(), pair).plain, signature_of(other, pair).plain);
}

TEST(Signature, OfOneGravestDifferenceAndOneCommonPlaceAreOneFamily) {
  const std::string survives = "class latent, latent\ncomponent rows:test.t1: extra\n";
  const Signature one = at_places(survives, {"a < x", "flush < x"});
  const Signature other =
      at_places(survives + "component check:test.t1: extra\n", {"b < x", "flush < x"});
  EXPECT_FALSE(same_family(one, other)) << "damage is graver";
  EXPECT_TRUE(same_family(one, at_places(survives, {"b < x", "flush < x"})));
  EXPECT_FALSE(same_family(one, at_places(survives, {"b < x", "c < x"})));
  EXPECT_FALSE(same_family(
      one, at_places("class semantic\nreply A1: result 1 rows extra\n", {"b < x", "flush < x"})));
}

// Whoever writes beside them: the reads that no order explains are of the same form.
TEST(Signature, OfOneAnomalyByTheSameReadsAreOneFamily) {
  const auto seen = [](const std::string& name, const std::string& read, const std::string& write) {
    Finding finding = base();
    finding.cause = "class semantic\nanomaly " + name + "\n";
    finding.input.input.clients[0].requests[0].text = read;
    finding.input.input.clients[1].requests[0].text = write;
    finding.anomaly = {name, {"A1 -> B1: rw, A1 read a without 1, and B1 appended 1"}, true};
    return signature_of(finding, std::nullopt);
  };
  const Signature one = seen("G-single", "SELECT l FROM t1 WHERE id=1", "UPDATE t1 SET l=1");
  EXPECT_THAT(one.text, HasSubstr("reads G-single by SELECT"));
  EXPECT_TRUE(same_family(one, seen("G-single", "SELECT l FROM t2 WHERE id=2", "DELETE FROM t2")));
  EXPECT_FALSE(same_family(one, seen("G2-item", "SELECT l FROM t1 WHERE id=1", "DELETE FROM t1")));
  EXPECT_FALSE(same_family(one, seen("G-single", "SELECT l FROM t1 FOR UPDATE", "DELETE FROM t1")));
}

// ALTER TABLE and whoever writes, on one table.
TEST(Signature, OfOneHangAreOneFamilyByWhereItsClientsWait) {
  const auto hang = [](const std::string& unfinished, const std::vector<std::string>& waits,
                       const std::string& text) {
    Finding finding = base();
    finding.cause = "class hang\nunfinished: " + unfinished + "\n";
    finding.ending_detail = waits;
    finding.input.input.clients[0].requests[0].text = text;
    return signature_of(finding, std::nullopt);
  };
  const std::string stands = "  client A stands since point 7, at 'wait cond' in thr_lock";
  const std::string repeats =
      "  client B has repeated the same 9 operations; 900 of its waits timed out, the last in mdl";
  const Signature one = hang("A1", {stands, repeats}, "SELECT 1");
  EXPECT_TRUE(same_family(one, hang("B1", {repeats, stands}, "DELETE FROM t1")));
  EXPECT_FALSE(same_family(one, hang("B1", {stands}, "DELETE FROM t1")));
  EXPECT_FALSE(same_family(one, hang("B1",
                                     {stands,
                                      "  client B stands since point 9, at 'wait "
                                      "cond' in purge"},
                                     "DELETE FROM t1")));
  EXPECT_FALSE(
      same_family(hang("A1", {repeats}, "SELECT 1"), hang("A1", {repeats}, "DELETE FROM t1")));
}

TEST(Signature, OfOneCrashAreOneFamilyByWhereItDied) {
  const auto crash = [](const std::string& frames, const std::string& text) {
    Finding finding = base();
    finding.cause = "class crash\nsignal 11\n" + frames;
    finding.input.input.clients[0].requests[0].text = text;
    return signature_of(finding, std::nullopt);
  };
  const Signature one = crash("frame server+0x10\nframe run\n", "SELECT 1");
  EXPECT_TRUE(same_family(one, crash("frame server+0x10\nframe run\n", "DELETE FROM t1")));
  EXPECT_FALSE(same_family(one, crash("frame server+0x20\nframe run\n", "DELETE FROM t1")));
  EXPECT_FALSE(
      same_family(crash("frame run\n", "SELECT 1"), crash("frame run\n", "DELETE FROM t1")));
}

TEST(Signature, OfOneDeadlockAreOneFamilyByWhoCalledTheWait) {
  const auto deadlock = [](const std::string& caller, const std::string& text) {
    Finding finding = base();
    finding.cause = "class deadlock\nwaits: wait at server+0x10\n";
    finding.ending_detail = {"deadlock; all stacks:", "thread 7 (client B):",
                             "  #0 pthread_cond_wait+0x66 (cond.cpp:113)", "  #1 server+0x10"};
    if (!caller.empty()) finding.ending_detail.push_back("  #2 " + caller);
    finding.input.input.clients[0].requests[0].text = text;
    return signature_of(finding, std::nullopt);
  };
  const Signature one = deadlock("drop_table+0xa1", "SELECT 1");
  EXPECT_TRUE(same_family(one, deadlock("drop_table+0xa1", "DELETE FROM t1")));
  EXPECT_FALSE(same_family(one, deadlock("lock_table+0xa1", "DELETE FROM t1")));
  EXPECT_FALSE(same_family(deadlock("", "SELECT 1"), deadlock("", "DELETE FROM t1")));
}

TEST(Signature, OfTwoCommonPlacesAreOneFamilyIfBothTellOfReplies) {
  const std::string missing = "class semantic\nreply A1: result 1 rows missing\n";
  const std::string extra = "class semantic\nreply A1: result 1 rows extra\n";
  const std::string state = "class latent, latent\ncomponent rows:test.t1: extra\n";
  EXPECT_TRUE(
      same_family(at_places(missing, {"a < x", "b < x"}), at_places(extra, {"a < x", "b < x"})));
  EXPECT_FALSE(
      same_family(at_places(missing, {"a < x", "b < x"}), at_places(extra, {"a < x", "c < x"})));
  EXPECT_FALSE(
      same_family(at_places(missing, {"a < x", "b < x"}), at_places(state, {"a < x", "b < x"})));
}

// What an earlier esox has kept lacks the lines that further keys are made of.
TEST(Signature, OfAnEarlierEsoxIsOneFamilyByItsFormAndItsPair) {
  const Signature now =
      at_places("class latent, latent\ncomponent rows:test.t1: extra\n", {"a < x", "b < x"});
  const Signature before{"class latent, latent\ncomponent rows: extra\n", now.plain, ""};
  EXPECT_TRUE(same_family(before, now));
  EXPECT_THAT(family_keys(before), testing::SizeIs(1));
}

constexpr const char* kDiagnosis = R"({"critical": {"sentence": "Client A was switched out.",
  "switch": {"at": {"operation": "unlock mutex LOCK", "function": "f", "below": ""}},
  "moved": {"client": "A", "operation": "lock mutex mutex#12", "function": "store", "below": "cache"},
  "stacks": [{"client": "A", "frames": ["lock+0x7", "store+0x1", "work+0x2"]}],
  "other": {"operation": "lock mutex mutex#3", "function": "flush", "below": ""},
  "confirmed": %s}})";

std::string diagnosis(const std::string& confirmed) {
  std::string text = kDiagnosis;
  return text.replace(text.find("%s"), 2, confirmed);
}

TEST(DiagnosisFacts, ArePairedSortedAndWithoutNumbersOfObjects) {
  const auto facts = diagnosis_facts(diagnosis("true"));
  ASSERT_TRUE(facts);
  EXPECT_THAT(facts->critical_pair, testing::ElementsAre("lock mutex mutex in flush",
                                                         "lock mutex mutex in store in cache"));
  EXPECT_EQ(facts->sentence, "Client A was switched out.");
  EXPECT_THAT(facts->places, testing::ElementsAre("store+0x1 < work+0x2"));
}

TEST(DiagnosisFacts, OfAPairThatWasNotConfirmedAreNoSignature) {
  const auto facts = diagnosis_facts(diagnosis("false"));
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->critical_pair.empty());
}

TEST(DiagnosisFacts, AreNoneInWhatIsNoDiagnosis) {
  for (const char* text : {"", "{", "[]", "{\"critical\": 3}", "null", "{\"critical\": {}}"}) {
    EXPECT_FALSE(diagnosis_facts(text)) << text;
  }
  EXPECT_TRUE(diagnosis_facts("{\"critical\": null}")->critical_pair.empty());
}

}  // namespace
}  // namespace esox
