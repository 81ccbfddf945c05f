// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/frozen_state.h"

#include <iterator>

#include "summaries/frozen/errors.h"
#include "summaries/frozen/process_memory.h"
#include "summaries/frozen/program_image.h"
#include "summaries/frozen/structure_reader.h"

namespace esox {

FrozenState::FrozenState(std::function<pid_t()> process,
                         std::vector<std::shared_ptr<const StructureDescriptions>> descriptions,
                         FreezeLimits limits)
    : process_(std::move(process)), descriptions_(std::move(descriptions)), limits_(limits) {}

std::vector<Component> FrozenState::take() {
  std::vector<Component> all;
  if (descriptions_.empty()) return all;
  const auto append = [&](std::vector<Component> some) {
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  };
  try {
    const pid_t pid = process_();
    ProgramImage program = ProgramImage::of_process(pid);
    const Freeze freeze(pid, limits_);
    ProcessMemory memory(pid);
    for (const auto& one : descriptions_) append(read_structures(*one, program, memory));
  } catch (const FrozenError& error) {
    all.clear();
    for (const auto& one : descriptions_) append(unavailable_structures(*one, error.what()));
  }
  return all;
}

}  // namespace esox
