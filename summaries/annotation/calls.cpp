// SPDX-License-Identifier: Apache-2.0
// libesox_summary.so: the weak symbols of esox_summary.h made real, in an annotated server that
// esox started. Without the variable that names the region every handle is 0.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "summaries/annotation/recorder.h"

namespace esox {
namespace {

SummaryRegion* g_region = nullptr;

void say(const char* message) {
  if (write(STDERR_FILENO, message, strlen(message)) < 0) return;
}

__attribute__((constructor)) void attach() {
  const char* path = getenv(kRegionVariable);
  if (path == nullptr || *path == '\0') return;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  unsetenv(kRegionVariable);
  if (fd < 0) return say("esox: the summary region cannot be opened; no annotation is recorded\n");
  void* mapped = mmap(nullptr, sizeof(SummaryRegion), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) {
    return say("esox: the summary region cannot be mapped; no annotation is recorded\n");
  }
  auto* region = static_cast<SummaryRegion*>(mapped);
  if (region->magic != kRegionMagic || region->version != kRegionVersion ||
      region->bytes_of_components != sizeof region->components) {
    return say("esox: libesox_summary.so and esox are of different builds; build both anew\n");
  }
  Recorder(*region).touch_log();
  g_region = region;
  region->attached.store(1);
}

}  // namespace
}  // namespace esox

using namespace esox;

#define ESOX_EXPORTED __attribute__((visibility("default")))

extern "C" {

ESOX_EXPORTED esox_component esox_summary_open(const char* name, int kind, int inclusion) {
  if (g_region == nullptr || name == nullptr) return 0;
  return Recorder(*g_region).open(name, kind, inclusion);
}

ESOX_EXPORTED void esox_summary_record(esox_component component, int operation,
                                       const esox_element* key, const esox_element* value) {
  if (g_region != nullptr) Recorder(*g_region).record(component, operation, key, value);
}

ESOX_EXPORTED void esox_summary_digest(const void* bytes, uint64_t count,
                                       unsigned char digest[16]) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, count);
  memcpy(digest, &hash, 16);
}

ESOX_EXPORTED void esox_summary_component_digest(esox_component component,
                                                 unsigned char digest[16]) {
  if (g_region != nullptr) Recorder(*g_region).digest_of_component(component, digest);
}
}
