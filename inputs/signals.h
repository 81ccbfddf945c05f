// SPDX-License-Identifier: Apache-2.0
// Requests that no connection makes: signals to the server (docs/background.md). A request that
// consists of a signal's name is one. A thread of the server's own serves them, so one client alone
// may send any, and nothing else. The last of them may be SIGTERM, by which the server ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"

namespace esox {

// 0: it is no signal, or none that may be sent.
int signal_number(std::string_view request);
// Why the request may not stand in an input; empty if it may.
std::string signal_complaint(std::string_view request);
// Why these clients' signals cannot be sent; empty if they can, or there are none.
std::string signals_complaint(const std::vector<InputClient>& clients);
// Whether one of them ends the server.
bool ends_server(const std::vector<InputClient>& clients);
// Which client sends signals.
std::optional<size_t> signalling_client(const std::vector<InputClient>& clients);

}  // namespace esox
