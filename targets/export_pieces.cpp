// SPDX-License-Identifier: Apache-2.0
// What a target exports that says nothing else: the requests as files, a line each.
#include "targets/export_pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "targets/target.h"

namespace esox {

std::string lines_of(const std::vector<std::string>& texts, std::string_view end) {
  std::string lines;
  for (const std::string& text : texts) lines.append(text).append(end);
  return lines;
}

std::vector<std::string> texts_of(const InputClient& client) {
  std::vector<std::string> texts = client.setup;
  for (const Request& request : client.requests) texts.push_back(request.text);
  return texts;
}

ExportPieces Target::export_pieces(const ExportedFinding& finding) const {
  ExportPieces pieces;
  pieces.files["setup.txt"] = lines_of(finding.input.setup, "\n");
  for (const InputClient& client : finding.input.clients) {
    pieces.files["client-" + client.name + ".txt"] = lines_of(texts_of(client), "\n");
  }
  pieces.by_hand = fmt::format(
      "The server was started by\n\n```\n{} {}\n```\n\nsetup.txt is sent first, then each "
      "client-*.txt on a connection of its own.\n\n",
      places().names.front(), fmt::join(finding.options, " "));
  return pieces;
}

}  // namespace esox
