// SPDX-License-Identifier: Apache-2.0
// night.json: a NightReport as JSON, for programs; replaced whole while the night goes on.
#pragma once

#include <string>

#include "harness/nights/night/night_report.h"

namespace esox {

std::string night_json(const NightReport& night);

}  // namespace esox
