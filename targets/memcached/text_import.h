// SPDX-License-Identifier: Apache-2.0
// Files of memcached's requests become inputs, in the forms of sql_import.h; the objects are keys.
//
// One file: pairs of requests at most kWindow apart, of which one changes what the other uses, with
// nothing between that conflicts with the first; and runs of two, three and five requests against
// as many that follow them. Several files: whole sessions, and pairs across files. The setup is
// what changed the keys that the members use, from their last `set` on.
//
// A unique number that stands in a `cas` means nothing to another server: it becomes {cas}, and the
// client asks for one (gets) in its own setup, if its session did before.
#pragma once

#include <vector>

#include "inputs/import/files_import.h"
#include "inputs/import/selection.h"

namespace esox {

// Throws InputError: text_script.h, files_import.h.
FilesImport import_text(const std::vector<ImportFile>& files, SelectionLimits limits);

}  // namespace esox
