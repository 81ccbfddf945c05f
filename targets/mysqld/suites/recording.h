// SPDX-License-Identifier: Apache-2.0
// Runs a client program while standing between all clients and the server: in the place of the
// server's unix socket is one of ours, and the server's own is beside it until the end. What passes
// goes on as it came, in either direction, and is read (session_reader.h).
//
// So it needs nothing of the server, and holds for any release. One thread passes everything on:
// the order of the log is the order in which the server was sent the requests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "targets/sql/import/request_log.h"

namespace esox {

struct RecordedRun {
  RequestLog log;
  int status = 0;  // the program's exit status; 128 and the signal that killed it
};

// With this process's environment, folder and output. A log beyond kMaxTestLogBytes is cut off
// there. Throws ServerError.
RecordedRun run_recorded(const std::filesystem::path& server_socket,
                         const std::filesystem::path& program,
                         const std::vector<std::string>& arguments);

}  // namespace esox
