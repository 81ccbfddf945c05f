// SPDX-License-Identifier: Apache-2.0
// The grammar that docs/grammars.md shows is one, and does what the page says of it.
#include <gtest/gtest.h>

#include <set>

#include "base/yaml/file_text.h"
#include "tests/unit/generation/grammars.h"

namespace esox {
namespace {

std::string shown_grammar() {
  const std::string page = file_text(std::string(ESOX_SOURCES) + "/docs/grammars.md");
  const std::string begin = "```yaml\nserver: memcached";
  const size_t at = page.find(begin);
  if (at == std::string::npos) return "";
  const size_t first = page.find('\n', at) + 1;
  return page.substr(first, page.find("\n```", first) + 1 - first);
}

TEST(GrammarPage, ShowsAGrammarThatMakesInputs) {
  const auto grammar = grammar_of(shown_grammar());
  EXPECT_EQ(grammar->requests.size(), 5u);
  Maker maker(grammar);
  Rng random(1);
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const auto input = maker.fresh(maker.setup(random), {}, {}, random);
    ASSERT_TRUE(input);
    for (const InputClient& client : input->clients) {
      bool remembered = false;
      for (const Request& request : client.requests) {
        const std::string first = request.text.substr(0, request.text.find(' '));
        seen.insert(first);
        if (first == "cas") {
          EXPECT_TRUE(remembered);
        }
        remembered = remembered || first == "gets";
      }
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"get", "incr", "decr", "set", "gets", "cas"}));
}

}  // namespace
}  // namespace esox
