// SPDX-License-Identifier: Apache-2.0
#include "targets/annotated_program.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/process/private_directory.h"

namespace esox {
namespace {

TEST(IsAnnotated, TellsByWhatTheProgramAsksFor) {
  EXPECT_TRUE(is_annotated(ESOX_ANNOTATED_PROGRAM));
  EXPECT_FALSE(is_annotated("/bin/true"));
}

TEST(IsAnnotated, IsFalseForWhatIsNoProgram) {
  const PrivateDirectory folder(temporary_base());
  EXPECT_FALSE(is_annotated(folder.path()));
  EXPECT_FALSE(is_annotated(folder.path() / "none"));
  for (const char* text : {"", "#!/bin/sh\n", "\177ELF", "\177ELF\2\1\1 and then nothing of it"}) {
    const std::filesystem::path file = folder.path() / "file";
    std::ofstream(file) << text;
    EXPECT_FALSE(is_annotated(file)) << text;
  }
}

}  // namespace
}  // namespace esox
