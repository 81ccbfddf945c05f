// SPDX-License-Identifier: Apache-2.0
// Many statements in as few requests as possible.
//
// A trip to the server costs as much as a small statement, and a summary is on the path of every
// execution. So statements are gathered, each with what is to be done with its reply, and sent
// joined by ';' (the connection must allow it). A statement that fails ends the server's batch:
// those that follow it are sent again, so that all replies are as if each had been asked alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "summaries/source.h"

namespace esox {

class QuestionBatch {
 public:
  // Gets the reply to one statement: one result set, or an error, or answered == false.
  using Reader = std::function<void(Output)>;
  // Asked before a statement is sent in any request but the first: false if an earlier reply has
  // shown that it would only fail; its reader is not called then.
  using StillWanted = std::function<bool()>;

  // `statement` must give exactly one result set, or an error.
  void add(std::string statement, Reader read, StillWanted still_wanted = {});

  // Sends everything added since the last run, calls the readers in order.
  void run(const Ask& ask);

  bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    std::string statement;
    Reader read;
    StillWanted still_wanted;
  };
  size_t send_some(const Ask& ask, size_t first);
  size_t drop_unwanted(size_t first);

  std::vector<Waiting> waiting_;
};

}  // namespace esox
