// SPDX-License-Identifier: Apache-2.0
// What counts of an element, as text: exact, for digests are made of it, and readable. The same
// texts as annotated_state.h gives, so that the two can be compared.
#pragma once

#include <string>
#include <vector>

#include "summaries/frozen/description.h"
#include "summaries/frozen/evaluator.h"

namespace esox {

// "'key', 7, conn_read": the fields in their order. What lies in memory that is not there reads
// (unreadable). Throws FrozenError.
std::string fields_text(const std::vector<FieldDescription>& fields, Evaluator& evaluator);

}  // namespace esox
