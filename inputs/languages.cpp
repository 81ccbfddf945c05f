// SPDX-License-Identifier: Apache-2.0
#include "inputs/languages.h"

#include <fmt/format.h>

#include "base/text/input_error.h"
#include "base/text/spelling.h"

namespace esox {

const RequestLanguage& language_of(const Languages& languages, std::string_view server,
                                   const std::string& file, int line) {
  std::vector<std::string_view> names;
  for (const RequestLanguage* language : languages) {
    if (language->server() == server) return *language;
    names.push_back(language->server());
  }
  throw InputError(
      file, line,
      fmt::format("unknown server {}{}", in_quotes(server), spelling_hint(server, names)));
}

std::string kinds_of(const Input& input) {
  std::string kinds;
  for (const InputClient& client : input.clients) {
    if (!kinds.empty()) kinds += " | ";
    for (size_t i = 0; i < client.requests.size(); ++i) {
      kinds += (i == 0 ? "" : ", ") + input.language->kind(client.requests[i].text);
    }
  }
  return kinds;
}

}  // namespace esox
