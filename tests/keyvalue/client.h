// SPDX-License-Identifier: Apache-2.0
// A client of the key-value server (store.h says which requests there are).
//
// The reply as an Output: lines "ROW ..." as rows of one result, a cell for each word; the last
// line as `info`, or as error 1 with its text if it begins with "ERROR".
#pragma once

#include "targets/socket_client.h"

namespace esox {

class KeyvalueClient final : public SocketClient {
 public:
  using SocketClient::SocketClient;

 private:
  const char* greeting() const override { return "PING"; }
  void exchange(const Request& request, Output& output) override;
};

}  // namespace esox
