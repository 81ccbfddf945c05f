// SPDX-License-Identifier: Apache-2.0
// What the wall clock says, in UTC, as text; such texts compare as times do. It may jump: for
// people, dates and names only.
#pragma once

#include <string>

namespace esox {

std::string utc_now();        // "2026-11-22T02:00:00Z"
std::string utc_file_name();  // the same as part of a file's name: "2026-11-22T02-00-00Z"
std::string utc_date();       // "2026-11-22"

}  // namespace esox
