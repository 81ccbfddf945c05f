// SPDX-License-Identifier: Apache-2.0
// See workbench.h.
#include "harness/commands/workbench.h"

#include <cstdio>
#include <mutex>
#include <string_view>

#include "harness/commands/preload_library.h"

namespace esox {
namespace {

Isolation isolation_of(const std::string& name) {
  for (const Isolation one : {Isolation::kSnapshot, Isolation::kRestart}) {
    if (name == isolation_name(one)) return one;
  }
  return Isolation::kAuto;
}

// Once, whichever worker is the first.
void tell_fallback(const std::string& reason) {
  static std::once_flag told;
  std::call_once(told, [&] {
    std::fprintf(stderr,
                 "esox: no snapshots here, so the server is restarted for each execution, which "
                 "takes some thirty times as long; see esox doctor. Why: %s\n",
                 reason.c_str());
  });
}

}  // namespace

Workbench make_workbench(const CommonOptions& options) {
  Workbench bench;
  bench.executor.preload_library = find_preload(options.preload);
  bench.executor.base = temporary_base();
  bench.executor.isolation = isolation_of(options.isolation);
  bench.executor.on_fallback = tell_fallback;
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
