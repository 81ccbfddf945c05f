// SPDX-License-Identifier: Apache-2.0
// One supervisor per output folder: a lock on OUT/night.lock, which the kernel gives back however
// its holder ends. It knows its holder, so that a second one can say whom it met.
#pragma once

#include <filesystem>

#include "base/process/unique_fd.h"

namespace esox {

class NightLock {
 public:
  // Makes the folder if there is none. Throws OutError: another night is at work in it, or it
  // cannot be made.
  explicit NightLock(const std::filesystem::path& out);

 private:
  UniqueFd file_;
};

}  // namespace esox
