// SPDX-License-Identifier: Apache-2.0
// Directories: scheduling points; and their entries come in the order of their names.
//
// The kernel gives them in the order of the file system's own tables, so equal servers on two file
// systems would go two ways: by snapshot (files in memory) and by restart (on disk), or a replay on
// another machine. POSIX leaves the order open, and also whether a stream shows what was made or
// removed after it was opened. So the first readdir() of a stream reads all there is and sorts it.
//
// The room for all that is mapped once and never given back: that would cost an interrupt on every
// core that the server has run on, and a mapping more or less keeps a run from being rewound.
//
// Limits: kMostStreams open at once, kListingBytes for each; beyond, the order stays the kernel's,
// and the execution of a controlled thread that sees it is degraded. scandir, glob and nftw list
// within the C library, where no hook reaches.
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "preload/core/internal_lock.h"
#include "preload/interpose/file_numbers.h"
#include "preload/interpose/file_point.h"
#include "preload/interpose/set_aside.h"

namespace esox {
namespace {

constexpr uint32_t kMostStreams = 64;
constexpr size_t kListingBytes = size_t{4} << 20;  // of address space; what is not used costs none

ESOX_REAL(opendir);
ESOX_REAL(fdopendir);
ESOX_REAL(closedir);
ESOX_REAL(readdir64);
ESOX_REAL(rewinddir);
ESOX_REAL(telldir);
ESOX_REAL(seekdir);

static_assert(sizeof(dirent) == sizeof(dirent64));

// The entries of one stream. They grow from the front, what sorts them from the back.
class Listing {
 public:
  void clear() { count_ = used_ = next_ = 0, error_ = 0; }

  bool add(const dirent64& entry) {
    constexpr uint32_t kAlignment = alignof(dirent64);
    const uint32_t size = (entry.d_reclen + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ + size + (count_ + 1) * sizeof(uint32_t) > sizeof bytes_) return false;
    memcpy(bytes_ + used_, &entry, entry.d_reclen);
    ++count_;
    place(count_ - 1) = used_;
    used_ += size;
    return true;
  }

  // In place, and never slow.
  void sort() {
    std::sort(std::reverse_iterator(places_end()), std::reverse_iterator(places_end() - count_),
              [this](uint32_t a, uint32_t b) { return strcmp(at(a)->d_name, at(b)->d_name) < 0; });
  }

  void end_with(int error) { error_ = error; }

  // Null at the end; errno is left alone but for an error.
  dirent64* next() {
    if (next_ == count_) {
      if (error_ != 0) errno = error_;
      return nullptr;
    }
    dirent64* found = entry(next_++);
    found->d_off = next_;
    return found;
  }

  long position() const { return next_; }
  void seek(long position) {
    if (position >= 0 && position <= static_cast<long>(count_)) {
      next_ = static_cast<uint32_t>(position);
    }
  }

 private:
  uint32_t* places_end() { return reinterpret_cast<uint32_t*>(bytes_ + sizeof bytes_); }
  uint32_t& place(uint32_t number) { return places_end()[-1 - static_cast<long>(number)]; }
  dirent64* at(uint32_t offset) { return reinterpret_cast<dirent64*>(bytes_ + offset); }
  dirent64* entry(uint32_t number) { return at(place(number)); }

