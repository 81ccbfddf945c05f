// SPDX-License-Identifier: Apache-2.0
// The answers that generic code gets about memcached's requests.
#include "targets/memcached/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/memcached/interface.h"

namespace esox {
namespace {

using testing::ElementsAre;

TEST(MemcachedLanguage, TellsCommandsKeysAndWhoIsGivenUniqueNumbers) {
  const RequestLanguage& language = memcached_language();
  EXPECT_EQ(language.kind("set K 0 0 1\n5"), "SET");
  EXPECT_THAT(language.names("set K 0 0 1\n5"), ElementsAre("k"));
  EXPECT_TRUE(language.gives_identities("gats 9 k"));
  EXPECT_FALSE(language.gives_identities("get k"));
  EXPECT_EQ(language.kind("ms K 1\n5"), "MS");
  EXPECT_THAT(language.names("mg Rk9P b v"), ElementsAre("foo"));
  EXPECT_THAT(language.names("mn"), ElementsAre());
  EXPECT_TRUE(language.gives_identities("mg k c"));
  EXPECT_FALSE(language.gives_identities("mg k v t"));
  EXPECT_EQ(language.complaint(language.harmless()), "");
}

TEST(MemcachedLanguage, TakesNoRequestForSqlWhateverItsWords) {
  const RequestLanguage& language = memcached_language();
  const std::vector<std::string> setup = {"set p 0 0 1\n1"};
  EXPECT_TRUE(language.is_one_step("get call", setup));
  EXPECT_TRUE(language.is_one_step("mg k N30 v", setup));
  // What its readers have left in an item no summary tells: no orders are taken for equal by one.
  EXPECT_TRUE(language.gives_identities("mg k h"));
  EXPECT_TRUE(language.gives_identities("mg k l"));
  EXPECT_EQ(language.session_effect("get @lock"), SessionEffect::kNone);
  EXPECT_TRUE(language.parts("get a b", "tables").empty());
  EXPECT_TRUE(language.parts("get a a", "keys").empty());
  EXPECT_FALSE(language.is_one_step("get a b a", setup)) << "its values cannot be told apart";
  EXPECT_TRUE(language.is_one_step("get a b", setup));
}

TEST(MemcachedComponents, AreContentButForAnswers) {
  EXPECT_EQ(meaning_of("items", memcached_components()), ComponentMeaning::kContent);
  EXPECT_EQ(meaning_of("observation:get k", memcached_components()), ComponentMeaning::kDerived);
}

}  // namespace
}  // namespace esox
