// SPDX-License-Identifier: Apache-2.0
// A server built for debugging, once more, with sync points added to its source. The build's tree
// stays as it is: files are compiled from copies, by the commands that its ninja has for them, and
// linked before the libraries that hold the others. Around the new program a folder of links stands
// for the rest of the tree.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "targets/mariadb/sync/added_points.h"

namespace esox {

// By the file that they are added to.
using AddedPoints = std::map<std::filesystem::path, std::vector<AddedPoint>>;

class PatchedBuild {
 public:
  // `server`: the program in its build's tree. `source`: the tree that it was built from. Throws
  // ServerError if it was not built by ninja, or there is none.
  PatchedBuild(const std::filesystem::path& server, std::filesystem::path source,
               const std::atomic<bool>& stop);

  // In all forms of these functions. Empty: no source file that is compiled defines one.
  AddedPoints points_in(const std::vector<std::string>& functions) const;

  // Builds it, and gives the program. What the compiler refuses is taken out of `points`, if it may
  // be, else it is an error. Throws ServerError.
  enum class Refused { kTakenOut, kAnError };
  std::filesystem::path build(AddedPoints& points, Refused refused);

  // Against the source.
  std::string patch(const AddedPoints& points) const;

 private:
  struct Step {
    std::string command;
    std::string output;
  };

  void compile(AddedPoints& points, Refused refused);
  std::string compile_command(const std::filesystem::path& file, size_t number) const;
  std::string object_of(size_t number) const;
  void link(size_t objects);
  // Ends with the command; empty: it succeeded.
  std::string run(const std::string& command, const std::string& name) const;

  const std::filesystem::path tree_;
  const std::filesystem::path source_;
  const std::filesystem::path server_;  // relative to the tree
  const std::atomic<bool>& stop_;
  std::map<std::filesystem::path, Step> compiling_;  // by source file
  Step linking_;
  std::unique_ptr<PrivateDirectory> folder_;
};

}  // namespace esox
