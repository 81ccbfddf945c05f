// SPDX-License-Identifier: Apache-2.0
// A finding's requests as files that are sent as they are, and a script that plays them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "targets/memcached/target.h"

namespace esox {
namespace {

constexpr const char* kScript =
    "#!/bin/sh\n"
    "# Plays the setup and then all clients at once, over and over, and prints what they see.\n"
    "# Needs nc with -U (netcat-openbsd).   sh by-hand.sh SOCKET [TIMES]\n"
    "socket=${{1:?the socket of a private memcached}}\n"
    "for round in $(seq \"${{2:-100}}\"); do\n"
    "  printf 'flush_all\\r\\n' | nc -N -U \"$socket\" >/dev/null\n"
    "  nc -N -U \"$socket\" <setup.txt >/dev/null\n"
    "  for client in{0}; do\n"
    "    nc -N -U \"$socket\" <\"client-$client.txt\" >\"seen-$client.txt\" &\n"
    "  done\n"
    "  wait\n"
    "  for client in{0}; do echo \"$round $client: $(tr '\\r\\n' '  ' <\"seen-$client.txt\")\"; "
    "done\n"
    "done\n";

// As the protocol has them: lines end in \r\n.
std::string as_sent(const std::vector<std::string>& requests) {
  std::string bytes;
  for (const std::string& request : requests) {
    const size_t line = std::min(request.find('\n'), request.size());
    bytes += request.substr(0, line) + "\r\n";
    if (line < request.size()) bytes += request.substr(line + 1) + "\r\n";
  }
  return bytes;
}

}  // namespace

ExportPieces MemcachedTarget::export_pieces(const ExportedFinding& finding) const {
  ExportPieces pieces;
  pieces.files["setup.txt"] = as_sent(finding.input.setup);
  std::string clients;
  for (const InputClient& client : finding.input.clients) {
    pieces.files["client-" + client.name + ".txt"] = as_sent(texts_of(client));
    clients += " " + client.name;
  }
  pieces.files["by-hand.sh"] = fmt::format(fmt::runtime(kScript), clients);
  pieces.by_hand = fmt::format(
      "```\nmemcached -s memcached.sock {}\nsh by-hand.sh memcached.sock\n```\n\n"
      "`{{cas}}` in a request stands for the unique number that the same client was given last "
      "by `gets`; put it in by hand.\n\n",
      fmt::join(finding.options, " "));
  return pieces;
}

}  // namespace esox
