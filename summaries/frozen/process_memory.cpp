// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/process_memory.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fstream>

#include "summaries/frozen/errors.h"

namespace esox {
namespace {

constexpr uint64_t kAhead = 16;                   // pages read at once where one is missing
constexpr uint64_t kUserEnd = uint64_t{1} << 47;  // beyond are no addresses of programs

// Kernel documentation, admin-guide/LSM/Yama.
std::string ptrace_scope() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  std::string text;
  std::getline(file, text);
  return text;
}

}  // namespace

std::string tracing_error(pid_t pid, int error) {
  if (error == ESRCH) return fmt::format("process {} is gone", pid);
  if (error != EPERM && error != EACCES) {
    return fmt::format("process {} cannot be read: {}", pid, strerror(error));
  }
  const std::string scope = ptrace_scope();
  std::string remedy = "be the user who runs it, or root";
  if (scope == "1") remedy += "; kernel.yama.ptrace_scope is 1: it must be started by esox";
  if (scope == "2") remedy = "kernel.yama.ptrace_scope is 2: be root";
  if (scope == "3") remedy = "kernel.yama.ptrace_scope is 3: reading processes is switched off";
  return fmt::format(
      "reading process {} is not permitted (somebody else may be tracing it, a debugger); {}", pid,
      remedy);
}

bool ProcessMemory::read(uint64_t address, void* to, size_t bytes) {
  if (address >= kUserEnd || bytes > kUserEnd - address) return false;
  auto* out = static_cast<unsigned char*>(to);
  while (bytes > 0) {
    const unsigned char* from = page(address / kPageBytes);
    if (from == nullptr) return false;
    const uint64_t within = address % kPageBytes;
    const size_t part = std::min<uint64_t>(bytes, kPageBytes - within);
    memcpy(out, from + within, part);
    out += part;
    address += part;
    bytes -= part;
  }
  return true;
}

const unsigned char* ProcessMemory::page(uint64_t number) {
  if (const auto known = pages_.find(number); known != pages_.end()) return known->second.get();
  std::vector<uint64_t> wanted;
  for (uint64_t next = number; next < number + kAhead; ++next) {
    if (pages_.contains(next)) break;
    wanted.push_back(next);
  }
  fetch(wanted);
  return pages_[number].get();
}

void ProcessMemory::prefetch(std::span<const uint64_t> addresses) {
  std::vector<uint64_t> wanted;
  for (const uint64_t address : addresses) {
    if (address < kUserEnd && !pages_.contains(address / kPageBytes)) {
      wanted.push_back(address / kPageBytes);
    }
  }
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  fetch(wanted);
}

// One call reads up to IOV_MAX pages and ends at the first that is not there (process_vm_readv(2):
// "partial transfers apply at the granularity of iovec elements"); then comes the next one.
void ProcessMemory::fetch(const std::vector<uint64_t>& numbers) {
  for (size_t begin = 0; begin < numbers.size();) {
    const size_t count = std::min<size_t>(numbers.size() - begin, IOV_MAX);
    if ((pages_.size() + count) * kPageBytes > kMostBytes) {
      throw FrozenError(fmt::format("more than {} MB of memory would be read; describe less of it",
                                    kMostBytes >> 20));
    }
    std::vector<Page> pages(count);
    std::vector<iovec> ours(count);
    std::vector<iovec> theirs(count);
    for (size_t i = 0; i < count; ++i) {
      pages[i] = std::make_unique_for_overwrite<unsigned char[]>(kPageBytes);
      ours[i] = {pages[i].get(), kPageBytes};
      theirs[i] = {reinterpret_cast<void*>(numbers[begin + i] * kPageBytes), kPageBytes};
    }
    ++calls_;
    const ssize_t got = process_vm_readv(pid_, ours.data(), count, theirs.data(), count, 0);
    if (got < 0 && errno != EFAULT) throw FrozenError(tracing_error(pid_, errno));
    const size_t whole = got < 0 ? 0 : static_cast<size_t>(got) / kPageBytes;
    for (size_t i = 0; i < whole; ++i) pages_[numbers[begin + i]] = std::move(pages[i]);
    if (whole < count) pages_[numbers[begin + whole]] = nullptr;
    begin += std::min(whole + 1, count);
  }
}

}  // namespace esox
