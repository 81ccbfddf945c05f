// SPDX-License-Identifier: Apache-2.0
// A private memcached: any memcached, unmodified or annotated, on a unix socket and nothing else.
// Whoever connects takes one of its turns in giving connections to worker threads.
#pragma once

#include <string>
#include <vector>

#include "targets/memcached/release.h"
#include "targets/socket_server.h"

namespace esox {

ProgramPlaces memcached_places();

class MemcachedServer final : public SocketServer {
 public:
  explicit MemcachedServer(ServerOptions options = {});
};

// Options by their letters, as every release takes them: "-t", "4" of "--threads=4". What none of
// them is stays as it is.
std::vector<std::string> memcached_letters(const std::vector<std::string>& options);

// The whole command line, without the program. Throws ServerError for an option that is not of the
// form --name or --name=value, names a path, opens a port, leaves the current user, or that this
// release does not have.
std::vector<std::string> memcached_command_line(const MemcachedRelease& release,
                                                const std::string& socket,
                                                const std::vector<std::string>& options);

}  // namespace esox
