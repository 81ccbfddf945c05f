// SPDX-License-Identifier: Apache-2.0
// What an execution needs to know of the kind of server it runs on: how its clients speak, how its
// state is had, what else its process gets. One implementation per kind; a new one is one class and
// one line in make_dialect.
//
// A Dialect belongs to one session: it may remember what the session's source needs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "targets/client.h"
#include "inputs/input.h"
#include "targets/mariadb/state/replayed_log.h"
#include "targets/mariadb/state/written_log.h"
#include "summaries/source.h"

namespace esox {

class Dialect {
 public:
  virtual ~Dialect() = default;

  // Not connected. `reply_timeout_ms`: 0 for ever.
  virtual std::unique_ptr<Client> make_client(int reply_timeout_ms = 0) const = 0;

  // What to add to the server's options and environment for this input.
  virtual std::vector<std::string> options(const Input& input) const;

  // On a kept server: as if nothing had been set up.
  virtual void empty(Client& own) const = 0;

  // `own` is the summary's connection, `clients` those of the input, `server` gives the process
  // whose state is asked for (another fork, maybe, of the one before) and `folder` where its files
  // are, whenever the source is asked; all outlive the source.
  virtual std::unique_ptr<SummarySource> make_source(
      Client& own, const std::vector<std::unique_ptr<Client>>& clients, const Input& input,
      std::function<pid_t()> server, const std::filesystem::path& folder) = 0;

  // All replies are there, the state is not yet taken: gives names to what is only an identity.
  virtual void name_identities(Outcome&) {}

  // Whether the reply only says that the server is being shut down.
  virtual bool says_shutdown(const Output&) const { return false; }

  // What the execution wrote to a log that can be replayed, after its state was taken; nothing
  // where there is no such log. `folder` is where the server's files are.
  virtual std::optional<WrittenLog> written_log(const std::filesystem::path& folder) const {
    (void)folder;
    return {};
  }

  // Replays it on a server in the state after the setup, which is good for nothing afterwards.
  // Only of a log that written_log() of this kind gave.
  virtual ReplayedLog replay(const WrittenLog& log, Client& own,
                             const std::vector<std::unique_ptr<Client>>& clients,
                             const std::filesystem::path& folder,
                             const std::function<bool()>& interrupted) const;
};

// What an annotated server's process gets so that it records; nothing for others. Throws
// ServerError (libesox_summary.so is not there).
std::vector<std::string> annotation_environment(const std::filesystem::path& program,
                                                const std::filesystem::path& preload_library);

// For Input::server. Throws ServerError for a kind that this esox does not know.
std::unique_ptr<Dialect> make_dialect(const std::string& server);

// All options that the server gets for this input; the input's own come last.
std::vector<std::string> server_options(const Dialect& dialect, const Input& input);

// Sends a request on the client.
Ask ask_on(Client& client);

}  // namespace esox
