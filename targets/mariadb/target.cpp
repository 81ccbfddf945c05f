// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/target.h"

#include "targets/mariadb/sync/find_sync_test.h"
#include "targets/mysqld/plugins.h"

namespace esox {

StateGap MariadbTarget::state_gap(const Server& server,
                                  const std::vector<std::string>& options) const {
  const Release& release = static_cast<const MysqldServer&>(server).release();  // of make_server()
  return {missing_plugins(server.program(), release, options),
          "install the server's plugins (Debian: they come with mariadb-server)"};
}

SyncTest MariadbTarget::sync_test(const SyncTestRequest& request) const {
  return find_sync_test(request, [&](const std::filesystem::path& program, const auto& cache) {
    ServerOptions options;
    options.program = program.string();
    options.cache = cache;
    options.options = request.options;
    return std::make_unique<MysqldServer>(options, places(), flavour());
  });
}

}  // namespace esox
