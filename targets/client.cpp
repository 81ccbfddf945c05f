// SPDX-License-Identifier: Apache-2.0
#include "targets/client.h"

#include <fmt/format.h>

namespace esox {

void Client::run_setup(const std::vector<std::string>& statements, const AfterEach& after_each) {
  const ReplyLimit limit(*this);
  for (size_t i = 0; i < statements.size(); ++i) {
    const Output output = run(Request{statements[i], false});
    if (!output.answered) {
      throw ClientError(fmt::format("setup statement {} had no reply ({}): {}", i + 1,
                                    output.message, statements[i]));
    }
    if (output.error != 0) {
      throw ClientError(fmt::format("setup statement {} failed with error {} ({}) {}: {}", i + 1,
                                    output.error, output.sql_state, output.message, statements[i]));
    }
    if (after_each) after_each(statements[i]);
  }
}

}  // namespace esox
