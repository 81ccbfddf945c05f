// SPDX-License-Identifier: Apache-2.0
// In which way did an execution of a program fail? Failures of one key are one failure: of one
// class, at one place.
//
//   crash        a fatal signal; the place is the instruction's function
//   assertion    SIGABRT after a failed assert(); the place is the assertion's text
//   abort        SIGABRT for another reason; the last line of output stands for the place
//   exit status  not 0
//   deadlock     nobody can go on; the places are those of the calls that wait
//   hang         goes on for ever: the limit of points, of virtual or of real time is reached
//   thread leak  ended well, but with threads that were neither joined nor detached (if asked for)
//
// An execution in which control was lost, or that became another program, is none of these: it says
// nothing about the program's schedules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/symbols.h"
#include "harness/programs/program_server.h"

namespace esox {

enum class FailureClass { kCrash, kAssertion, kAbort, kExitStatus, kDeadlock, kHang, kThreadLeak };

const char* failure_name(FailureClass c);  // "crash", "exit status", ...
std::optional<FailureClass> failure_from_name(const std::string& name);

struct Failure {
  FailureClass kind = FailureClass::kCrash;
  std::string title;  // one line for people
  std::string key;    // the same for the same failure, in any run on any machine
};

// What the end of an execution is, before anybody asks where.
std::optional<FailureClass> failure_class(const ProgramEnd& end, bool thread_leaks);

// Why an execution cannot be judged; empty: it can.
std::vector<std::string> doubts_about(const ProgramEnd& end);

// `server` has just made the execution.
Failure describe_failure(FailureClass kind, const ProgramEnd& end, const ProgramServer& server,
                         Symbols& symbols);

// "main", "T1 (withdraw)": the thread and the function that it was made to run, where that tells.
std::vector<std::string> thread_names(const std::vector<uint64_t>& routines, Symbols& symbols);

// What stood in the way of each thread, of a deadlock or a hang; of a hang, who could have gone on.
std::vector<std::string> waiting_lines(const std::vector<CycleEntry>& waiting,
                                       const ExecutionRecord& record,
                                       const std::vector<std::string>& names, Symbols& symbols);

}  // namespace esox
