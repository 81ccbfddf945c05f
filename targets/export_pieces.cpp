// SPDX-License-Identifier: Apache-2.0
#include "targets/export_pieces.h"

namespace esox {

std::string lines_of(const std::vector<std::string>& texts, std::string_view end) {
  std::string lines;
  for (const std::string& text : texts) lines.append(text).append(end);
  return lines;
}

std::vector<std::string> texts_of(const InputClient& client) {
  std::vector<std::string> texts = client.setup;
  for (const Request& request : client.requests) texts.push_back(request.text);
  return texts;
}

}  // namespace esox
