// SPDX-License-Identifier: Apache-2.0
#include "inputs/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

namespace esox {
namespace {

// Of those by which a server is to end the one by which services are ended.
constexpr std::pair<std::string_view, int> kSignals[] = {
    {"SIGHUP", SIGHUP}, {"SIGTERM", SIGTERM}, {"SIGUSR1", SIGUSR1}};

bool is_signal(const Request& request) {
  return signal_number(request.text) != 0;
}

bool is_ending(const Request& request) {
  return signal_number(request.text) == SIGTERM;
}

}  // namespace

int signal_number(std::string_view request) {
  for (const auto& [name, number] : kSignals) {
    if (name == request) return number;
  }
  return 0;
}

std::string signal_complaint(std::string_view request) {
  const bool may_be = request.starts_with("SIG") && signal_number(request) == 0;
  for (int number = 1; may_be && number < SIGRTMIN; ++number) {
    const char* name = sigabbrev_np(number);
    if (name == nullptr || request.substr(3) != name) continue;
    return "it is not sent; the signals of an input are SIGHUP, SIGUSR1 and SIGTERM";
  }
  return "";
}

std::string signals_complaint(const std::vector<InputClient>& clients) {
  const std::optional<size_t> own = signalling_client(clients);
  if (!own) return "";
  const InputClient& client = clients[*own];
  if (!std::ranges::all_of(client.requests, is_signal)) {
    return fmt::format("client {} sends signals and other requests; give them to two clients",
                       client.name);
  }
  if (std::any_of(client.requests.begin(), client.requests.end() - 1, is_ending)) {
    return fmt::format("client {} sends a signal after SIGTERM, by which the server ends",
                       client.name);
  }
  if (signalling_client({clients.begin() + static_cast<std::ptrdiff_t>(*own) + 1, clients.end()})) {
    return "more than one client sends signals, which one thread serves; give them to one client";
  }
  return "";
}

bool ends_server(const std::vector<InputClient>& clients) {
  return std::ranges::any_of(clients, [](const InputClient& client) {
    return std::ranges::any_of(client.requests, is_ending);
  });
}

std::optional<size_t> signalling_client(const std::vector<InputClient>& clients) {
  const auto own = std::ranges::find_if(clients, [](const InputClient& client) {
    return std::ranges::any_of(client.requests, is_signal);
  });
  if (own == clients.end()) return std::nullopt;
  return static_cast<size_t>(own - clients.begin());
}

}  // namespace esox
