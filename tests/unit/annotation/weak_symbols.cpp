// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/annotation/region_fixture.h"

namespace esox {
Recorder* g_listener = nullptr;
}  // namespace esox

using esox::g_listener;

extern "C" {

esox_component esox_summary_open(const char* name, int kind, int inclusion) {
  return g_listener != nullptr ? g_listener->open(name, kind, inclusion) : 0;
}

void esox_summary_record(esox_component component, int operation, const esox_element* key,
                         const esox_element* value) {
  if (g_listener != nullptr) g_listener->record(component, operation, key, value);
}

void esox_summary_rename(esox_component component, const char* name) {
  if (g_listener != nullptr) g_listener->rename(component, name);
}

void esox_summary_close(esox_component component) {
  if (g_listener != nullptr) g_listener->close(component);
}

void esox_summary_digest(const void* bytes, uint64_t count, unsigned char digest[16]) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, count);
  memcpy(digest, &hash, 16);
}

void esox_summary_component_digest(esox_component component, unsigned char digest[16]) {
  if (g_listener != nullptr) g_listener->digest_of_component(component, digest);
}
}
