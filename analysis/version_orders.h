// SPDX-License-Identifier: Apache-2.0
// Of a register (list_history.h) a read tells the last write alone: which orders of its versions
// may have been.
#pragma once

#include <vector>

#include "analysis/list_history.h"

namespace esox {

// The history with all versions of registers told, once for each order of them that may be; itself
// if it has none. Empty: there are more than 576 (two registers, four writers each), or nobody
// knows which writes took effect. Each transaction's writes stand together, for else there is a G0.
std::vector<ListHistory> orders_of_versions(const ListHistory& history);

}  // namespace esox
