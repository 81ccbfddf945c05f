// SPDX-License-Identifier: Apache-2.0
// A session that was killed is not over when its client is told: the server undoes its transaction
// and gives its locks back after that, and a state that is looked at meanwhile is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "summaries/source.h"
#include "targets/client.h"

namespace esox {

class EndedSessions {
 public:
  // `clients` are connected, and outlive it. `limit`: what takes longer is not waited for, for it
  // may be a fault that a session does not end.
  EndedSessions(Ask own, const std::vector<std::unique_ptr<Client>>& clients,
                std::chrono::milliseconds limit = std::chrono::seconds(10));

  // Until the server lists no session any more whose connection it has closed.
  void await() const;

 private:
  std::vector<uint64_t> lost() const;
  bool lists_any(const std::vector<uint64_t>& ids) const;

  Ask own_;
  const std::vector<std::unique_ptr<Client>>& clients_;
  std::vector<uint64_t> ids_;  // of the clients; the same in every fork
  std::chrono::milliseconds limit_;
};

}  // namespace esox
