// SPDX-License-Identifier: Apache-2.0
#include "inputs/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/yaml/document.h"
#include "base/yaml/file_text.h"
#include "inputs/isolation_level.h"
#include "inputs/limits.h"
#include "inputs/request_fields.h"
#include "inputs/schema.h"

namespace esox {
namespace {

constexpr std::string_view kFileKeys[] = {"settings"};
constexpr std::string_view kSettingKeys[] = {"name",  "engines", "server_options",
                                             "setup", "clients", "isolation_level"};

// Nothing but, it may be, the isolation level.
bool changes_nothing_else(const Setting& setting) {
  return setting.server_options.empty() && setting.setup.empty() && setting.clients.empty();
}

Setting setting_of(const Node& node, const std::string& file, const RequestLanguage& language) {
  const Fields fields(node, file, "the setting", kSettingKeys);
  Setting setting;
  setting.name = fields.name(fields.require("name", "give it a short name"), "name");
  setting.engines = engines_of(fields, language);
  if (const Node* level = fields.find("isolation_level")) {
    setting.isolation_level = fields.text(*level, "isolation_level");
    const std::string complaint = isolation_level_complaint(setting.isolation_level, language);
    if (!complaint.empty()) fields.fail(level->line, complaint);
  }
  setting.server_options = server_options_of(fields, language);
  setting.setup = request_texts(fields, "setup", language);
  if (const Node* clients = fields.find("clients")) {
    setting.clients = clients_of(fields, file, language);
    for (const InputClient& client : setting.clients) {
      if (client.name.size() > 1) continue;
      fields.fail(clients->line, fmt::format("{} has a client {}, as inputs call theirs; give it a "
                                             "'name' of more than one letter",
                                             in_quotes(setting.name), in_quotes(client.name)));
    }
  }
  if (setting.isolation_level.empty() && changes_nothing_else(setting)) {
    fields.fail(fields.line(),
                fmt::format("{} sets nothing; say what under 'server_options', 'setup', 'clients' "
                            "or 'isolation_level'",
                            in_quotes(setting.name)));
  }
  return setting;
}

bool has_room_for(const std::vector<InputClient>& more, const std::vector<InputClient>& clients) {
  if (clients.size() + more.size() > kMaxInputClients) return false;
  return std::ranges::none_of(more, [&](const InputClient& added) {
    return std::ranges::any_of(clients,
                               [&](const InputClient& one) { return one.name == added.name; });
  });
}

bool fits(const Setting& setting, const ConcreteInput& input) {
  if (!has_room_for(setting.clients, input.input.clients)) return false;
  if (!setting.isolation_level.empty()) {
    const std::string& own = input.input.isolation_level;
    if (own.empty() || (own == setting.isolation_level && changes_nothing_else(setting))) {
      return false;
    }
  }
  return setting.engines.empty() ||
         std::ranges::find(setting.engines, input.engine) != setting.engines.end();
}

}  // namespace

std::vector<Setting> parse_settings(std::string_view yaml, const std::string& file,
                                    const RequestLanguage& language) {
  const std::vector<NodePtr> documents = parse_documents(yaml, file);
  if (documents.size() != 1) {
    throw InputError(file, 0, "must hold one document with a list under 'settings:'");
  }
  const Fields fields(*documents.front(), file, "the file", kFileKeys);
  const Node& list = fields.require("settings", "list the settings under it");
  std::vector<Setting> settings;
  std::set<std::string> names;
  for (const NodePtr& node : fields.list(list, "settings")) {
    settings.push_back(setting_of(*node, file, language));
    if (!names.insert(settings.back().name).second) {
      fields.fail(node->line, fmt::format("a second setting {}; names must differ",
                                          in_quotes(settings.back().name)));
    }
  }
  if (settings.empty() || settings.size() > kMaxSettings) {
    fields.fail(list.line, fmt::format("'settings' holds {} settings; it may hold 1 to {}",
                                       settings.size(), kMaxSettings));
  }
  return settings;
}

std::vector<Setting> read_settings(const std::filesystem::path& file,
                                   const RequestLanguage& language) {
  return parse_settings(file_text(file), file.string(), language);
}

InputKey key_of(const ConcreteInput& input) {
  return {input.input.id, input.engine, input.setting};
}

std::string conditions_of(const InputKey& key) {
  return key.engine + (key.engine.empty() || key.setting.empty() ? "" : ", ") + key.setting;
}

std::string conditions_of(const ConcreteInput& input) {
  return conditions_of(key_of(input));
}

std::string key_text(const InputKey& key) {
  const std::string conditions = conditions_of(key);
  return key.input + (conditions.empty() ? "" : " on ") + conditions;
}

std::vector<ConcreteInput> under_settings(std::vector<ConcreteInput> inputs,
                                          const std::vector<Setting>& settings) {
  std::vector<ConcreteInput> all;
  for (ConcreteInput& input : inputs) {
    const size_t plain = all.size();
    all.push_back(std::move(input));
    for (const Setting& setting : settings) {
      if (!fits(setting, all[plain])) continue;
      ConcreteInput under = all[plain];
      under.setting = setting.name;
      if (!setting.isolation_level.empty()) under.input.isolation_level = setting.isolation_level;
      under.input.server_options.insert(under.input.server_options.end(),
                                        setting.server_options.begin(),
                                        setting.server_options.end());
      std::ranges::copy(setting.setup, std::back_inserter(under.input.setup));
      std::ranges::copy(setting.clients, std::back_inserter(under.input.clients));
      all.push_back(std::move(under));
    }
  }
  return all;
}

}  // namespace esox
