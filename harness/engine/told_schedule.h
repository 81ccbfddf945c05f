// SPDX-License-Identifier: Apache-2.0
// Between an exhaustive search (harness/search/exhaustive) and executions under control: what a
// search asks for as the strategy `prefix` takes it, and what the preload tells of an execution
// under it as a search takes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/engine/schedule_runner.h"
#include "preload/protocol/strategy_spec.h"
#include "preload/protocol/waiting.h"

namespace esox {

std::vector<Choice> tape_of(const exhaustive::Beginning& beginning);

// Whether it is usable, and a violation, and ended early, is for the caller to say.
exhaustive::ExecutedSchedule schedule_of(const std::vector<WaitingThread>& records);

// Renames objects so that equal executions are equal on two servers in the same state.
//
// An arena of the allocator is at another address there, by which thread was given which. It goes
// by the thread that is first about to use something in it, and by how many that one had named
// before. The same arena may so have two names in different schedules; a search then takes equal
// partial orders for different ones, and never different ones for equal.
//
// Names of files (`names`: of the execution's record, hash -> path) lose what differs: the process
// number in those of MariaDB's temporary files, the last part of private folders' names.
void rename_objects(exhaustive::ExecutedSchedule& executed,
                    const std::map<uint64_t, std::string>& names);

// "t/#sql-alter-1f2e-5.frm" without "1f2e", "/tmp/esox-vT2k4x" without "vT2k4x"; others as they
// are.
std::string lasting_name(const std::string& path);

}  // namespace esox
