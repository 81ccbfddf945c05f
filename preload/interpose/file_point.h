// SPDX-License-Identifier: Apache-2.0
// Scheduling points of file operations, and the form of most of their hooks: a point, then the real
// call.
#pragma once

#include "preload/core/real.h"
#include "preload/interpose/path_objects.h"
#include "preload/scheduler/scheduler.h"

namespace esox {

// A point on a path; the name is kept for the trace.
inline void path_point(OpKind kind, const char* path, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || path == nullptr) return;
  const uint64_t object = path_object(path);
  remember_name(object, path);
  g_scheduler.point(*t, kind, object, site);
}

// A point on an open file.
inline void file_point(OpKind kind, int fd, uint64_t site, uint64_t aux = 0) {
  if (ControlledThread* t = self()) {
    g_scheduler.point(*t, kind, descriptor_object(fd), site, aux);
  }
}

}  // namespace esox

// The hook of `name`: `point`, which may use the parameters and `site`, then the real call.
// `throws` is `noexcept` where the C library's header says so.
#define ESOX_POINT_HOOK(result, name, parameters, arguments, throws, point) \
  static ESOX_REAL(name);                                                   \
  ESOX_HOOK result name parameters throws {                                 \
    [[maybe_unused]] const uint64_t site = ESOX_SITE();                     \
    point;                                                                  \
    return real_##name arguments;                                           \
  }
