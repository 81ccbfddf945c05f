// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/ended_sessions.h"

#include <sys/socket.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "base/mapped.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{1};

bool is_lost(const Client& client) {
  if (!client.connected()) return true;
  char byte = 0;
  return ::recv(client.socket_fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

}  // namespace

EndedSessions::EndedSessions(Ask own, const std::vector<std::unique_ptr<Client>>& clients,
                             std::chrono::milliseconds limit)
    : own_(std::move(own)),
      clients_(clients),
      ids_(mapped<uint64_t>(clients, [](const auto& client) { return client->connection_id(); })),
      limit_(limit) {}

std::vector<uint64_t> EndedSessions::lost() const {
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (ids_[i] != 0 && is_lost(*clients_[i])) ids.push_back(ids_[i]);
  }
  return ids;
}

// Their numbers are in the first column.
bool EndedSessions::lists_any(const std::vector<uint64_t>& ids) const {
  const Output output = own_("SHOW PROCESSLIST");
  if (output.results.empty()) return false;
  return std::ranges::any_of(output.results.front().rows, [&](const Row& row) {
    const std::string id = cell(row, 0);
    return std::ranges::any_of(ids, [&](uint64_t one) { return std::to_string(one) == id; });
  });
}

void EndedSessions::await() const {
  const std::vector<uint64_t> ids = lost();
  if (ids.empty()) return;
  const auto end = Clock::now() + limit_;
  while (lists_any(ids) && Clock::now() < end) std::this_thread::sleep_for(kPause);
}

}  // namespace esox
