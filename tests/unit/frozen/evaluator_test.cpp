// SPDX-License-Identifier: Apache-2.0
// Expressions: what they are worth, and that nothing but an error comes of nonsense.
#include "summaries/frozen/evaluator.h"

#include <random>

#include "tests/unit/frozen/fixtures.h"

namespace esox {
namespace {

using testing::HasSubstr;

class EvaluatorTest : public FrozenTest {
 protected:
  int64_t worth(const std::string& text) {
    return static_cast<int64_t>(evaluator_.number(evaluator_.evaluate(*parse_expression(text))));
  }

  std::string complaint(const std::string& text) {
    try {
      worth(text);
    } catch (const FrozenError& error) {
      return error.what();
    } catch (const Unreadable&) {
      return "unreadable";
    }
    return "";
  }

  std::map<std::string, int64_t> constants_ = {{"FLAG", 4}, {"MINUS", -1}};
  Evaluator evaluator_{program_, memory_, constants_, ""};
};

TEST_F(EvaluatorTest, BindsOperatorsAsCDoes) {
  EXPECT_EQ(worth("1 + 2 * 3"), 7);
  EXPECT_EQ(worth("(1 + 2) * 3"), 9);
  EXPECT_EQ(worth("1 << 2 + 1"), 8);
  EXPECT_EQ(worth("6 & 3 == 3"), 0);
  EXPECT_EQ(worth("10 - 3 - 2"), 5);
  EXPECT_EQ(worth("1 ? 0 ? 2 : 3 : 4"), 3);
  EXPECT_EQ(worth("0 || 1 && 0"), 0);
  EXPECT_EQ(worth("!0 + ~0"), 0);
  EXPECT_EQ(worth("-7 / 2"), -3);
  EXPECT_EQ(worth("-1 < 0"), 1);
  EXPECT_EQ(worth("0xff ^ 'a'"), 0xff ^ 'a');
  EXPECT_EQ(worth("1 << 64"), 0);
  EXPECT_EQ(worth("FLAG | green"), 5);
  EXPECT_EQ(worth("MINUS"), -1);
}

TEST_F(EvaluatorTest, ReadsVariablesMembersAndElements) {
  memory_.put(kBase, node(1));
  put_node(1, 77);
  memory_.put<int32_t>(kBase + 128 + 4, -5);
  memory_.put<uint8_t>(node(1) + 40, 0b10110'101);
  EXPECT_EQ(worth("head->key"), 77);
  EXPECT_EQ(worth("(*head).key"), 77);
  EXPECT_EQ(worth("numbers[1]"), -5);
  EXPECT_EQ(worth("*(numbers + 1)"), -5);
  EXPECT_EQ(worth("head->low"), -3);
  EXPECT_EQ(worth("head->high"), 0b10110);
  EXPECT_EQ(worth("&head->key - &head->color"), -1);
  EXPECT_EQ(worth("&head[1] == cast<node *>(cast<char *>(head) + sizeof(node))"), 1);
  EXPECT_EQ(worth("sizeof(struct node) + sizeof(numbers[0]) + sizeof(void *)"), 80 + 4 + 8);
  EXPECT_EQ(worth("cast<uint8_t>(0x1ff)"), 255);
  EXPECT_EQ(worth("cast<signed char>(0xff)"), -1);
  EXPECT_EQ(worth("*cast<int *>(&bare + 4)"), -5);
  EXPECT_EQ(worth("cast<node *>(anything) == 0"), 1);
}

TEST_F(EvaluatorTest, TakesOneSideOnlyUnlessItChecks) {
  EXPECT_EQ(worth("head != 0 && head->key == 1"), 0);
  EXPECT_EQ(worth("head ? head->key : 9"), 9);
  EXPECT_EQ(complaint("head->key"), "unreadable");
  evaluator_.check_everything();
  EXPECT_THAT(complaint("1 ? 2 : head->nothing"), HasSubstr("no member 'nothing'"));
}

TEST_F(EvaluatorTest, SaysWhatMakesNoSense) {
  EXPECT_THAT(complaint("head.key"), HasSubstr("write '->key'"));
  EXPECT_THAT(complaint("nobody + 1"), HasSubstr("no variable 'nobody'"));
  EXPECT_THAT(complaint("numbers->key"), HasSubstr("no struct"));
  EXPECT_THAT(complaint("*numbers[0]"), HasSubstr("no pointer"));
  EXPECT_THAT(complaint("*anything"), HasSubstr("cast<"));
  EXPECT_THAT(complaint("bare + 1"), HasSubstr("no debug information"));
  EXPECT_THAT(complaint("cast<struct node>(1)"), HasSubstr("cast to a number or a pointer"));
  EXPECT_THAT(complaint("ring + 1"), HasSubstr("is no number"));
  EXPECT_THAT(complaint("&3"), HasSubstr("no address"));
  EXPECT_THAT(complaint("f(1)"), HasSubstr("cannot be called"));
  EXPECT_THAT(complaint("1 +"), HasSubstr("ends too early"));
  EXPECT_THAT(complaint("1 2"), HasSubstr("unexpected text"));
  EXPECT_THAT(complaint("0x"), HasSubstr("no number"));
  EXPECT_THAT(complaint("a # b"), HasSubstr("column 3"));
  EXPECT_THAT(complaint(std::string(200, '(') + "1" + std::string(200, ')')),
              HasSubstr("too deeply"));
  EXPECT_THAT(complaint(std::string(5000, '1')), HasSubstr("longer than"));
  EXPECT_EQ(complaint("1 / 0"), "unreadable");
}

TEST_F(EvaluatorTest, EndsOnAnyText) {
  const std::vector<std::string> words = {
      "head", "->",   "next", "[",      "]",       "(",        ")",  "*",    "&",   "1",   "+",
      "?",    ":",    "-",    "/",      "cast",    "<",        ">",  "node", "%",   "0x1", "!",
      ".",    "ring", "'x'",  "sizeof", "buckets", "anything", "<<", "&&",   "key", "\\",  "\x01"};
  std::mt19937 random(1);
  int sound = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (int length = static_cast<int>(random() % 9) + 1; length > 0; --length) {
      text += words[random() % words.size()];
      if (random() % 2 == 0) text += ' ';
    }
    sound += complaint(text).empty() ? 1 : 0;
  }
  EXPECT_GT(sound, 1000);
}

}  // namespace
}  // namespace esox
