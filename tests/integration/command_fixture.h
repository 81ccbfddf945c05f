// SPDX-License-Identifier: Apache-2.0
// Runs the esox command as a user would, in a private folder, and looks at what it says and leaves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process/private_directory.h"

namespace esox {

struct Said {
  int status = -1;  // exit status; 1000 + signal if killed; -1 if it took too long
  std::string out;
  std::string err;
};

// For a child, before the command runs: a tmpfs in a mount name space of its own, so that nothing
// of it is seen outside or left behind; without root in a user name space, too. `flags` and
// `options` as mount(2) takes them. Where the machine forbids it the child ends with kNoMount.
inline constexpr int kNoMount = 99;
void mount_small(const std::filesystem::path& at, unsigned long flags, const char* options);

class CommandTest : public testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;

  // "01-..." of the inputs that come with esox.
  static std::string shipped(const std::string& name);
  // The positive control.
  static std::string control() { return shipped("pike-table-5-2/04-insert-select.yaml"); }

  std::filesystem::path folder() const { return folder_.path() / "work"; }
  std::string write(const std::string& name, const std::string& text) const;
  static std::string read(const std::filesystem::path& path);

  // In folder(); `in_child` runs in the child before the command does.
  Said esox(
      const std::vector<std::string>& arguments,
      std::chrono::seconds limit = std::chrono::seconds(400),
      const std::function<void()>& in_child = [] {});

  // The same in two steps, one command at a time.
  pid_t start(const std::vector<std::string>& arguments, const std::function<void()>& in_child);
  Said finish(std::chrono::seconds limit);

  // Hunts the control until something is found, seed after seed; gives the finding's folder. What
  // is `diagnosed` and minimised besides takes ten times as long.
  std::filesystem::path hunt_until_found(const std::string& out,
                                         const std::vector<std::string>& more = {},
                                         bool diagnosed = false);

  // Command lines of all processes that live in our folder (servers, above all).
  std::vector<std::string> processes_left() const;
  // Waits until there are none, at most so long.
  bool all_gone(std::chrono::seconds limit) const;

  static bool wait_until(const std::function<bool()>& true_now, std::chrono::seconds limit);

  // Folders of findings that are complete, below `out`.
  static std::vector<std::filesystem::path> findings_in(const std::filesystem::path& out);

 private:
  PrivateDirectory folder_{temporary_base()};
  pid_t child_ = -1;
};

}  // namespace esox
