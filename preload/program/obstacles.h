// SPDX-License-Identifier: Apache-2.0
// What in a process of one thread would not be its children's own after a fork.
#pragma once

#include <cstdint>

#include "preload/protocol/program.h"

namespace esox {

// Files open for reading are none: their places are noted, and set back before each fork, since a
// file's place is shared by all processes that have it from one opening.
class FilePlaces {
 public:
  static constexpr uint32_t kMost = 64;

  // False: there is no room.
  bool note(int fd, int64_t place);
  void set_back() const;

 private:
  struct Place {
    int fd;
    int64_t place;
  };
  Place places_[kMost] = {};
  uint32_t count_ = 0;
};

struct Obstacle {
  ForkObstacle kind = ForkObstacle::kNone;
  int fd = -1;
};

// Notes the places of the files on its way.
Obstacle find_obstacle(FilePlaces& places);

}  // namespace esox
