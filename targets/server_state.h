// SPDX-License-Identifier: Apache-2.0
// The state of the server of one session, as a target takes it (target.h): a SummarySource that may
// remember what its replies are told by.
//
// One thread uses it. It outlives the server it began with: with isolation `snapshot` one session
// goes on over many forks, so process and folder are asked for whenever the state is taken.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "inputs/input.h"
#include "summaries/identities.h"
#include "summaries/outcome.h"
#include "summaries/source.h"
#include "targets/client.h"
#include "targets/replayable_log.h"

namespace esox {

// What a state is taken by. All must outlive it.
struct SessionView {
  Client& own;                                          // the summary's own connection
  const std::vector<std::unique_ptr<Client>>& clients;  // those of the input, in its order
  const Input& input;
  std::function<pid_t()> process;       // the server that serves the session now
  const std::filesystem::path& folder;  // where its files are now
};

class ServerState : public SummarySource {
 public:
  // All replies are there, the state is not yet taken: gives names to what is only an identity.
  virtual void name_identities(Outcome&) {}

  // After take(): what the execution wrote to a log that can be replayed; nothing where there is no
  // such log.
  virtual std::optional<WrittenLog> written_log() { return {}; }

  // After take(): of the server's own tasks since begin(), those that it says have failed.
  virtual std::vector<FailedTask> failed_tasks() { return {}; }
};

// The components of several sources, taken in turn.
class StateSources : public ServerState {
 public:
  void add(std::unique_ptr<SummarySource> source) { sources_.push_back(std::move(source)); }
  void begin() override;
  std::vector<Component> take() override;

 private:
  std::vector<std::unique_ptr<SummarySource>> sources_;
};

// What every server can tell of one observation of the input; identities in it get their names.
Component observe(const Ask& own, const std::string& request, Identities* identities = nullptr);

// All of them:
//   observation:...  sequence  the reply to each observation of the input
// An error is an element, no reply makes the component unavailable.
class Observations final : public SummarySource {
 public:
  Observations(Ask own, std::vector<std::string> requests)
      : own_(std::move(own)), requests_(std::move(requests)) {}
  std::vector<Component> take() override;

 private:
  Ask own_;
  std::vector<std::string> requests_;
};

// Sends a request on the client.
Ask ask_on(Client& client);

}  // namespace esox
