// SPDX-License-Identifier: Apache-2.0
// What a grammar makes, for whoever writes one: inputs of nothing, as a generation (epoch.h) begins
// with, none of them executed. Only setups are, since names are those that a server holds then.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/engine/executor.h"
#include "inputs/generation/maker.h"

namespace esox {

struct GrammarSample {
  std::vector<Input> inputs;           // no two with the same text
  std::vector<std::string> fruitless;  // why a setup gave none, each reason once
};

// At most `count`, less if the grammar makes no more or `stop` is set; all by `seed`. Over a setup
// few are made, so that there are many setups. Throws ServerError.
GrammarSample sample_of(Maker& maker, Executor& executor, uint64_t seed, size_t count,
                        const std::atomic<bool>& stop);

}  // namespace esox
