// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/target.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "targets/socket_server.h"
#include "tests/keyvalue/client.h"
#include "tests/keyvalue/state.h"

namespace esox {
namespace {

// A request is a line, and its first word says what it does: all as it is by default.
class KeyvalueLanguage final : public RequestLanguage {
 public:
  std::string_view server() const override { return "keyvalue"; }
};

// The server has no other options, and none that leads out of its folder.
std::vector<std::string> command_line(const std::string& socket,
                                      const std::vector<std::string>& options) {
  std::vector<std::string> line = {"--socket=" + socket};
  for (const std::string& option : options) {
    if (!option.starts_with("--bug=") && option != "--worker" && option != "--onlooker" &&
        option != "--late" && option != "--keep") {
      throw ServerError(
          "server option '" + option +
          "' is none of keyvalue_server; it has --bug=, --worker, --onlooker, --late and --keep");
    }
    line.push_back(option);
  }
  return line;
}

}  // namespace

const RequestLanguage& KeyvalueTarget::language() const {
  static const KeyvalueLanguage language;
  return language;
}

ProgramPlaces KeyvalueTarget::places() const {
  return {
      {"keyvalue_server"}, "", {"", "tests/keyvalue"}, "build it, and give its path by --server"};
}

std::unique_ptr<Server> KeyvalueTarget::make_server(const ServerOptions& options) const {
  return std::make_unique<SocketServer>(options, places(), "a key-value server", command_line);
}

std::unique_ptr<Client> KeyvalueTarget::make_client(int reply_timeout_ms) const {
  return std::make_unique<KeyvalueClient>(reply_timeout_ms);
}

std::span<const ComponentFacts> KeyvalueTarget::components() const {
  return keyvalue_facts();
}

std::unique_ptr<ServerState> KeyvalueTarget::make_state(const SessionView& session) const {
  auto state = std::make_unique<StateSources>();
  state->add(std::make_unique<KeyvalueState>(ask_on(session.own)));
  state->add(std::make_unique<Observations>(ask_on(session.own), session.input.observations));
  return state;
}

std::filesystem::path KeyvalueTarget::inputs_folder() const {
  return ESOX_KEYVALUE_INPUTS;
}

}  // namespace esox
