// SPDX-License-Identifier: Apache-2.0
// reproduce.py at work: the script that is sent to others is the one that tries places here, in a
// private folder, on a plain server that it starts itself. While it tries, a line of JSON goes each
// way; in the end it is run as anybody runs it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/unique_fd.h"

namespace esox {

// Throws ServerError, also of what the script cannot do here, in its words.
class Player {
 public:
  // `server`: the program.
  Player(std::filesystem::path server, const nlohmann::ordered_json& plan);

  // What it compares: member "compared", and "labels", all that it asks a server for.
  const nlohmann::json& greeting() const { return greeting_; }

  // The answer to one request of trials.
  nlohmann::json ask(const nlohmann::ordered_json& request);

  // Ends the trials.
  void stop();

  // With this plan, as anybody runs it.
  nlohmann::json play(const nlohmann::ordered_json& plan, unsigned rounds);

 private:
  ProcessPlan process_plan(const std::vector<std::string>& arguments) const;
  void write_plan(const nlohmann::ordered_json& plan) const;
  nlohmann::json answer();
  std::string line();

  std::filesystem::path server_;
  PrivateDirectory folder_;
  std::filesystem::path python_;
  UniqueFd asking_;
  UniqueFd answers_;
  std::string read_;  // of the answers, and not yet taken
  std::unique_ptr<Process> process_;
  nlohmann::json greeting_;
};

// Why the script could not hold threads here; empty: it could.
std::string why_no_holds();

}  // namespace esox
