// SPDX-License-Identifier: Apache-2.0
#include "base/process/find_program.h"

#include <gmock/gmock.h>

#include "base/process/server_error.h"

namespace esox {
namespace {

std::string complaint_about(const ProgramSearch& search) {
  try {
    find_program(search);
  } catch (const ServerError& error) {
    return error.what();
  }
  return "";
}

TEST(FindProgram, SaysWhereItLookedAndWhatToDo) {
  EXPECT_EQ(complaint_about({"", {"no-such-d"}, "/nowhere:/else", "install it"}),
            "no no-such-d in $PATH or /nowhere; install it");
}

TEST(FindProgram, NamesNoFolderWhereThereIsNone) {
  EXPECT_EQ(complaint_about({"", {"no-such-d"}, "", ""}), "no no-such-d in $PATH; give its path");
}

}  // namespace
}  // namespace esox
