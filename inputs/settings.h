// SPDX-License-Identifier: Apache-2.0
// Settings of the server under which a hunt tries its inputs besides: a matrix, not copies of
// inputs. A bug may need row-based logging, or the absence of the query cache.
//
//   settings:
//     - name: row-log
//       server_options: [--log-bin=binlog, --server-id=1, --binlog-format=ROW]
//     - name: read-committed
//       engines: [InnoDB]                # optional: only where it matters
//       server_options: [--transaction-isolation=READ-COMMITTED]
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
  std::vector<std::string> engines;  // the only ones it is for; empty: all, and inputs without any
};

inline constexpr size_t kMaxSettings = 32;

// Throws InputError. Not empty; names are unique.
std::vector<Setting> read_settings(const std::filesystem::path& file,
                                   const RequestLanguage& language);
std::vector<Setting> parse_settings(std::string_view yaml, const std::string& file,
                                    const RequestLanguage& language);

// Each input as it is, followed by itself under each setting that fits its engine. A setting's
// options come after the input's own and so prevail.
std::vector<ConcreteInput> under_settings(std::vector<ConcreteInput> inputs,
                                          const std::vector<Setting>& settings);

}  // namespace esox
