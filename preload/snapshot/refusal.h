// SPDX-License-Identifier: Apache-2.0
// Saying why something cannot be done: filled into the reply to the harness.
#pragma once

#include <string_view>

#include "preload/protocol/snapshot.h"
#include "preload/snapshot/line_writer.h"

namespace esox {

// Marks the reply as a failure and begins its one line of text; append to the writer given back.
inline LineWriter refuse(SnapshotReply& reply, SnapshotStep step, long error,
                         std::string_view what) {
  reply.ok = 0;
  reply.step = step;
  reply.error = static_cast<int32_t>(error < 0 ? -error : error);
  LineWriter text(reply.text, sizeof reply.text);
  text.text(what);
  return text;
}

}  // namespace esox
