// SPDX-License-Identifier: Apache-2.0
// All inputs of an import are tried, each on each of its engines, by several workers.
//
// Those that want equal server options are tried one after the other, since other options mean
// another server. Every result is kept in the corpus within a second or so: what was tried is not
// tried again when the import is called again, however this one ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "harness/engine/server_executor.h"
#include "harness/import/corpus.h"
#include "inputs/import/imported_input.h"

namespace esox {

struct AdmissionProgress {
  size_t done = 0;  // inputs times engines
  size_t wanted = 0;
  size_t admitted = 0;
};

// Returns early once `stop`. Throws ServerError: the server does not start, whatever the input;
// OutError.
void try_inputs(Server& server, const ExecutorOptions& options,
                const std::vector<ImportedInput>& inputs, Corpus& corpus, unsigned jobs,
                const std::atomic<bool>& stop,
                const std::function<void(const AdmissionProgress&)>& show);

}  // namespace esox
