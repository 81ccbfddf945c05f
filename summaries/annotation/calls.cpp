// SPDX-License-Identifier: Apache-2.0
// libesox_summary.so: the weak symbols of esox_summary.h made real, in an annotated server that
// esox started. Without the variable that asks for it nothing is recorded: every handle is 0.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "summaries/annotation/recorder.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace esox {
namespace {

SummaryRegion* g_region = nullptr;

// A server that cannot record must not run as if it had nothing to tell.
[[noreturn]] void refuse(const char* message) {
  const ssize_t written = write(STDERR_FILENO, message, strlen(message));
  _exit(written < 0 ? 126 : 127);
}

__attribute__((constructor)) void make_region() {
  const char* asked = getenv(kRecordVariable);
  if (asked == nullptr || *asked == '\0') return;
  unsetenv(kRecordVariable);
  void* const wanted = reinterpret_cast<void*>(kRegionAddress);
  void* mapped = mmap(wanted, sizeof(SummaryRegion), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == MAP_FAILED) {
    refuse("esox: no memory for annotations at their address; raise the limit (ulimit -v)\n");
  }
  if (mapped != wanted) {  // a kernel before 4.17 takes the address for a hint
    refuse("esox: the address of annotations is in use; run the server without sanitizers\n");
  }
  g_region = static_cast<SummaryRegion*>(mapped);
  Recorder recorder(*g_region);
  recorder.touch();
  recorder.sign();
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

ESOX_EXPORTED void esox_summary_rename(esox_component component, const char* name) {
  if (g_region != nullptr && name != nullptr) Recorder(*g_region).rename(component, name);
}

ESOX_EXPORTED void esox_summary_close(esox_component component) {
  if (g_region != nullptr) Recorder(*g_region).close(component);
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
