// SPDX-License-Identifier: Apache-2.0
// Call sites as "program+0x1234": what they are called in a file that outlives the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

std::vector<std::string> site_names(const std::vector<uint64_t>& sites,
                                    const std::vector<Module>& modules);

// Names that mean nothing among these modules are left out.
std::vector<uint64_t> sites_named(const std::vector<std::string>& names,
                                  const std::vector<Module>& modules);

}  // namespace esox
