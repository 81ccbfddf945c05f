// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/play_reproducer.h"

#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "harness/findings/export/company.h"
#include "harness/findings/reproduce/places.h"
#include "harness/findings/reproduce/player.h"
#include "harness/records/finding_file.h"

namespace esox {
namespace {

using OrderedJson = nlohmann::ordered_json;

PlayedRounds not_played(const std::exception& why) {
  PlayedRounds none;
  none.why = why.what();
  return none;
}

}  // namespace

unsigned rounds_wanted(const Finding& finding) {
  return finding.ending == EndingKind::kFinished ? kSurely : kSurelySlow;
}

std::vector<std::string> plain_options(const Finding& finding, const FindingServer& server) {
  Finding there = finding;
  there.server = server;
  return pieces_of(there).server_options;
}

PlayedRounds played_rounds(const nlohmann::json& result) {
  PlayedRounds played{.rounds = result.at("rounds"),
                      .violated = result.at("violated"),
                      .what = result.at("what"),
                      .why = result.value("why", ""),
                      .held = result.value("held", ""),
                      .control_rounds = result.at("control").at("rounds"),
                      .control_violated = result.at("control").at("violated"),
                      .seen = {},
                      .as_made = false,
                      .told = result.value("told", std::vector<std::string>())};
  if (!result.at("seen").is_null()) played.seen = result["seen"].dump();
  return played;
}

std::optional<PlayedRounds> play_reproducer(const std::filesystem::path& finding_file,
                                            const Finding& finding, const FindingServer& server,
                                            const std::atomic<bool>& stop) {
  const std::filesystem::path file = beside_finding(finding_file, "reproduce.json");
  if (!is_there(file)) return std::nullopt;
  try {
    const std::string text = text_of_file(file);
    const std::optional<ReproducerRecord> made = reproducer_record(text);
    if (!made || !made->needs_esox.empty()) return std::nullopt;
    OrderedJson plan = OrderedJson::parse(text);
    plan.at("server")["options"] = plain_options(finding, server);
    PlayedRounds played = played_rounds(play(server.path, plan, rounds_wanted(finding), stop));
    played.as_made = !played.seen.empty() && played.seen == made->rounds.seen;
    return played;
  } catch (const OrderedJson::exception& error) {
    return not_played(error);
  } catch (const RecordError& error) {
    return not_played(error);
  } catch (const ServerError& error) {
    return not_played(error);
  }
}

}  // namespace esox
