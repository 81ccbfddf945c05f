// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reproducer_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

// Why a place is unknown says so itself.
std::string with_why(const std::string& outcome, const std::string& what, const std::string& why) {
  if (why.starts_with(outcome)) return why;
  return why.empty() ? what : what + ": " + why;
}

const char* kind_of(const ReproducerRecord& record) {
  return record.by_name ? "by name" : "by offset";
}

}  // namespace

std::string rounds_text(const PlayedRounds& played) {
  if (played.rounds == 0) return with_why("not played", "not played", played.why);
  if (played.control_violated > 0) {
    return fmt::format("cannot say: the control violated, too, {} of {}", played.control_violated,
                       played.control_rounds);
  }
  std::vector<std::string> parts;
  if (played.violated > 0) {
    parts.push_back(fmt::format("violated {} of {}{}", played.violated, played.rounds,
                                played.as_made ? "" : ", otherwise than where it was made"));
  }
  for (const auto& [what, count] : played.what) {
    if (what == "violated") continue;
    if (what != "held") {
      parts.push_back(
          with_why(what, fmt::format("{} in {} of {}", what, count, played.rounds), played.why));
    } else if (played.violated == 0) {
      parts.push_back(fmt::format("held, violated 0 of {}", count));
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string short_reproducer_text(const ReproducerRecord& record) {
  if (!record.needs_esox.empty()) return "needs esox";
  return fmt::format("{}, {}", kind_of(record), rounds_text(record.rounds));
}

std::string reproducer_text(const ReproducerRecord& record) {
  if (!record.needs_esox.empty()) return "needs esox: " + record.needs_esox;
  return fmt::format("{}, held: {}; control {} of {}", short_reproducer_text(record),
                     record.rounds.held, record.rounds.control_violated,
                     record.rounds.control_rounds);
}

std::optional<ReproducerRecord> reproducer_record(const std::string& reproduce_json) {
  const Json json = Json::parse(reproduce_json, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("measured")) return std::nullopt;
  return from_json<ReproducerRecord>(json["measured"].dump());
}

std::optional<ReproducerRecord> read_reproducer_record(const std::filesystem::path& folder) {
  if (!is_file(folder / "reproduce.json")) return std::nullopt;
  try {
    return reproducer_record(text_of_file(folder / "reproduce.json"));
  } catch (const RecordError&) {
    return std::nullopt;
  }
}

}  // namespace esox
