// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/pinning.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace esox {
namespace {

constexpr size_t kMostClaims = 64;  // of a core

std::vector<size_t> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<size_t> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

// Not open if somebody has this address.
UniqueFd local_address(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);  // after a zero: abstract
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0) return {};
  return socket;
}

// Of the calling thread; its processes have it from then on. Neither needs a privilege (sched(7)).
void set_policy(int policy) {
  const sched_param priority = {};
  sched_setscheduler(0, policy, &priority);
}

}  // namespace

size_t usable_cores() {
  return std::max<size_t>(1, allowed_cores().size());
}

CoreClaim claim_core(std::span<const size_t> cores, size_t start, std::string_view name) {
  for (size_t nth = 0; nth < kMostClaims; ++nth) {
    for (size_t i = 0; i < cores.size(); ++i) {
      const size_t core = cores[(start + i) % cores.size()];
      UniqueFd claim = local_address(fmt::format("{} {} {}", name, core, nth));
      if (claim) return {core, std::move(claim)};
    }
  }
  return {cores[start % cores.size()], {}};
}

// An optimisation: if it fails, so be it.
CorePin::CorePin(size_t worker, size_t workers) {
  const std::vector<size_t> cores = allowed_cores();
  if (cores.size() < workers || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  claim_ = claim_core(cores, static_cast<size_t>(getpid()) + worker, "esox core");
  CPU_SET(claim_.core, &one);
  bound_ = sched_setaffinity(0, sizeof one, &one) == 0;
  if (bound_) set_policy(SCHED_BATCH);
}

CorePin::~CorePin() {
  if (!bound_) return;
  set_policy(SCHED_OTHER);
  sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace esox
