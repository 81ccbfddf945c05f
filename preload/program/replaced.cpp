// SPDX-License-Identifier: Apache-2.0
// A controlled process that becomes another program (exec) leaves control without a word: here the
// word is left behind. Children that do so, forked ones and vfork's, which share their parent's
// memory until then, are none of ours.
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "preload/core/control.h"
#include "preload/core/raw.h"
#include "preload/core/real.h"
#include "preload/scheduler/thread_table.h"

namespace esox {
namespace {

ESOX_REAL(execve);
ESOX_REAL(execvpe);
ESOX_REAL(fexecve);

constexpr size_t kMostArguments = 1024;  // of the variadic calls

bool is_controlled_process() {
  return t_self != nullptr && t_self->slot->tid == raw::thread_id();
}

// Until it fails, which is the only way to come back.
int replace(auto call) {
  const bool noted = is_controlled_process();
  if (noted) block().forks.replaced.store(1);
  const int result = call();
  if (noted) block().forks.replaced.store(0);
  return result;
}

// The arguments of a variadic call up to their null. False: there are too many.
bool collect(const char* first, va_list& rest, char** arguments) {
  size_t count = 0;
  for (const char* one = first; one != nullptr; one = va_arg(rest, const char*)) {
    if (count == kMostArguments) return false;
    arguments[count++] = const_cast<char*>(one);
  }
  arguments[count] = nullptr;
  return true;
}

int too_many() {
  errno = E2BIG;
  return -1;
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int execve(const char* path, char* const* arguments, char* const* variables) noexcept {
  return replace([&] { return real_execve(path, arguments, variables); });
}

ESOX_HOOK int execv(const char* path, char* const* arguments) noexcept {
  return replace([&] { return real_execve(path, arguments, environ); });
}

ESOX_HOOK int execvpe(const char* file, char* const* arguments, char* const* variables) noexcept {
  return replace([&] { return real_execvpe(file, arguments, variables); });
}

ESOX_HOOK int execvp(const char* file, char* const* arguments) noexcept {
  return replace([&] { return real_execvpe(file, arguments, environ); });
}

ESOX_HOOK int fexecve(int fd, char* const* arguments, char* const* variables) noexcept {
  return replace([&] { return real_fexecve(fd, arguments, variables); });
}

ESOX_HOOK int execl(const char* path, const char* first, ...) noexcept {
  char* arguments[kMostArguments + 1];
  va_list rest;
  va_start(rest, first);
  const bool fits = collect(first, rest, arguments);
  va_end(rest);
  return fits ? execv(path, arguments) : too_many();
}

ESOX_HOOK int execlp(const char* file, const char* first, ...) noexcept {
  char* arguments[kMostArguments + 1];
  va_list rest;
  va_start(rest, first);
  const bool fits = collect(first, rest, arguments);
  va_end(rest);
  return fits ? execvp(file, arguments) : too_many();
}

ESOX_HOOK int execle(const char* path, const char* first, ...) noexcept {
  char* arguments[kMostArguments + 1];
  va_list rest;
  va_start(rest, first);
  const bool fits = collect(first, rest, arguments);
  char* const* variables = va_arg(rest, char* const*);
  va_end(rest);
  return fits ? execve(path, arguments, variables) : too_many();
}
