// SPDX-License-Identifier: Apache-2.0
// The bugs that the server can be started with (--bug=NAME): one at a time, none unless asked for.
//
// Most are the same mistake at different places: a lock that a request needs from its first
// look to its last change is let go in the middle. gap() is that mistake.
#pragma once

#include <mutex>
#include <span>
#include <string_view>

namespace keyvalue {

struct Bug {
  std::string_view name;
  std::string_view what;  // in a line
};

std::span<const Bug> all_bugs();

// Before any thread is started. "none" is no bug; false if there is none of this name.
bool choose_bug(std::string_view name);

bool has(std::string_view bug);

// Where the bug is: lets others have the lock, and takes it again.
template <class Lock>
void gap(Lock& lock, std::string_view bug) {
  if (!has(bug)) return;
  lock.unlock();
  lock.lock();
}

}  // namespace keyvalue
