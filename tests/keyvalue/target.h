// SPDX-License-Identifier: Apache-2.0
// The key-value server as a target of esox: the smallest there is, and the example of
// docs/your-server.md.
#pragma once

#include "targets/target.h"

namespace esox {

class KeyvalueTarget final : public Target {
 public:
  const RequestLanguage& language() const override;
  ProgramPlaces places() const override;
  std::unique_ptr<Server> make_server(const ServerOptions& options) const override;
  std::unique_ptr<Client> make_client(int reply_timeout_ms) const override;
  std::span<const ComponentFacts> components() const override;
  std::unique_ptr<ServerState> make_state(const SessionView& session) const override;
  std::filesystem::path inputs_folder() const override;
};

}  // namespace esox
