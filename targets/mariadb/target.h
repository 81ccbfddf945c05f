// SPDX-License-Identifier: Apache-2.0
// MariaDB, of any version, as its distribution makes it: what docs/mariadb-state.md describes.
#pragma once

#include "targets/mariadb/language.h"
#include "targets/mariadb/server.h"
#include "targets/mariadb/state/components.h"
#include "targets/target.h"

namespace esox {

class MariadbTarget final : public Target {
 public:
  const RequestLanguage& language() const override { return mariadb_language(); }

  ProgramPlaces places() const override { return mariadb_places(); }
  std::unique_ptr<Server> make_server(const ServerOptions& options) const override {
    return std::make_unique<MariadbServer>(options);
  }
  std::string version_name(const std::string& version_line) const override;

  std::unique_ptr<Client> make_client(int reply_timeout_ms) const override;
  bool empty(Client& own) const override;
  bool says_shutdown(const Output& reply) const override;

  std::span<const ComponentFacts> components() const override { return mariadb_components(); }
  std::unique_ptr<ServerState> make_state(const SessionView& session) const override;
  StateGap state_gap(const Server& server, const std::vector<std::string>& options) const override;
  ReplayedLog replay(const WrittenLog& log, const ReplaySession& session) const override;
  std::vector<Component> compare_with_replayed(const StateSummary& state,
                                               const ReplayedLog& replayed) const override;

  std::vector<std::filesystem::path> hunted_inputs() const override;
  std::optional<std::filesystem::path> filters_file() const override;
  std::string starter_part() const override;
  std::string trial_input() const override;
  std::vector<std::pair<std::string, std::string>> libraries() const override;

  const FileImport* file_import() const override;
  const SuiteImport* suite_import() const override;
  ExportPieces export_pieces(const ExportedFinding& finding) const override;
};

}  // namespace esox
