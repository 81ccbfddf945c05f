// SPDX-License-Identifier: Apache-2.0
// A finding's statements as files for the server's own client and test program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "targets/mysqld/options.h"
#include "targets/mysqld/target.h"

namespace esox {
namespace {

std::string by_hand(const std::string& server, const std::string& make_data,
                    const std::vector<std::string>& options) {
  return fmt::format(
      "The server was started on an empty data directory by\n\n"
      "```\nmkdir data tmp\n{}\n{} --no-defaults {} --datadir=data --tmpdir=tmp "
      "--socket=server.sock --pid-file=server.pid --skip-networking\n```\n\n"
      "setup.sql is run in the database `test`, then each client-*.sql on a connection of its "
      "own.\n\n",
      make_data, server, fmt::join(options, " "));
}

// By their ids, which esox import makes.
std::string licence_of(const Input& input) {
  if (!input.id.starts_with("mtr/")) return {};
  return fmt::format(
      "taken from the server's own regression suite ({}), under its licence, GPL-2.0-only",
      input.title.empty() ? input.id : input.title);
}

}  // namespace

ExportPieces MysqldTarget::export_pieces(const ExportedFinding& finding) const {
  ExportPieces pieces;
  pieces.statement_end = ";\n";
  pieces.notation = "sql";
  pieces.files["setup.sql"] = lines_of(finding.input.setup, pieces.statement_end);
  for (const InputClient& client : finding.input.clients) {
    pieces.files["client-" + client.name + ".sql"] =
        lines_of(texts_of(finding.input, client), pieces.statement_end);
  }
  pieces.client = "`mysql --user=root --socket=SOCKET test`";
  pieces.licence = licence_of(finding.input);
  pieces.server_options = portable_options(finding.options);
  pieces.by_hand = by_hand(places().names.front(), data_maker(), pieces.server_options);
  return pieces;
}

}  // namespace esox
