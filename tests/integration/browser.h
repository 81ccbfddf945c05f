// SPDX-License-Identifier: Apache-2.0
// A real browser without a window, driven through two pipes (the DevTools protocol); no port is
// opened, and nothing but local files is loaded.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/process/private_directory.h"
#include "base/process/unique_fd.h"

namespace esox {

class Browser {
 public:
  // Chromium as Debian has it; none if it is not installed.
  static std::optional<std::filesystem::path> program();

  explicit Browser(const std::filesystem::path& program);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Shows a local file in a window of that size; returns when it is loaded. `dark`: as a reader has
  // it whose system is dark.
  void open(const std::filesystem::path& file, int width, int height, bool dark = false);
  // The value of an expression in the page. Throws std::runtime_error with the page's exception.
  nlohmann::json evaluate(const std::string& expression);
  void press_tab();
  void press_enter();
  // A picture of what the window shows, PNG.
  std::string screenshot();
  // What the page complained of since it was opened: exceptions, errors on the console.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  using Json = nlohmann::json;

  Json call(const std::string& method, const Json& parameters);
  Json receive();
  void note(const Json& event);
  void press(const char* key, int code, const char* text);

  PrivateDirectory profile_{temporary_base()};
  pid_t process_ = -1;
  UniqueFd to_;
  UniqueFd from_;
  std::string received_;
  std::string session_;
  int last_id_ = 0;
  bool loaded_ = false;
  std::vector<std::string> complaints_;
};

}  // namespace esox
