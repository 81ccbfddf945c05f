// SPDX-License-Identifier: Apache-2.0
// Where the program of a hunt file's server is: looked for when it is wanted, for tonight's build
// may be missing, and a package be gone.
#pragma once

#include <iosfwd>
#include <string>

#include "harness/nights/hunt_file/hunt_file.h"
#include "targets/server.h"

namespace esox {

// A path, or a name in $PATH. Throws ServerError with the remedy.
std::string program_of(const HuntFileServer& server, const ProgramPlaces& places);

// The server among a package's files, a path each line; empty if there is none. Only folders of
// programs count: Debian's memcached has /etc/init.d/memcached, a script of the same name, before
// it.
std::string server_among(std::istream& files, const ProgramPlaces& places);

}  // namespace esox
