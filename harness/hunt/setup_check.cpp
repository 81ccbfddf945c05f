// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/setup_check.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "harness/engine/execution.h"
#include "harness/engine/executor.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr int kReplyLimit_ms = 60'000;

using Statements = std::vector<std::string>;

// What the setup of an input consists of; equal ones are tried once.
std::vector<Statements> setup_of(const Input& input) {
  std::vector<Statements> parts = {input.setup};
  for (const InputClient& client : input.clients) parts.push_back(client.setup);
  return parts;
}

// One server that is kept while the options stay the same.
class Trial {
 public:
  Trial(Server& server, const std::filesystem::path& base) : server_(server), directory_(base) {}

  // What is wrong with the setup, or nothing.
  std::string run(const Input& input) {
    if (!emptied(input)) boot(input);
    std::string wrong = attempt(input);
    if (wrong.empty()) return wrong;
    boot(input);
    return attempt(input);
  }

 private:
  std::unique_ptr<Client> connected(const Input& input) const {
    auto client = target_named(input.server()).make_client(kReplyLimit_ms);
    client->connect(running_->socket_path());
    return client;
  }

  // Whether the server that is there can be taken for a new one.
  bool emptied(const Input& input) {
    if (!running_ || options_ != input.server_options) return false;
    try {
      return target_named(input.server()).empty(*connected(input));
    } catch (const ClientError&) {
      return false;
    }
  }

  void boot(const Input& input) {
    running_.reset();
    options_ = input.server_options;
    StartRequest request;
    request.directory = &directory_;
    request.options = server_options(target_named(input.server()), input);
    try {
      running_ = server_.start(request);
    } catch (const ServerError& error) {
      if (options_.empty()) throw;
      throw ServerError(fmt::format("{}: with the server_options of {}: {}", input.origin, input.id,
                                    error.what()),
                        error.details());
    }
  }

  std::string attempt(const Input& input) {
    try {
      const auto own = connected(input);
      own->run_setup(input.setup);
      for (const InputClient& client : input.clients) {
        if (!client.setup.empty()) connected(input)->run_setup(client.setup);
      }
    } catch (const ClientError& error) {
      return running_->alive()
                 ? error.what()
                 : fmt::format("the server died ({}): {}", running_->exit_text(), error.what());
    }
    return "";
  }

  Server& server_;
  PrivateDirectory directory_;
  std::unique_ptr<RunningServer> running_;
  Statements options_;
};

// Indices of one input per distinct setup, by server options, so that servers are kept.
std::map<Statements, std::vector<size_t>> distinct_setups(
    const std::vector<ConcreteInput>& inputs) {
  std::map<Statements, std::vector<size_t>> by_options;
  std::set<std::pair<Statements, std::vector<Statements>>> seen;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i].input;
    if (!seen.emplace(input.server_options, setup_of(input)).second) continue;
    by_options[input.server_options].push_back(i);
  }
  return by_options;
}

std::string failure_text(const ConcreteInput& concrete, const std::string& wrong) {
  const Input& input = concrete.input;
  std::string conditions = conditions_of(concrete);
  if (!conditions.empty()) conditions = " [" + conditions + "]";
  return fmt::format("{}: setup of {}{}: {}", input.origin, input.id, conditions, wrong);
}

}  // namespace

bool check_setups(Server& server, const std::filesystem::path& base,
                  const std::vector<ConcreteInput>& inputs, const std::atomic<bool>& stop) {
  const auto setups = distinct_setups(inputs);
  size_t count = 0;
  for (const auto& [options, indices] : setups) count += indices.size();
  if (count > kMostSetupsToCheck) return false;
  Trial trial(server, base);
  std::map<size_t, std::string> failures;  // by index: in the inputs' order
  for (const auto& [options, indices] : setups) {
    for (size_t index : indices) {
      if (stop.load()) return true;
      const std::string wrong = trial.run(inputs[index].input);
      if (!wrong.empty()) failures[index] = failure_text(inputs[index], wrong);
    }
  }
  if (failures.empty()) return true;
  std::string text = failures.begin()->second;
  if (failures.size() > 1) {
    text += fmt::format(" (and {} other setups fail, too)", failures.size() - 1);
  }
  throw SetupError(text);
}

}  // namespace esox