  uint32_t count_;
  uint32_t used_;
  uint32_t next_;
  int error_;
  alignas(dirent64) char bytes_[kListingBytes - 4 * sizeof(uint32_t)];
};
static_assert(sizeof(Listing) == kListingBytes);

// Used by one thread at a time, as the C library demands.
struct Stream {
  DIR* directory;  // null: free
  Listing* listing;
  bool as_it_comes;  // there are too many entries
};
Stream g_streams[kMostStreams];  // who is in it: guarded by g_hook_locks.directories

std::atomic<Listing*> g_listings{nullptr};  // of all streams; null: not mapped yet

void drop(Stream& stream) {
  stream.listing = nullptr;
  stream.as_it_comes = false;
}

Stream* find(DIR* directory, bool or_take) {
  Stream* free = nullptr;
  g_hook_locks.directories.acquire();
  Stream* found = nullptr;
  for (Stream& stream : g_streams) {
    if (stream.directory == directory) found = &stream;
    if (stream.directory == nullptr && free == nullptr) free = &stream;
  }
  if (found == nullptr && or_take && free != nullptr) {
    found = free;
    found->directory = directory;
  }
  g_hook_locks.directories.release();
  return found;
}

// The stream is another one, or none, from now on.
void forget(DIR* directory) {
  Stream* stream = find(directory, false);
  if (stream == nullptr) return;
  drop(*stream);
  g_hook_locks.directories.acquire();
  stream->directory = nullptr;
  g_hook_locks.directories.release();
}

// Null: there is no room.
Listing* empty_listing(const Stream& stream) {
  if (!map_listings()) return nullptr;
  Listing& listing = g_listings.load()[&stream - g_streams];
  listing.clear();
  return &listing;
}

// All entries from where the stream stands.
bool fill(DIR* directory, Listing& listing) {
  const int before = errno;
  for (;;) {
    errno = 0;
    dirent64* entry = real_readdir64(directory);
    if (entry != nullptr) show_numbers(*entry, dirfd(directory));
    if (entry != nullptr && listing.add(*entry)) continue;
    listing.end_with(entry == nullptr ? errno : 0);
    errno = before;
    return entry == nullptr;
  }
}

void read_all(Stream& stream) {
  const long start = real_telldir(stream.directory);
  stream.listing = empty_listing(stream);
  if (stream.listing != nullptr && fill(stream.directory, *stream.listing)) {
    stream.listing->sort();
    return;
  }
  drop(stream);
  stream.as_it_comes = true;
  real_seekdir(stream.directory, start);
}

dirent64* next_entry(DIR* directory) {
  Stream* stream = find(directory, true);
  if (stream != nullptr && stream->listing == nullptr && !stream->as_it_comes) read_all(*stream);
  if (stream != nullptr && stream->listing != nullptr) return stream->listing->next();
  if (self() != nullptr) mark_degraded(kDegradedListing);
  return real_readdir64(directory);
}

int next_entry(DIR* directory, dirent64* entry, dirent64** result) {
  const int before = errno;
  errno = 0;
  const dirent64* found = next_entry(directory);
  const int error = found == nullptr ? errno : 0;
  errno = before;
  *result = found == nullptr ? nullptr : entry;
  if (found != nullptr) memcpy(entry, found, found->d_reclen);
  return error;
}

DIR* opened(DIR* directory) {
  if (directory != nullptr) forget(directory);  // one closed within the C library had this address
  return directory;
}

}  // namespace

bool map_listings() {
  if (g_listings.load() != nullptr) return true;
  constexpr size_t kBytes = kMostStreams * kListingBytes;
  const long made = raw::call(SYS_mmap, 0, kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made < 0) return false;
  Listing* none = nullptr;
  if (!g_listings.compare_exchange_strong(none, reinterpret_cast<Listing*>(made))) {
    raw::call(SYS_munmap, made, kBytes);  // another thread was faster
  }
  return true;
}

}  // namespace esox

using namespace esox;

ESOX_HOOK DIR* opendir(const char* path) {
  path_point(OpKind::kDirectoryRead, path, ESOX_SITE());
  return opened(real_opendir(path));
}

ESOX_HOOK DIR* fdopendir(int fd) {
  return opened(real_fdopendir(fd));
}

ESOX_HOOK dirent64* readdir64(DIR* directory) {
  file_point(OpKind::kDirectoryRead, -1, ESOX_SITE());
  return next_entry(directory);
}

ESOX_HOOK dirent* readdir(DIR* directory) {
  file_point(OpKind::kDirectoryRead, -1, ESOX_SITE());
  return reinterpret_cast<dirent*>(next_entry(directory));
}

ESOX_HOOK int readdir64_r(DIR* directory, dirent64* entry, dirent64** result) {
  file_point(OpKind::kDirectoryRead, -1, ESOX_SITE());
  return next_entry(directory, entry, result);
}

ESOX_HOOK int readdir_r(DIR* directory, dirent* entry, dirent** result) {
  file_point(OpKind::kDirectoryRead, -1, ESOX_SITE());
  return next_entry(directory, reinterpret_cast<dirent64*>(entry),
                    reinterpret_cast<dirent64**>(result));
}

ESOX_HOOK void rewinddir(DIR* directory) noexcept {
  if (Stream* stream = find(directory, false)) drop(*stream);
  real_rewinddir(directory);
}

ESOX_HOOK long telldir(DIR* directory) noexcept {
  const Stream* stream = find(directory, false);
  if (stream != nullptr && stream->listing != nullptr) return stream->listing->position();
  return real_telldir(directory);
}

ESOX_HOOK void seekdir(DIR* directory, long position) noexcept {
  const Stream* stream = find(directory, false);
  if (stream != nullptr && stream->listing != nullptr) {
    stream->listing->seek(position);
  } else {
    real_seekdir(directory, position);
  }
}

ESOX_HOOK int closedir(DIR* directory) {
  forget(directory);
  return real_closedir(directory);
}
