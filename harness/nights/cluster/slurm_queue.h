// SPDX-License-Identifier: Apache-2.0
// What Slurm knows of tasks of job arrays.
//
// squeue knows those that wait, run or ended a while ago; sacct, where the cluster keeps accounts,
// also older ones. What neither knows is gone.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace esox {

// By job and task: "RUNNING", "NODE_FAIL", "CANCELLED".
using SlurmStates = std::map<std::pair<std::string, unsigned>, std::string>;

// Lines of squeue --format %F|%K|%T, and of sacct --format JobID,State with -P. What is no task of
// an array is left out; so is what makes no sense.
SlurmStates states_of_squeue(const std::string& lines);
SlurmStates states_of_sacct(const std::string& lines);

// Whether a task in this state has not come to an end.
bool is_live(const std::string& state);

// Asks both. Throws ClusterError: there is no Slurm here, or its controller does not answer.
SlurmStates ask_slurm(const std::vector<std::string>& jobs);

}  // namespace esox
