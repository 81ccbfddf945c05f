// SPDX-License-Identifier: Apache-2.0
// Asks a program of Slurm's: sbatch, squeue.
#pragma once

#include <string>
#include <vector>

namespace esox {

// What it says on either output; the first word is its name. It has our folder and our environment,
// but for what chooses squeue's output there. Throws ServerError if there is no Slurm here,
// ClusterError if it fails or does not end.
std::string said_by_slurm(const std::vector<std::string>& words);

}  // namespace esox
