// SPDX-License-Identifier: Apache-2.0
// What a rule's scope is held against: an input on a server, and what its requests are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "filters/rule.h"
#include "inputs/input.h"

namespace esox {

struct RequestFacts {
  std::string kind;                // "CREATE TABLE"
  std::string text;                // the statement itself
  std::vector<std::string> names;  // all in it, in lower case; qualified ones as "db.t" and "t" too
  bool tells_of_last = false;      // RequestLanguage::tells_of_last_request
  std::vector<std::string> engines;  // of all that it touches; none: not known
};

// The server that inputs are run on.
struct ServerFacts {
  std::string version;               // as the server says it: "10.11.14-MariaDB-0+deb12u2"
  std::vector<std::string> options;  // of the command line, without those of inputs
};

struct Circumstances {
  std::string server;                               // its kind, as RequestLanguage::server
  std::vector<uint32_t> version;                    // empty: not known
  std::vector<std::string> options;                 // all that the server is started with
  std::vector<std::vector<RequestFacts>> requests;  // [client][request]
  std::vector<std::string> texts;                   // the input's requests, setups and options
};

Circumstances circumstances_of(const ConcreteInput& input, const ServerFacts& server);

// Numbers separated by dots at the text's beginning; empty if there are none.
std::vector<uint32_t> version_numbers(std::string_view text);

// "CREATE" is the kind of all that create.
bool is_of_kind(std::string_view kind, const std::vector<std::string>& wanted);

// Whether the server is started with an option, "log-bin": however it is spelt, with whatever
// value, and not taken back by a later --skip-NAME.
bool has_option(const std::vector<std::string>& options, std::string_view name);

// Whether some of its servers are of this kind.
bool is_for(const Rule& rule, std::string_view server);

// What does not depend on a request: kind, version and options of the server, the whole input.
bool fits(const Rule& rule, const Circumstances& circumstances);

// The rule's statements, object, text and engines.
bool fits(const Scope& scope, const RequestFacts& request);

}  // namespace esox
