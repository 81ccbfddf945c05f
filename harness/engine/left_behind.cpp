// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/left_behind.h"

#include <memory>
#include <string>

#include "base/process/server_error.h"
#include "harness/engine/executor.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr unsigned kMostStarts = 2;  // a machine may fail once

// Why there is no state.
std::string try_to_take(const RunContext& context, const RunningServer& ended, Session& session,
                        Outcome& outcome) {
  const PrivateDirectory directory(context.options.base);
  StartRequest request;
  request.directory = &directory;
  request.left_by = ended.log_path().parent_path();
  request.options = server_options(session.target(), context.plan.input->input);
  try {
    const std::unique_ptr<RunningServer> next = context.server.start(request);
    session.take_state_of_next(*next, outcome);
    return "";
  } catch (const ServerError& error) {
    return error.what();
  } catch (const ClientError& error) {
    return error.what();
  }
}

}  // namespace

void take_state_left_behind(const RunContext& context, const RunningServer& ended, Session& session,
                            ExecutionRecord& record) {
  std::string why;
  for (unsigned i = 0; i < kMostStarts; ++i) {
    if (context.interrupted.load()) throw Executor::Interrupted{};
    why = try_to_take(context, ended, session, record.outcome);
    if (why.empty()) return;
  }
  record.ending.kind = EndingKind::kCrash;
  record.ending.detail.push_back("no server lives on the data that this one left behind:");
  record.ending.detail.push_back(why);
}

}  // namespace esox
