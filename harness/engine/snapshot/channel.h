// SPDX-License-Identifier: Apache-2.0
// Our end of the line to the agent of one template (preload/protocol/snapshot.h).
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/process/unique_fd.h"
#include "preload/protocol/snapshot.h"

namespace esox {

class SnapshotChannel {
 public:
  SnapshotChannel() = default;
  explicit SnapshotChannel(UniqueFd ours) : fd_(std::move(ours)) {}

  // A new pair: ours, and the server's. Throws SnapshotRefused.
  static std::pair<UniqueFd, UniqueFd> make_pair();

  // Throws TemplateLost if nobody is there any more.
  void send(const SnapshotRequest& request, std::span<const int> passed = {});
  // The next reply, with the descriptor that came with it if any. Throws TemplateLost if none
  // comes in time or the other end is gone; a reply that refuses is returned as it is.
  SnapshotReply receive(UniqueFd* passed = nullptr);
  // send() and receive(); a refusal is thrown, in the server's words.
  SnapshotReply ask(const SnapshotRequest& request, UniqueFd* passed = nullptr);

  // What a child said that failed before it came to life; empty if nothing. Asked for once.
  std::string take_child_text();

  explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  SnapshotReply read_one(UniqueFd* passed);

  UniqueFd fd_;
  std::string child_text_;
};

// One line: the agent's words and the error's.
std::string text_of(const SnapshotReply& reply);

}  // namespace esox
