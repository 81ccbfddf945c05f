// SPDX-License-Identifier: Apache-2.0
// The page with which an exported finding begins, for the server's own developers: what is wrong in
// the words of its statements, a script that shows it in a minute, the story in the names of
// functions, how to see it with gdb, which versions have it. What was not made is left out or said
// to be missing; each count is one that was measured.
//
// Pure.
#pragma once

#include <string>

#include "harness/findings/export/company.h"

namespace esox {

std::string readme_text(const Finding& finding, const FindingCompany& company,
                        const ExportPieces& pieces);

}  // namespace esox
