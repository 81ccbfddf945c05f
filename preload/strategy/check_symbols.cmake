# SPDX-License-Identifier: Apache-2.0
# Fails if ARCHIVE needs a symbol from outside that a library inside the server must not need.
# Allowed are esox's own symbols and the few that the compiler and libc provide everywhere; all else
# (operator new, std:: functions, exception and RTTI support, guards of statics, stdio) is an error.
execute_process(COMMAND ${NM} -u ${ARCHIVE} OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "nm could not read ${ARCHIVE}")
endif()

# It may need nothing at all; then the file must be the right one nonetheless.
execute_process(COMMAND ${NM} ${ARCHIVE} OUTPUT_VARIABLE defined)
if(NOT defined MATCHES " T _ZN4esox13make_strategy")
  message(FATAL_ERROR "${ARCHIVE} does not make strategies: is it the right file?")
endif()

set(own "_Z(N|NK|TVN|TVNK)4esox.*")
set(base "mem(cpy|move|set|cmp|chr)|strlen|__cxa_pure_virtual|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_")

string(REGEX MATCHALL " U [^\n]+" undefined "${listing}")
foreach(line IN LISTS undefined)
  string(SUBSTRING "${line}" 3 -1 symbol)
  if(NOT symbol MATCHES "^(${own}|${base})$")
    message(SEND_ERROR "${ARCHIVE} needs ${symbol}: not allowed inside the server")
  endif()
endforeach()
