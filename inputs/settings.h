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
//     - name: serializable-row-log
//       isolation_level: serializable    # in place of the inputs' own, where they name one
//       server_options: [--log-bin=binlog, --server-id=1, --binlog-format=ROW]
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
  std::string isolation_level;       // not empty: it is for inputs that name one
};

inline constexpr size_t kMaxSettings = 32;

// Throws InputError. Not empty; names are unique.
std::vector<Setting> read_settings(const std::filesystem::path& file,
                                   const RequestLanguage& language);
std::vector<Setting> parse_settings(std::string_view yaml, const std::string& file,
                                    const RequestLanguage& language);

// Each input as it is, followed by itself under each setting that fits its engine, whose clients it
// has room for and that changes something. A setting's options come after the input's own and so
// prevail; its isolation level takes the place of the input's.
std::vector<ConcreteInput> under_settings(std::vector<ConcreteInput> inputs,
                                          const std::vector<Setting>& settings);

}  // namespace esox
