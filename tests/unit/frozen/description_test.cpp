// SPDX-License-Identifier: Apache-2.0
// Descriptions: what they may say, and that every mistake is told with its line.
#include <random>

#include "base/text/input_error.h"
#include "base/yaml/file_text.h"
#include "tests/unit/frozen/fixtures.h"

namespace esox {
namespace {

using testing::HasSubstr;

const std::string kShipped = ESOX_STRUCTURES "/memcached.yaml";

std::string complaint(const std::string& yaml) {
  try {
    parse_structures(yaml, "s.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// One component, of which some lines are exchanged.
std::string component(const std::string& container = "{kind: list, root: head, next: next}",
                      const std::string& rest = "    fields: [it->key]\n",
                      const std::string& kind = "set") {
  return "components:\n  - name: c\n    kind: " + kind + "\n    container: " + container + "\n" +
         rest;
}

TEST(StructureDescription, TheShippedOneIsSound) {
  const auto shipped = parse_structures(file_text(kShipped), kShipped);
  EXPECT_GE(shipped.components.size(), 4u);
  EXPECT_EQ(shipped.constants.at("ITEM_CFLAGS"), 256);
}

TEST(StructureDescription, MistakesAreToldWithTheirLine) {
  EXPECT_EQ(complaint(component()), "");
  EXPECT_THAT(complaint("components: []"), HasSubstr("s.yaml:1: 'components' is empty"));
  EXPECT_THAT(complaint("component: []"), HasSubstr("did you mean 'components'?"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, nxt: next}")),
              HasSubstr("s.yaml:4: unknown key 'nxt' in the container of component 'c', a list; "
                        "did you mean 'next'?"));
  EXPECT_THAT(complaint(component("{kind: lists, root: head}")), HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(complaint(component("{kind: list, root: head}")), HasSubstr("has no 'next'"));
  EXPECT_THAT(complaint(component("{kind: list, root: head +, next: next}")),
              HasSubstr("s.yaml:4: 'root' of the container of component 'c', a list: the "
                        "expression ends too early, at column 7"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: a->b}")),
              HasSubstr("must be a member's name"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n, link: l}")),
              HasSubstr("'link' and no 'type'"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n}", "")),
              HasSubstr("has no 'fields'"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n}", "    fields: [1]\n", "map")),
              HasSubstr("a map without a 'key'"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n}",
                                  "    fields:\n      - {bytes: it->b}\n")),
              HasSubstr("s.yaml:6: a field in 'fields' of component 'c' has 'bytes' without"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n}",
                                  "    fields:\n      - {string: a, bytes: b, length: 1}\n")),
              HasSubstr("of two kinds"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n}",
                                  "    fields: [1]\n    repeat: {name: i, count: 2}\n")),
              HasSubstr("write {i} in its name"));
  EXPECT_THAT(
      complaint(component("{kind: list, root: head, next: n}", "    fields: [1]\n    limit: 0\n")),
      HasSubstr("s.yaml:6: 'limit' must be from 1"));
  EXPECT_THAT(complaint(component("{kind: list, root: head, next: n}",
                                  "    fields: [1]\n    meaning: damaged\n")),
              HasSubstr("s.yaml:6: unknown meaning 'damaged'; did you mean 'damage'?"));
  EXPECT_THAT(complaint("constants: {A: b}\n" + component()), HasSubstr("constant 'A' must be"));
  EXPECT_THAT(complaint(component() + component().substr(12)), HasSubstr("already used on line 2"));
}

TEST(StructureDescription, AnyChangeOfASoundOneIsReadOrRefused) {
  const std::string sound = file_text(kShipped);
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = sound;
    for (int changes = 0; changes < 3; ++changes) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text.erase(at, random() % 20);
      } else {
        text[at] = static_cast<char>(random() % 96 + 32);
      }
    }
    refused += complaint(text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace esox
