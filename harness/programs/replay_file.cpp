// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/replay_file.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <cstdint>

#include "analysis/finding.h"
#include "base/yaml/file_text.h"
#include "harness/programs/access_level.h"
#include "harness/records/control_record.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

constexpr const char* kKind = "esox exec failure";
constexpr unsigned kFormat = 1;
constexpr size_t kMostBytes = 64u << 20;
constexpr const char* kWanted = "a file that esox exec wrote";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw ReplayFileError(fmt::format("{}: {}; name {}", path.string(), why, kWanted));
}

OrderedJson choices_json(const std::vector<Choice>& choices) {
  return json_list(choices, [&](const Choice& choice) -> OrderedJson {
    return {choice.point, choice.thread};
  });
}

std::vector<Choice> choices_of(const OrderedJson& list) {
  std::vector<Choice> choices;
  for (const OrderedJson& pair : list) {
    if (!pair.is_array() || pair.size() != 2) throw std::invalid_argument("a choice is not a pair");
    choices.push_back({pair.at(0).get<uint32_t>(), pair.at(1).get<ThreadId>(), 0});
  }
  if (choices.size() > kMaxChoices) throw std::invalid_argument("there are too many choices");
  return choices;
}

ReplayFile file_of(const OrderedJson& json, const std::filesystem::path& path) {
  ReplayFile file;
  file.esox_version = json.at("esox").get<std::string>();
  file.c_library = json.at("c_library").get<std::string>();
  file.program_digest = json.at("program_digest").get<std::string>();
  file.target.program = json.at("program").get<std::string>();
  file.target.arguments = json.at("arguments").get<std::vector<std::string>>();
  file.target.environment = json.at("environment").get<std::vector<std::string>>();
  file.target.folder = json.at("folder").get<std::string>();
  file.target.fork_at_start = json.at("fork_at_start").get<bool>();
  file.target.virtual_limit = std::chrono::seconds(json.at("virtual_limit_s").get<uint32_t>());
  file.target.control = control_from_record(
      json.at("control").get<std::map<std::string, std::string>>(), path.string());
  file.limit = std::chrono::milliseconds(json.at("limit_ms").get<uint32_t>());
  const auto level = access_level_named(json.value("accesses", "all"));
  if (!level) throw std::invalid_argument("its level of accesses is not known to this esox");
  file.target.accesses.level = *level;
  file.access_sites = json.value("access_sites", std::vector<std::string>{});
  if (file.access_sites.size() > kMaxAccessSites) {
    throw std::invalid_argument("there are too many sites of accesses");
  }
  const OrderedJson& failure = json.at("failure");
  const auto kind = failure_from_name(failure.at("class").get<std::string>());
  if (!kind) throw std::invalid_argument("its class of failure is not known to this esox");
  file.failure = {*kind, failure.at("title").get<std::string>(),
                  failure.at("key").get<std::string>()};
  file.record.number = json.at("execution").get<uint64_t>();
  file.record.strategy = json.at("strategy").get<std::string>();
  file.record.seed = json.at("seed").get<uint64_t>();
  file.record.choices = choices_of(json.at("choices"));
  file.record.values = json.at("values").get<std::vector<uint64_t>>();
  if (file.record.values.size() > kMaxValues) {
    throw std::invalid_argument("there are too many values");
  }
  return file;
}

}  // namespace

std::string c_library() {
  return fmt::format("glibc {}", gnu_get_libc_version());
}

std::string replay_file_text(const ReplayFile& file) {
  const ProgramTarget& target = file.target;
  const OrderedJson json = {{"kind", kKind},
                            {"format", kFormat},
                            {"esox", file.esox_version},
                            {"c_library", file.c_library},
                            {"program", target.program.string()},
                            {"program_digest", file.program_digest},
                            {"arguments", target.arguments},
                            {"environment", target.environment},
                            {"folder", target.folder.string()},
                            {"fork_at_start", target.fork_at_start},
                            {"virtual_limit_s", target.virtual_limit.count()},
                            {"limit_ms", file.limit.count()},
                            {"control", control_record(target.control)},
                            {"accesses", name_of(target.accesses.level)},
                            {"access_sites", file.access_sites},
                            {"failure",
                             {{"class", failure_name(file.failure.kind)},
                              {"title", file.failure.title},
                              {"key", file.failure.key}}},
                            {"execution", file.record.number},
                            {"strategy", file.record.strategy},
                            {"seed", file.record.seed},
                            {"values", file.record.values},
                            {"choices", choices_json(file.record.choices)}};
  return json_text(json, 1);
}

ReplayFile read_replay_file(const std::filesystem::path& path) {
  const std::string text = file_text(path, kMostBytes, kWanted);
  const OrderedJson json = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) refuse(path, "is not JSON, or not whole");
  if (!json.contains("kind") || json["kind"] != kKind) {
    refuse(path, "is not the record of a failure");
  }
  if (!json.contains("format") || json["format"] != kFormat) {
    refuse(path, "was written by an esox of another format");
  }
  try {
    return file_of(json, path);
  } catch (const FindingError& error) {
    refuse(path, error.what());
  } catch (const std::exception& error) {
    refuse(path, fmt::format("makes no sense ({})", error.what()));
  }
}

}  // namespace esox
