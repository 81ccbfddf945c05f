# SPDX-License-Identifier: Apache-2.0
# Installs the annotation library into a folder of its own, moves it, builds a project outside
# against it in both ways, and runs that without and with the library loaded.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_off what)
  run("${what}" ${ARGN})
  if(NOT output STREQUAL "off\n")
    message(FATAL_ERROR "${what} printed '${output}', not 'off'")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
run("install" ${CMAKE_COMMAND} --install ${BUILD} --component summary --prefix ${FOLDER}/first)
file(RENAME ${FOLDER}/first ${FOLDER}/moved)

run("configure" ${CMAKE_COMMAND} -S ${OUTSIDE} -B ${FOLDER}/build -G ${GENERATOR}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_PREFIX_PATH=${FOLDER}/moved)
run("build" ${CMAKE_COMMAND} --build ${FOLDER}/build)

set(ENV{PKG_CONFIG_PATH} ${FOLDER}/moved/lib/pkgconfig)
run("pkg-config" ${PKG_CONFIG} --cflags esox-summary)
string(STRIP "${output}" cflags)
separate_arguments(cflags)
run("compile" ${C_COMPILER} ${cflags} -Wall -Wextra -Werror -fno-pie -no-pie -o ${FOLDER}/by_hand
    ${OUTSIDE}/main.c)

expect_off("the C program" ${FOLDER}/build/outside_c)
expect_off("the C++ program" ${FOLDER}/build/outside_cxx)
expect_off("the program compiled by hand" ${FOLDER}/by_hand)
expect_off("the C program with the library and nobody listening"
           ${CMAKE_COMMAND} -E env LD_PRELOAD=${FOLDER}/moved/lib/esox/libesox_summary.so
           ${FOLDER}/build/outside_c)
