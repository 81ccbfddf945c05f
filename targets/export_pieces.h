// SPDX-License-Identifier: Apache-2.0
// What a target adds to the export of a finding for a bug tracker: files that run the requests by
// hand, in the server's own notation. Plain data both ways: a target knows no findings.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"
#include "inputs/isolation_level.h"

namespace esox {

struct ExportedFinding {
  const Input& input;
  std::vector<std::string> options;  // all that the server was started with
};

struct ExportPieces {
  std::map<std::string, std::string> files;  // by name
  std::string by_hand;                       // Markdown: how to start the server and run them
  std::string client;                        // Markdown: what connects to a socket, SOCKET
  std::string licence;                       // of its requests, if they are somebody else's
  std::vector<std::string> server_options;   // by which any release starts, but for its paths
  std::string statement_end = "\n";          // behind each request that the README shows
  std::string notation;                      // of requests, as Markdown names it: "sql"
};

// Each text with this behind it.
inline std::string lines_of(const std::vector<std::string>& texts, std::string_view end) {
  std::string lines;
  for (const std::string& text : texts) lines.append(text).append(end);
  return lines;
}

// All that is said in a client's session.
inline std::vector<std::string> texts_of(const Input& input, const InputClient& client) {
  std::vector<std::string> texts = session_setup(input, client);
  for (const Request& request : client.requests) texts.push_back(request.text);
  return texts;
}

}  // namespace esox
