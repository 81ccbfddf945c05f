// SPDX-License-Identifier: Apache-2.0
// The stacks of all threads in an ending's detail, as harness/engine/run.cpp writes them: lines
// "thread 7 (client A):", then "  #0 function+0x1c (file.cc:8)". Pure.
#pragma once

#include <string>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

// The stack of thread `name` in an ending's detail, from the frame that made the call at `site` on:
// what lies within it is esox's own. All of it if that is not there; empty if its is not.
std::vector<std::string> stack_from(const std::vector<std::string>& detail, const std::string& name,
                                    const std::string& site);

// The function of the innermost frame that has a name ("name+0x1c ...") and not only a place in one
// of the modules ("mariadbd+0x81c20"); empty if none has.
std::string nearest_name(const std::vector<std::string>& frames,
                         const std::vector<Module>& modules);

}  // namespace esox
