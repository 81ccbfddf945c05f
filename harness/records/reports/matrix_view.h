// SPDX-License-Identifier: Apache-2.0
// The matrix of kinds (kind_matrix.h) as the page shows it: a triangle, darker where the two kinds
// met at more places, marked where something was found.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/records/kind_matrix.h"

namespace esox {

inline constexpr size_t kMostMatrixKinds = 40;  // those with the most inputs

// Keys: some_kinds, kinds, rows (kind, cells (level, pairs, found, said)), kinds_left_out,
// matrix_lead.
void put_matrix(nlohmann::json& view, const KindMatrix& matrix);

}  // namespace esox
