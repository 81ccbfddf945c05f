// SPDX-License-Identifier: Apache-2.0
// What MySQL and MariaDB have in common, of any release: nearly everything. What differs between
// releases is found out by asking them (release.h); what a flavour is called, speaks of its own and
// ships is in ../mariadb/ and ../mysql/.
#pragma once

#include "targets/mysqld/server.h"
#include "targets/mysqld/state/components.h"
#include "targets/target.h"

namespace esox {

class MysqldTarget : public Target {
 public:
  std::string_view family() const override { return "mysqld"; }
  ProgramPlaces places() const override;
  bool is_server_of(const std::filesystem::path& program) const override;
  std::unique_ptr<Server> make_server(const ServerOptions& options) const override {
    return std::make_unique<MysqldServer>(options, places(), flavour());
  }
  std::string version_name(const std::string& version_line) const override {
    return version_name_of(version_line);
  }

  std::unique_ptr<Client> make_client(int reply_timeout_ms) const override;
  bool empty(Client& own) const override;
  bool says_shutdown(const Output& reply) const override;
  bool says_end(const Output& reply) const override;

  std::span<const ComponentFacts> components() const override { return mysqld_components(); }
  std::unique_ptr<ServerState> make_state(const SessionView& session) const override;
  ReplayedLog replay(const WrittenLog& log, const ReplaySession& session) const override;
  std::vector<Component> compare_with_replayed(const StateSummary& state,
                                               const ReplayedLog& replayed) const override;
  RowLog row_log(const WrittenLog& log) const override;
  std::vector<StateAnswer> answer(const RowLog& log, std::span<const StateQuestion> questions,
                                  const ReplaySession& session) const override;

  // What both flavours understand is kept once.
  std::filesystem::path inputs_folder() const override;
  std::optional<std::filesystem::path> filters_file() const override;
  std::vector<std::filesystem::path> hunted_inputs() const override;
  std::string starter_part() const override;
  std::string trial_input() const override;
  std::vector<std::string> holdings_questions() const override;
  Holdings holdings_of(std::span<const Output> replies) const override;
  std::vector<std::pair<std::string, std::string>> libraries() const override;
  const SuiteImport* suite_import() const override;
  ExportPieces export_pieces(const ExportedFinding& finding) const override;

 protected:
  virtual Flavour flavour() const = 0;
  // The names of its program, the first of which is its own; the Debian package that has it.
  virtual std::vector<std::string> program_names() const = 0;
  virtual std::string package() const = 0;
  // The command that makes `data`, for a reader.
  virtual std::string data_maker() const = 0;
};

}  // namespace esox
