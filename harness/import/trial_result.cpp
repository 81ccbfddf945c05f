// SPDX-License-Identifier: Apache-2.0
// See trial_result.h.
#include "harness/import/trial_result.h"

#include <algorithm>
#include <array>
#include <set>

namespace esox {
namespace {

constexpr std::array kSensitivityNames = {"none", "existence", "failing", "clean"};

}  // namespace

const char* name_of(Sensitivity sensitivity) {
  return kSensitivityNames[static_cast<size_t>(sensitivity)];
}

Sensitivity sensitivity_of_name(const std::string& name) {
  const auto found = std::find(kSensitivityNames.begin(), kSensitivityNames.end(), name);
  return found == kSensitivityNames.end()
             ? Sensitivity::kNone
             : static_cast<Sensitivity>(found - kSensitivityNames.begin());
}

bool is_existence_error(uint32_t error) {
  // Of databases, tables, columns, keys, programs, triggers, events, users, roles, sequences,
  // constraints, partitions; and of a view whose table is gone.
  static const std::set<uint32_t> kErrors = {
      1007, 1008, 1049, 1050, 1051, 1054, 1060, 1061, 1072, 1091, 1109, 1146, 1176,
      1267, 1304, 1305, 1347, 1356, 1359, 1360, 1396, 1507, 1517, 1526, 1537, 1539,
      1576, 1826, 1959, 1975, 1976, 1977, 4031, 4089, 4091, 4092, 4093};
  return kErrors.contains(error);
}

}  // namespace esox
