// SPDX-License-Identifier: Apache-2.0
// Everything that esox knows of ONE server: one implementation per server, in a folder of its own
// beside this file, and one line in registry.cpp. Generic code asks a Target and compares no names.
//
// A new server has to say four things: its name, where its program is, how that is started, and how
// its clients speak. All else has a default, that of a server with a
// plain text protocol: its state is what the input's observations are answered, and what an
// annotated program tells; it needs no options of its own, and ships nothing that is not there.
//
// A Target has no state of its own, lives as long as the program, and may be used by any thread.
// What belongs to one session is in its ServerState (server_state.h). Errors: ServerError, unless
// said otherwise.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inputs/holdings.h"
#include "inputs/input.h"
#include "inputs/request_language.h"
#include "summaries/component.h"
#include "summaries/row_log.h"
#include "targets/client.h"
#include "targets/export_pieces.h"
#include "targets/imports.h"
#include "targets/replayable_log.h"
#include "targets/server.h"
#include "targets/server_state.h"
#include "targets/sync_test.h"

namespace esox {

// What the state of a server goes without on this machine.
struct StateGap {
  std::string what;    // one line; empty: nothing
  std::string remedy;  // for whoever wants it
};

class Target {
 public:
  virtual ~Target() = default;

  // What `server:` says in an input, a rule, a hunt file.
  std::string name() const { return std::string(language().server()); }
  // What its requests say; the place of its name.
  virtual const RequestLanguage& language() const = 0;

  // -- The program.

  virtual ProgramPlaces places() const = 0;
  // Asked of programs whose name several targets know: whether this one is of the target's kind.
  // Throws ServerError if it cannot be asked.
  virtual bool is_server_of(const std::filesystem::path& /*program*/) const { return true; }
  // Targets of one family take each other's inputs.
  virtual std::string_view family() const { return language().server(); }
  // Finds the program and asks it its version; starts nothing.
  virtual std::unique_ptr<Server> make_server(const ServerOptions& options) const = 0;
  // "10.11.14-MariaDB-0+deb12u2" of the line that Server::version() is; else the line as it is.
  virtual std::string version_name(const std::string& version_line) const { return version_line; }
  // What to add to the server's options for this input, before the input's own.
  virtual std::vector<std::string> options_for(const Input& /*input*/) const { return {}; }

  // -- Sessions.

  // Not connected. `reply_timeout_ms`: 0 for ever.
  virtual std::unique_ptr<Client> make_client(int reply_timeout_ms = 0) const = 0;
  // On a kept server: as if nothing had been set up. False: no request does that, and the server
  // has to be started anew.
  virtual bool empty(Client& /*own*/) const { return false; }
  // Whether the reply only says that the server is being shut down.
  virtual bool says_shutdown(const Output& /*reply*/) const { return false; }
  // The same of a server that a signal of the input's ends: also that the request or its session
  // was ended.
  virtual bool says_end(const Output& reply) const { return says_shutdown(reply); }

  // -- The state.

  // The components that it can have, beside those of any server (component.h).
  virtual std::span<const ComponentFacts> components() const;
  // What `session` refers to outlives what is made.
  virtual std::unique_ptr<ServerState> make_state(const SessionView& session) const;
  // What the state goes without for this program with these options.
  virtual StateGap state_gap(const Server& /*server*/,
                             const std::vector<std::string>& /*options*/) const {
    return {};
  }

  // Replays a log that ServerState::written_log() of this server gave, on a server in the state
  // after the setup, which is good for nothing afterwards.
  virtual ReplayedLog replay(const WrittenLog& /*log*/, const ReplaySession& /*session*/) const {
    return {.unavailable = "servers of this kind replay no log"};
  }
  // Components that tell where the state and the replayed log disagree.
  virtual std::vector<Component> compare_with_replayed(const StateSummary& /*state*/,
                                                       const ReplayedLog& /*replayed*/) const {
    return {};
  }

  // What rows were written, from such a log.
  virtual RowLog row_log(const WrittenLog& /*log*/) const {
    return {.unreadable = "servers of this kind tell no rows of a log"};
  }
  // Answers each question on a server in the state after the setup, which is good for nothing
  // afterwards. As many as there are questions.
  virtual std::vector<StateAnswer> answer(const RowLog& log,
                                          std::span<const StateQuestion> questions,
                                          const ReplaySession& session) const;

  // -- What comes with esox. Folders and files are beside an installed esox, else in its sources.

  // Throws InputError if there is none.
  virtual std::filesystem::path inputs_folder() const;
  // What is hunted when no input is named: files and folders. Without the negative controls, in
  // which nothing must ever be found.
  virtual std::vector<std::filesystem::path> hunted_inputs() const;
  std::filesystem::path negative_controls() const { return inputs_folder() / "negative"; }
  // Nothing: no rules are shipped for it. Throws InputError if they should be there and are not.
  virtual std::optional<std::filesystem::path> filters_file() const { return {}; }
  // Keys `servers:`, `options:` and what else a hunt file for it begins with, as YAML.
  virtual std::string starter_part() const;
  // An input for trying out a machine, as YAML: two clients with a request each that meet in one
  // place. Empty: the first that is hunted.
  virtual std::string trial_input() const { return ""; }

  // -- What inputs that nobody wrote are made of (inputs/generation).

  // The shipped grammar; nothing: there is none. Throws InputError if it should be there and is
  // not.
  virtual std::optional<std::filesystem::path> grammar_file() const { return {}; }
  // Asked after a setup: what the server holds then, by the replies; none: what it holds is not
  // asked for. What cannot be understood of the replies is left out.
  virtual std::vector<std::string> holdings_questions() const { return {}; }
  virtual Holdings holdings_of(std::span<const Output> /*replies*/) const { return {}; }

  // Libraries that esox speaks to it by, with the version that is in use: for `esox --version`.
  virtual std::vector<std::pair<std::string, std::string>> libraries() const { return {}; }

  // -- Inputs made of something else. Null: there is no such import.

  virtual const FileImport* file_import() const { return nullptr; }
  virtual const SuiteImport* suite_import() const { return nullptr; }

  // -- A finding for a bug tracker.

  virtual ExportPieces export_pieces(const ExportedFinding& finding) const;

  // A test that holds a build for debugging at its sync points. Throws ServerError, ClientError.
  virtual SyncTest sync_test(const SyncTestRequest& request) const;
  // The function of such a build that every sync point calls; empty: none.
  virtual std::string sync_point_function() const { return {}; }
};

// All options that the server gets for this input; the input's own come last.
std::vector<std::string> server_options(const Target& target, const Input& input);

}  // namespace esox
