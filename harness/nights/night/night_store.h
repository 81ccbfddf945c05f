// SPDX-License-Identifier: Apache-2.0
// OUT/nights.db: the nights there were, how far the one at hand is, and when each input of each
// stage had its last turn. So a night that was killed goes on where it was, and what one night did
// not reach comes first in the next.
//
// All functions but the constructor may fail for want of space; they throw DatabaseError, and the
// file stays as it was before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sqlite/database.h"
#include "harness/nights/night/turns.h"

namespace esox {

enum class NightState { kOpen, kEnded, kGivenUp };

struct StoredNight {
  uint64_t number = 0;  // from 1
  std::string id;
  std::string started;
  std::string boot;  // with boot_s: when it began, as night_clock.h's Moment
  double boot_s = 0;
  std::string text;  // of the hunt file, as it was read
  std::string shard;
  uint64_t seed = 0;
  double seconds = 0;
  double recheck_s = 0;
  bool rechecked = false;
  uint64_t launches = 0;
  NightState state = NightState::kOpen;
};

enum class StageState { kWaiting, kBegun, kEnded, kFailed };

// How far a stage of a night is.
struct NightStage {
  std::string name;
  StageState state = StageState::kWaiting;
  double budget_s = 0;  // planned when it began
  double seconds = 0;   // had
  uint64_t restarts = 0;
  uint64_t attempt = 1;  // folders it began in: STAGE, STAGE.2, ...
  unsigned jobs = 0;     // lowered for want of memory; 0: as the hunt file says
  std::string failure;
};

using TurnKey = std::pair<std::string, std::string>;  // input, engine

struct TurnTaken {
  TurnKey key;
  TurnYield yield = TurnYield::kUnknown;
};

class NightStore {
 public:
  // Opens it or makes it. Throws DatabaseError.
  explicit NightStore(const std::filesystem::path& out);

  std::optional<StoredNight> last_night();
  // Ids of all, the newest first.
  std::vector<std::string> night_ids();
  // Numbers and writes it. `night.id` becomes one that sorts behind all there are.
  void begin_night(StoredNight& night, const std::vector<std::string>& stages);
  void keep_night(const StoredNight& night);

  std::vector<NightStage> stages(uint64_t night);  // in their order
  void keep_stage(uint64_t night, const NightStage& stage);
  // Nights before that one in which the stage was begun, the newest first, with the attempt.
  std::vector<std::pair<std::string, uint64_t>> earlier_folders(uint64_t night,
                                                                const std::string& stage);

  std::map<TurnKey, TurnHistory> turns(const std::string& stage);
  void take_turns(uint64_t night, const std::string& stage, const std::vector<TurnTaken>& taken);
  // So many places of its order a night of this stage reaches at least, going by the last three;
  // nothing before the first.
  std::optional<uint64_t> reach(const std::string& stage);
  // `all`: everything planned was reached, so that it could have been more.
  void keep_reach(uint64_t night, const std::string& stage, uint64_t reached, bool all);

 private:
  Database database_;
};

}  // namespace esox
