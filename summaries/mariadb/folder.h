// SPDX-License-Identifier: Apache-2.0
// A folder of the server's, looked into from outside. On the path of every execution, so that it is
// opened once and no paths are put together.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace esox {

class Folder {
 public:
  explicit Folder(const std::filesystem::path& path);

  // errno of what could not be done last; 0: all could.
  int error() const { return error_; }

  // Without "." and "..", in no order.
  std::vector<std::string> names();

  // Nothing if it cannot be read or is larger.
  std::optional<std::string> contents(const std::string& name, size_t max_bytes);

 private:
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  std::unique_ptr<DIR, Close> folder_;
  int error_ = 0;
};

}  // namespace esox
