// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/page_watch.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "preload/core/control.h"
#include "preload/core/raw.h"
#include "preload/core/real.h"
#include "preload/protocol/snapshot.h"
#include "preload/snapshot/memory.h"

namespace esox {
namespace {

using TrimFunction = int (*)(size_t);
ESOX_LISTED constinit Real<TrimFunction> real_malloc_trim{"malloc_trim"};

// Older headers lack them.
constexpr uint64_t kUnpopulatedToo = uint64_t{1} << 13;  // UFFD_FEATURE_WP_UNPOPULATED
constexpr uint64_t kWriterGoesOn = uint64_t{1} << 15;    // UFFD_FEATURE_WP_ASYNC

// Page tables are made for all of it.
constexpr uint64_t kLargest = uint64_t{256} << 20;

std::atomic<uint32_t> g_times_trimmed{0};

bool tell(unsigned long request, auto& argument) {
  return raw::call(SYS_ioctl, kWatchFd, static_cast<long>(request), raw::address(&argument)) == 0;
}

uffdio_range range_of(const Mapping& mapping) {
  return {mapping.begin, mapping.end - mapping.begin};
}

bool watch(const Mapping& mapping) {
  uffdio_register wanted{};
  wanted.range = range_of(mapping);
  wanted.mode = UFFDIO_REGISTER_MODE_WP;
  uffdio_writeprotect protect{};
  protect.range = wanted.range;
  protect.mode = UFFDIO_WRITEPROTECT_MODE_WP;
  return tell(UFFDIO_REGISTER, wanted) && tell(UFFDIO_WRITEPROTECT, protect);
}

// Memory set aside, or a guard.
bool is_shut(const Mapping& mapping) {
  return (mapping.access & (Mapping::kMayRead | Mapping::kMayWrite)) == 0;
}

bool is_worth_it(const Mappings& born, const Mapping& mapping) {
  if (!mapping.written_privately() || mapping.end - mapping.begin > kLargest) return false;
  if (mapping.irreplaceable || !is_moved_file(mapping.device, mapping.inode)) return false;
  const Mapping* before = &mapping - 1;
  const Mapping* after = &mapping + 1;
  return (before < born.begin() || before->end != mapping.begin || !is_shut(*before)) &&
         (after >= born.end() || after->begin != mapping.end || !is_shut(*after));
}

}  // namespace

void open_page_watch() {
  const long fd = raw::call(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  if (fd < 0) return;
  raw::call(SYS_dup3, fd, kWatchFd, O_CLOEXEC);
  raw::call(SYS_close, fd);
  uffdio_api wanted{};
  wanted.api = UFFD_API;
  wanted.features = kWriterGoesOn | kUnpopulatedToo;
  if (!tell(UFFDIO_API, wanted)) raw::call(SYS_close, kWatchFd);
}

void watch_pages(Mappings& born) {
  for (Mapping& mapping : born) mapping.watched = is_worth_it(born, mapping) && watch(mapping);
}

void stop_watching(Mapping& mapping) {
  uffdio_range range = range_of(mapping);
  tell(UFFDIO_UNREGISTER, range);
  mapping.watched = false;
}

uint32_t times_trimmed() {
  return g_times_trimmed.load();
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int malloc_trim(size_t kept) noexcept {
  g_times_trimmed.fetch_add(1);
  return real_malloc_trim(kept);
}
