// SPDX-License-Identifier: Apache-2.0
// OUT/hunt.db: all that a hunt needs to go on after it ended early, by whatever - kill -9 too.
//
// It holds what the hunt was asked to do (settings, the inputs themselves, the rules) and, per
// exploration, what was done: whole batches of executions with their counts, causes and what the
// exploration learnt. A batch is kept in one transaction when it is over; one that was under way
// is executed again, with the same outcome. Kept in SQLite with a write-ahead log (database.h says
// why). The process that holds a HuntState is the only one that can.
//
// Used by many threads, each call is whole by itself. Throws DatabaseError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/conflict_pool.h"
#include "base/sqlite/database.h"
#include "filters/rule.h"
#include "harness/engine/background.h"
#include "harness/records/exploration_memory.h"
#include "harness/records/report.h"
#include "harness/records/shard.h"
#include "harness/records/tally.h"
#include "inputs/input.h"

namespace esox {

// What was asked for. Enough to begin the same hunt without its command line, inputs and rules.
struct HuntSpec {
  // 16 hex digits, the same over all launches. Drawn, but for a shard's, which is known (shard.h).
  std::string id;
  std::optional<ShardPlace> shard;  // none: the whole
  std::string started;
  std::string esox_version;
  std::string server_version;
  std::string server;       // program
  std::string server_kind;  // empty in a file of before: that of the inputs
  std::vector<std::string> server_options;
  std::string preload;       // as given; empty: the one that came with esox
  std::string isolation;     // as given
  std::string data_choices;  // as given
  Background background = Background::kOff;
  std::string strategy;
  uint64_t seed = 0;
  bool learn = false;
  uint64_t executions_each = 0;
  size_t wave = 0;  // see HuntSettings
  std::optional<double> budget_s;
  unsigned jobs = 1;
  bool gate = true;
  bool settings = false;  // inputs under several settings of the server
  bool skip_failing_setups = false;
  std::string corpus;    // empty: none
  bool filters = false;  // whether there are any
  std::vector<FilterText> filter_texts;
  std::vector<SkippedInput> skipped;
};

// Of one exploration, what the corpus it came from was told (Corpus::add_history).
struct ToldCounts {
  uint64_t executions = 0;
  uint64_t findings = 0;
};

// One input on one engine, and how far it is.
struct KeptExploration {
  ConcreteInput input;
  std::optional<Experience> experience;  // of earlier hunts
  uint64_t batches = 0;
  bool given_up = false;
  std::optional<Tally> tally;  // with at least one batch
  std::optional<ExplorationMemory> memory;
  ToldCounts told;
};

// What earlier hunts pass on, by input, engine and setting.
using Experiences = std::map<InputKey, Experience>;

// What no exploration keeps, over all launches.
struct HuntClock : WorkerCounts {
  double seconds = 0;
};

class HuntState {
 public:
  // Begins a hunt: there is no hunt.db in `out` yet. `order.id` is drawn if empty.
  static std::unique_ptr<HuntState> begin(const std::filesystem::path& out, HuntSpec spec,
                                          const std::vector<ConcreteInput>& inputs,
                                          const Experiences& experiences = {},
                                          const ConflictPool& pool = {});
  // Of a hunt that was begun. Throws too if there is none, or if it is at work.
  static std::unique_ptr<HuntState> open(const std::filesystem::path& out);

  const HuntSpec& spec() const { return spec_; }
  // The hunt's inputs.
  std::vector<ConcreteInput> inputs() const;
  // What a later hunt may begin with: that of this hunt's executions, and for inputs that had none
  // what this hunt began with itself.
  Experiences experiences() const;
  // What the hunt began with, of what other inputs showed in earlier hunts.
  const ConflictPool& pool() const { return pool_; }
  // That, and what this hunt's inputs have shown: for a later hunt of other inputs. Of a hunt that
  // was just opened.
  ConflictPool grown_pool() const;
  // The inputs with how far they are. Once; they may be large.
  std::vector<KeptExploration> take_explorations() { return std::move(explorations_); }
  const HuntClock& clock() const { return clock_; }  // of the earlier launches
  uint64_t launches() const { return launches_; }    // with this one, if it was begun
  bool ended() const { return ended_; }              // nothing is left to do

  void begin_launch();
  void keep_batch(size_t exploration, uint64_t batches, bool given_up, const Tally& tally,
                  const ExplorationMemory& memory);
  void keep_clock(const HuntClock& clock);
  void keep_told(const std::vector<ToldCounts>& told);  // of all explorations
  void end();

 private:
  explicit HuntState(const std::filesystem::path& out);
  void write(const std::vector<ConcreteInput>& inputs, const Experiences& experiences);
  void read();
  void read_explorations();

  std::mutex mutex_;
  Database database_;
  HuntSpec spec_;
  std::vector<KeptExploration> explorations_;
  ConflictPool pool_;
  HuntClock clock_;
  uint64_t launches_ = 0;
  bool ended_ = false;
};

enum class HuntInFolder { kNone, kUnfinished, kEnded, kAtWork };

// What hunt a folder holds, going by its hunt.db; a file that cannot be read is none.
HuntInFolder hunt_in(const std::filesystem::path& out);

}  // namespace esox
