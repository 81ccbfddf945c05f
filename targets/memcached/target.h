// SPDX-License-Identifier: Apache-2.0
// memcached, spoken to by its text protocol: what docs/memcached.md describes.
#pragma once

#include "targets/memcached/client.h"
#include "targets/memcached/interface.h"
#include "targets/memcached/language.h"
#include "targets/memcached/server.h"
#include "targets/target.h"

namespace esox {

class MemcachedTarget final : public Target {
 public:
  const RequestLanguage& language() const override { return memcached_language(); }

  ProgramPlaces places() const override { return memcached_places(); }
  std::unique_ptr<Server> make_server(const ServerOptions& options) const override {
    return std::make_unique<MemcachedServer>(options);
  }
  // A worker thread for each client: connections go to the workers in turn, so that with as many of
  // them each client has one to itself, which is controlled as the thread of this client.
  std::vector<std::string> options_for(const Input& input) const override;

  std::unique_ptr<Client> make_client(int reply_timeout_ms) const override {
    return std::make_unique<MemcachedClient>(reply_timeout_ms);
  }
  bool empty(Client& own) const override;
  std::span<const ComponentFacts> components() const override { return memcached_components(); }
  std::unique_ptr<ServerState> make_state(const SessionView& session) const override;
  StateGap state_gap(const Server& server, const std::vector<std::string>& options) const override;

  std::optional<std::filesystem::path> filters_file() const override;
  std::optional<std::filesystem::path> grammar_file() const override;
  std::string starter_part() const override;
  const FileImport* file_import() const override;
  ExportPieces export_pieces(const ExportedFinding& finding) const override;
};

}  // namespace esox
