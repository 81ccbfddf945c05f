// SPDX-License-Identifier: Apache-2.0
// A finding's requests as files that are sent as they are, and a script that plays them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mapped.h"
#include "targets/memcached/by_hand.h"
#include "targets/memcached/request.h"
#include "targets/memcached/server.h"
#include "targets/memcached/target.h"

namespace esox {
namespace {

// As the protocol has them: lines end in \r\n.
std::string as_sent(const std::vector<std::string>& requests) {
  std::string bytes;
  const auto add = [&](const std::string& request) {
    const size_t line = std::min(request.find('\n'), request.size());
    bytes += request.substr(0, line) + "\r\n";
    if (line < request.size()) bytes += request.substr(line + 1) + "\r\n";
  };
  for (const std::string& request : requests)
    std::ranges::for_each(memcached_requests(request), add);
  return bytes;
}

std::vector<std::string> requests_of(const InputClient& client) {
  return mapped<std::string>(client.requests, &Request::text);
}

}  // namespace

ExportPieces MemcachedTarget::export_pieces(const ExportedFinding& finding) const {
  ExportPieces pieces;
  pieces.files["setup.txt"] = as_sent(finding.input.setup);
  for (const InputClient& client : finding.input.clients) {
    if (!client.setup.empty())
      pieces.files["setup-" + client.name + ".txt"] = as_sent(client.setup);
    pieces.files["client-" + client.name + ".txt"] = as_sent(requests_of(client));
  }
  pieces.files["by-hand.pl"] = kByHandScript;
  std::vector<std::string> options = options_for(finding.input);
  options.insert(options.end(), finding.options.begin(), finding.options.end());
  pieces.server_options = memcached_letters(options);
  pieces.client = "`nc -U SOCKET`";
  pieces.by_hand = fmt::format(
      "```\nmemcached -s memcached.sock {} &\nperl by-hand.pl memcached.sock\n```\n\n"
      "plays the requests in every serial order, then at once, and tells what no order gives. "
      "`{{cas}}` in a request stands for the unique number that the same client was given last; "
      "the script puts it in.\n\n",
      fmt::join(pieces.server_options, " "));
  return pieces;
}

}  // namespace esox
