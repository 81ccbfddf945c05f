// SPDX-License-Identifier: Apache-2.0
// See workbench.h.
#include "harness/commands/workbench.h"

#include <string_view>

#include "harness/commands/preload_library.h"

namespace esox {

Workbench make_workbench(const CommonOptions& options) {
  Workbench bench;
  bench.executor.preload_library = find_preload(options.preload);
  bench.executor.base = temporary_base();
  MariadbOptions server;
  server.program = options.server;
  server.options = options.server_options;
  server.base = bench.executor.base;
  bench.server = std::make_unique<MariadbServer>(server);
  bench.server->prepare();
  bench.description = {version_name(bench.server->version()), bench.server->program().string(),
                       options.server_options};
  return bench;
}

std::string version_name(const std::string& version_line) {
  static constexpr std::string_view kMark = " Ver ";
  const size_t mark = version_line.find(kMark);
  if (mark == std::string::npos) return version_line;
  const size_t begin = mark + kMark.size();
  return version_line.substr(begin, version_line.find(' ', begin) - begin);
}

}  // namespace esox
