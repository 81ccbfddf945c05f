// SPDX-License-Identifier: Apache-2.0
#include "analysis/serial_run.h"

#include <vector>

namespace esox {

std::string order_name(const Order& order, const RequestSet& without,
                       const std::vector<std::string>& client_names) {
  if (without.empty()) return order_name(order, client_names);
  std::vector<size_t> next;
  std::string text;
  for (const uint16_t client : order) {
    if (client >= next.size()) next.resize(client + size_t{1}, 0);
    while (without.contains({client, next[client]})) ++next[client];
    if (!text.empty()) text += ' ';
    text += request_name(client, next[client]++, client_names);
  }
  text += text.empty() ? "nothing, without" : ", without";
  for (const RequestId& id : without) {
    text += ' ' + request_name(id.client, id.request, client_names);
  }
  return text;
}

}  // namespace esox
