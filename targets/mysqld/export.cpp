// SPDX-License-Identifier: Apache-2.0
// A finding's statements as files for the server's own client and test program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "targets/mysqld/mysqltest.h"
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
      "setup.sql is run in the database `test`, then each client-*.sql on a connection of its own. "
      "finding.test is the skeleton of a test for mysqltest, finding.opt its server's "
      "options.\n\n",
      make_data, server, fmt::join(options, " "));
}

}  // namespace

ExportPieces MysqldTarget::export_pieces(const ExportedFinding& finding) const {
  ExportPieces pieces;
  pieces.statement_end = ";\n";
  pieces.notation = "sql";
  pieces.files["setup.sql"] = lines_of(finding.input.setup, pieces.statement_end);
  for (const InputClient& client : finding.input.clients) {
    pieces.files["client-" + client.name + ".sql"] =
        lines_of(texts_of(client), pieces.statement_end);
  }
  pieces.files["finding.test"] = mysqltest_text(finding);
  pieces.files["finding.opt"] = lines_of(finding.options, "\n");
  pieces.server_options = portable_options(flavour() == Flavour::kMariadb, finding.options);
  pieces.by_hand = by_hand(places().names.front(), data_maker(), pieces.server_options);
  return pieces;
}

}  // namespace esox
