// SPDX-License-Identifier: Apache-2.0
#include "inputs/import/files_import.h"

#include <fmt/format.h>

#include "base/text/input_error.h"
#include "inputs/limits.h"

namespace esox {

void check_number_of_files(size_t files) {
  if (files == 0) throw InputError("", 0, "no file was named");
  if (files > kMostImportFiles) {
    throw InputError("", 0, fmt::format("more than {} files; name fewer", kMostImportFiles));
  }
}

size_t check_sessions(const std::vector<size_t>& requests, const std::vector<std::string>& files) {
  const auto with_requests =
      static_cast<size_t>(std::ranges::count_if(requests, [](size_t n) { return n > 0; }));
  if (with_requests == 0) throw InputError(files.front(), 0, "no file has requests; add some");
  for (size_t i = 0; i < files.size() && with_requests > 1; ++i) {
    if (requests[i] <= kMostSessionRequests) continue;
    throw InputError(files[i], 0,
                     fmt::format("has {} requests, of at most {} if several files are sessions; "
                                 "import it alone, mark its beginning as setup, or name it by "
                                 "--setup",
                                 requests[i], kMostSessionRequests));
  }
  return with_requests;
}

std::string whole_complaint(const Candidate& sessions, size_t setup) {
  const auto is_long = [](const auto& client) { return client.size() > kMaxRequestsPerClient; };
  const auto& clients = sessions.clients;
  if (clients.size() < 2) return "whole sessions: fewer than two files with requests";
  if (clients.size() > kMaxInputClients) return "whole sessions: too many clients";
  if (std::ranges::any_of(clients, is_long)) return "whole sessions: too many requests";
  return setup > kMaxStatementsPerList ? "whole sessions: setup: longer than the limit" : "";
}

std::string FileNames::name_for(const std::string& path) {
  constexpr size_t kMostBytes = 48;
  std::string name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.rfind('.')).substr(0, kMostBytes);
  for (char& c : name) {
    const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
    if (!safe) c = '_';
  }
  if (name.empty() || name.front() == '-') name.insert(0, "file");
  std::string own = name;
  for (int i = 2; std::ranges::find(taken_, own) != taken_.end(); ++i) {
    own = fmt::format("{}-{}", name, i);
  }
  taken_.push_back(own);
  return own;
}

}  // namespace esox
