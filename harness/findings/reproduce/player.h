// SPDX-License-Identifier: Apache-2.0
// reproduce.py at work: the script that is sent to others is the one that tries places here, in a
// private folder, on a plain server that it starts itself. While it tries, a line of JSON goes each
// way; else it is run as anybody runs it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/unique_fd.h"

namespace esox {

// Throws ServerError, also of what the script cannot do here, in its words, and when it is stopped.
class Player {
 public:
  // `server`: the program.
  Player(const std::filesystem::path& server, const nlohmann::ordered_json& plan,
         const std::atomic<bool>& stop);
  ~Player() { stop(); }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // What it compares: member "compared", and "labels", all that it asks a server for.
  const nlohmann::json& greeting() const { return greeting_; }

  // The answer to one request of trials.
  nlohmann::json ask(const nlohmann::ordered_json& request);

  // Ends the trials.
  void stop();

 private:
  nlohmann::json answer();
  std::string line();

  const std::atomic<bool>& stop_;
  PrivateDirectory folder_;
  UniqueFd asking_;
  UniqueFd answers_;
  std::string read_;  // of the answers, and not yet taken
  std::unique_ptr<Process> process_;
  nlohmann::json greeting_;
};

// With this plan, as anybody runs it; all that it tells. Throws ServerError.
nlohmann::json play(const std::filesystem::path& server, const nlohmann::ordered_json& plan,
                    unsigned rounds, const std::atomic<bool>& stop);

// Why the script could not hold threads here; empty: it could.
std::string why_no_holds();

}  // namespace esox
