// SPDX-License-Identifier: Apache-2.0
// What a test may not leave behind: processes below this one, descriptors, private folders.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace esox {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  int nesting = 0;     // of PID namespaces, below ours
  pid_t inner = 0;     // its id in the innermost one
  bool ended = false;  // waits to be reaped
};

// False: it is gone.
inline bool read_process(const std::string& pid, ProcessEntry& entry) {
  std::ifstream status("/proc/" + pid + "/status");
  entry = {std::stoi(pid)};
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "State:") {
      std::string state;
      words >> state;
      entry.ended = state == "Z" || state == "X";
    }
    if (key == "PPid:") words >> entry.parent;
    if (key != "NSpid:") continue;
    entry.nesting = -1;
    while (words >> entry.inner) ++entry.nesting;
  }
  return entry.parent != 0;
}

// All living processes that descend from this one.
inline std::vector<ProcessEntry> descendants() {
  std::vector<ProcessEntry> all;
  for (const auto& folder : std::filesystem::directory_iterator("/proc")) {
    const std::string name = folder.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    ProcessEntry entry;
    if (read_process(name, entry)) all.push_back(entry);
  }
  std::vector<ProcessEntry> ours;
  std::vector<pid_t> parents{getpid()};
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    for (const ProcessEntry& entry : all) {
      if (entry.parent != parent) continue;
      parents.push_back(entry.pid);
      if (!entry.ended) ours.push_back(entry);
    }
  }
  return ours;
}

// What the kernel ends with its parent takes a moment. False: `done` never was true.
template <typename Done>
bool within_moments(Done done) {
  constexpr int kTurns = 3'000;
  for (int i = 0; i < kTurns && !done(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return done();
}

inline bool all_processes_end() {
  return within_moments([] { return descendants().empty(); });
}

inline size_t entries_in(const std::filesystem::path& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    (void)entry;
    ++count;
  }
  return count;
}

struct Leftovers {
  size_t processes = 0;
  size_t descriptors = 0;
  bool operator==(const Leftovers&) const = default;
};

inline Leftovers count_leftovers() {
  return {descendants().size(), entries_in("/proc/self/fd")};
}

// What is left in the end; at once if it is as expected.
inline Leftovers leftovers_in_the_end(const Leftovers& expected) {
  within_moments([&] { return count_leftovers() == expected; });
  return count_leftovers();
}

inline std::ostream& operator<<(std::ostream& out, const Leftovers& left) {
  return out << left.processes << " processes, " << left.descriptors << " descriptors";
}

}  // namespace esox
