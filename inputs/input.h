// SPDX-License-Identifier: Apache-2.0
// An input: what is run. Setup, then one or more clients each with a sequence of requests, then
// observations of the state. Read from YAML by reader.h; made in pairs by pairs.h; written back by
// writer.h.
//
// Invariants of an input that reader.h or pairs.h returned (limits.h): ids are unique and safe as
// relative file names; there are 1 to kMaxInputClients clients with 1 to kMaxRequestsPerClient
// requests each; no statement is empty, starts or ends in blanks or ends in ';'; ${engine} is the
// only placeholder. One client is a legal input: with nothing to interleave it is a negative
// control.
#pragma once

#include <string>
#include <vector>

#include "inputs/request_language.h"

namespace esox {

struct Request {
  std::string text;
  bool ordered = false;  // rows of the reply compare as a sequence (statement orders its rows)
  bool operator==(const Request&) const = default;
};

// A description of what to read of the frozen server (docs/reading-a-frozen-server.md): its text,
// so that an input, and a finding made of it, is whole.
struct StructureText {
  std::string file;  // where it came from, for messages
  std::string text;
  bool operator==(const StructureText&) const = default;
};

struct InputClient {
  std::string name;                // "A", "B", ...; unique within the input
  std::vector<std::string> setup;  // session settings, run before arming
  std::vector<Request> requests;
  bool operator==(const InputClient&) const = default;
};

struct Input {
  std::string id;      // stable, a relative file name: "pike-table-5-2/04-insert-select"
  std::string title;   // one line for people
  std::string origin;  // "file.yaml:12"
  const RequestLanguage* language = &plain_language();  // of the server it is for
  std::vector<std::string> engines;  // the only engines it is meant for; empty: any engine
  std::vector<std::string> server_options;
  std::vector<std::string> setup;  // a database server: in `test`, which is current and empty
  std::vector<InputClient> clients;
  std::vector<std::string> observations;  // statements about the state, run at the end
  std::vector<StructureText> structures;  // to be read of its memory at the end
  std::string isolation_level;  // of all its sessions: isolation_level.h; empty: the server's own
  std::string summary;  // which parts of the state are looked at: summary_parts.h; empty: auto
  bool operator==(const Input&) const = default;

  std::string server() const { return std::string(language->server()); }
};

// An input with ${engine} filled in; `input.engines` is empty then.
struct ConcreteInput {
  Input input;
  std::string engine;   // empty where the input has no placeholder
  std::string setting;  // of the server, whose options are among the input's: settings.h; or empty
};

// Names a concrete input: what all records of one begin with.
struct InputKey {
  std::string input;                                  // its id
  std::string engine;                                 // empty: the input names none
  std::string setting;                                // empty: the input as it is
  auto operator<=>(const InputKey&) const = default;  // NOLINT(modernize-use-nullptr): false
};
InputKey key_of(const ConcreteInput& input);

// The key without the input: "Aria", "Aria, row-log", "row-log"; empty where neither is given.
std::string conditions_of(const InputKey& key);
std::string conditions_of(const ConcreteInput& input);
// "table/04 on Aria, row-log"
std::string key_text(const InputKey& key);

}  // namespace esox
