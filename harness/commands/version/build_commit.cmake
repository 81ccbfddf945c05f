# SPDX-License-Identifier: Apache-2.0
# Writes HEADER, which says what commit SOURCES are: COMMIT if it is given, else what git says, else
# that it is unknown. The file is left as it is if it says so already.
cmake_minimum_required(VERSION 3.25)

function(ask_git variable)
  execute_process(COMMAND git -C ${SOURCES} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE answer
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(${variable} "${answer}" PARENT_SCOPE)
  endif()
endfunction()

set(commit "${COMMIT}")
set(date "")
# Not the commit of another repository, in which these sources happen to lie.
if(NOT commit AND EXISTS ${SOURCES}/.git)
  ask_git(commit describe --always --exclude=* --abbrev=12 --dirty)
  ask_git(date log -1 --format=%cs)
endif()
if(NOT commit)
  set(commit unknown)
endif()

file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT "// Written by build_commit.cmake.
#pragma once

namespace esox {

inline constexpr const char* kBuildCommit = \"@commit@\";
inline constexpr const char* kBuildCommitDate = \"@date@\";

}  // namespace esox
")
