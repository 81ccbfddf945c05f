// SPDX-License-Identifier: Apache-2.0
#include "preload/core/real.h"

#include <dlfcn.h>

#include "preload/core/die.h"
#include "preload/core/inside.h"

// By the linker: the bounds of all ESOX_LISTED.
extern "C" esox::RealSymbol __start_esox_real[] __attribute__((visibility("hidden")));
extern "C" esox::RealSymbol __stop_esox_real[] __attribute__((visibility("hidden")));

namespace esox {

// Inside: a signal handler that came meanwhile would give the baton away with the loader's lock
// held.
void* find_real(const char* name, const char* version) {
  const Inside inside;
  void* function = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return function != nullptr ? function : dlsym(RTLD_NEXT, name);
}

void* resolve_real(const char* name, const char* version) {
  void* function = find_real(name, version);
  if (function != nullptr) return function;
  die("esox: the C library lacks ", name, "\nesox: this C library is not supported\n");
}

void* RealSymbol::resolve() const {
  if (this < __start_esox_real || this >= __stop_esox_real) {
    die("esox: the hook of ", name_, " does not list its function (ESOX_LISTED)\n");
  }
  return resolve_real(name_, version_);
}

void look_ahead_for_real_functions() {
  for (RealSymbol* symbol = __start_esox_real; symbol != __stop_esox_real; ++symbol) {
    symbol->look_ahead();
  }
}

}  // namespace esox
