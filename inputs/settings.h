// SPDX-License-Identifier: Apache-2.0
// Settings under which a hunt tries its inputs besides: a matrix, not copies of inputs. A bug may
// need row-based logging, or the absence of the query cache, or a session that keeps old versions
// of rows alive.
//
//   settings:
//     - name: row-log
//       server_options: [--log-bin=binlog, --server-id=1, --binlog-format=ROW]
//     - name: history-kept
//       engines: [InnoDB]                # optional: only where it matters
//       setup: [...]                     # after the input's own
//       clients: [{name: keeper, setup: [...], requests: [...]}]   # beside the input's own
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"

namespace esox {

struct Setting {
  std::string name;
  std::vector<std::string> server_options;
  std::vector<std::string> setup;
  std::vector<InputClient> clients;
  std::vector<std::string> engines;  // the only ones it is for; empty: all, and inputs without any
};

inline constexpr size_t kMaxSettings = 32;

// Throws InputError. Not empty; names are unique.
std::vector<Setting> read_settings(const std::filesystem::path& file,
                                   const RequestLanguage& language);
std::vector<Setting> parse_settings(std::string_view yaml, const std::string& file,
                                    const RequestLanguage& language);

// Each input as it is, followed by itself under each setting that fits its engine and whose clients
// it has room for. A setting's options come after the input's own and so prevail.
std::vector<ConcreteInput> under_settings(std::vector<ConcreteInput> inputs,
                                          const std::vector<Setting>& settings);

}  // namespace esox
