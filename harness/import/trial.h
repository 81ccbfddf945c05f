// SPDX-License-Identifier: Apache-2.0
// Tries an imported input on one engine, serially and under control, before it is taken into the
// corpus: what was cut out of a log is only a guess at what still means something on its own.
//
// From one snapshot after the setup, each on a state that nothing else has touched:
//   1. no request at all: the state before, where it is needed
//   2. the requests in the order of the log: they must end with the errors that the log tells of
//   3. the same, a day and some hours later: replies and state must be the same
//   4. the clients' requests in the reverse order, and block by block: is the input
//   order-sensitive?
//   5. the same requests as in 2 over one connection, if they came over one: the same replies
//
// Every execution's server is its own, so that no input can poison another one's. What an input
// changes beside the content (RequestLanguage::content_view) is then observed in every execution of
// it, or, where esox has no observation for it, is a reason to refuse it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/engine/server_executor.h"
#include "harness/import/trial_result.h"
#include "inputs/import/imported_input.h"

namespace esox {

// Inputs that differ in their requests only, on one engine: they are tried from one snapshot, which
// takes most of the time of a trial.
struct TrialGroup {
  std::vector<const ImportedInput*> inputs;
  std::string engine;  // empty if they have none
};

inline constexpr size_t kMostOfGroup = 64;

// The inputs in groups, in the order of the server options that they want.
std::vector<TrialGroup> groups_for_trial(
    const std::vector<std::pair<const ImportedInput*, std::string>>& inputs_and_engines);

// Used by one thread; has a server of its own as long as it lives.
class Trial {
 public:
  // `server` is prepared and outlives it.
  Trial(Server& server, ExecutorOptions options);

  // One result for each input of the group. Throws ServerError if the server does not even start,
  // Executor::Interrupted.
  std::vector<TrialResult> run(const TrialGroup& group);
  void interrupt() { executor_.interrupt(); }  // from another thread

 private:
  ServerExecutor executor_;
};

}  // namespace esox
