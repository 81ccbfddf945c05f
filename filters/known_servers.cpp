// SPDX-License-Identifier: Apache-2.0
#include "filters/known_servers.h"

#include <algorithm>

namespace esox {

std::vector<ComponentFacts> KnownServer::all_components() const {
  std::vector<ComponentFacts> all(components.begin(), components.end());
  const std::span<const ComponentFacts> declared = declared_components();
  all.insert(all.end(), declared.begin(), declared.end());
  return all;
}

Languages languages_of(const KnownServers& servers) {
  Languages languages;
  for (const KnownServer& server : servers) languages.push_back(server.language);
  return languages;
}

const KnownServer& server_of(const KnownServers& servers, std::string_view name,
                             const std::string& file, int line) {
  const Languages languages = languages_of(servers);
  const RequestLanguage& language = language_of(languages, name, file, line);
  return *std::ranges::find(servers, &language, &KnownServer::language);
}

}  // namespace esox
