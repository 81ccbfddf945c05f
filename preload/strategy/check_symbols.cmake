# SPDX-License-Identifier: Apache-2.0
# Fails if ARCHIVE needs a symbol from outside that a library inside the server must not need.
# Allowed are esox's own symbols and the few that the compiler and libc provide everywhere; all else
# (operator new, std:: functions, exception and RTTI support, guards of statics, stdio) is an error.
execute_process(COMMAND ${NM} -u ${ARCHIVE} OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "nm could not read ${ARCHIVE}")
endif()

set(own "_Z(N|NK|TVN|TVNK)4esox.*")
set(base "mem(cpy|move|set|cmp|chr)|strlen|__cxa_pure_virtual|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_")

string(REGEX MATCHALL " U [^\n]+" undefined "${listing}")
set(members 0)
foreach(line IN LISTS undefined)
  string(SUBSTRING "${line}" 3 -1 symbol)
  math(EXPR members "${members} + 1")
  if(NOT symbol MATCHES "^(${own}|${base})$")
    message(SEND_ERROR "${ARCHIVE} needs ${symbol}: not allowed inside the server")
  endif()
endforeach()
if(members EQUAL 0)
  message(FATAL_ERROR "no undefined symbols at all in ${ARCHIVE}: is it the right file?")
endif()
