// SPDX-License-Identifier: Apache-2.0
// Does a server refuse what the finding asks? What was accepted where it was found and is answered
// with an error here in each serial order makes every question about the finding void: a server
// that does not know a statement cannot be wrong about it, and is not mended either.
#pragma once

#include <string>
#include <vector>

#include "analysis/finding.h"
#include "analysis/serial_run.h"

namespace esox {

// "A1 (OPTIMIZE TABLE t1): error 1064 (42000): ..." by the serial orders that were executed here;
// empty if nothing is refused in all of them.
std::string refused_request(const Finding& finding, const std::vector<SerialRun>& runs);

// Whether no order is left that was not executed.
bool are_all_orders(const Input& input, const std::vector<SerialRun>& runs);

}  // namespace esox
