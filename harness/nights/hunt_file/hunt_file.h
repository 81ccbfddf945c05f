// SPDX-License-Identifier: Apache-2.0
// What a hunt file asks for: `esox night FILE` runs one night of it (docs/nights.md).
//
// A night consists of stages: servers x rows of the options matrix x corpora x strategies. Paths in
// it are absolute: in the file they count from the file's own folder. Plain data.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/background.h"

namespace esox {

// One of the servers under test.
struct HuntFileServer {
  enum class Kind { kPath, kPackage, kBuild };
  std::string name;  // a safe file name; unique
  Kind kind = Kind::kPath;
  std::string where;  // as in the file: a program, a Debian package, a build folder
  double share = 1;   // of the night's time, beside the other servers'
  int line = 0;       // for messages
};

// A row of the options matrix.
struct HuntFileOptions {
  std::string name;  // unique; "default" where the file has no matrix
  std::vector<std::string> server_options;
  std::vector<std::string> engines;  // the only ones it is for; empty: the file's
  double share = 1;
};

struct HuntFileCorpus {
  std::string name;                 // unique
  std::vector<std::string> inputs;  // paths; empty: those that come with esox
  double share = 1;
  uint64_t top = 1000;                      // of a corpus made by esox import; 0: all
  std::vector<std::string> engines;         // the only ones; empty: the file's
  std::optional<uint64_t> executions_each;  // else the file's
  // Inputs are made by this grammar (esox generate), empty: the one that comes with esox. None: the
  // inputs are there.
  std::optional<std::string> grammar = {};
};

// What is kept of past nights. A finding's folder always is.
struct Retention {
  uint64_t nights =
      30;  // so many whole nights, the newest; of older ones only findings and night.json
  std::optional<uint64_t> bytes;  // all of OUT/nights together, at most
};

struct NightLimits {
  std::optional<uint64_t> memory_kib;              // esox and its servers together
  uint64_t free_at_least_bytes = 512 << 20;        // on the disk of `out`
  std::chrono::milliseconds stuck_after{300'000};  // a stage without progress is replaced
  std::chrono::milliseconds grace{30'000};  // past the budget, the night is over at the latest
  std::chrono::milliseconds resume_within{20 * 3'600'000};  // an older unfinished night is closed
};

struct NightOutputs {
  std::string reports = "html";  // of each stage, as --report takes them
  std::filesystem::path
      metrics;       // a file in Prometheus' text format; empty: in the night's folder only
  std::string hook;  // a command, run by sh -c at the end; empty: none
  std::chrono::milliseconds hook_limit{60'000};
};

struct HuntFileFilters {
  bool none = false;
  std::vector<std::string> files;  // empty: those that come with esox
};

enum class FailOn { kAny, kNew, kNone };

// Either a time or a number of concurrent executions for the night.
struct NightBudget {
  std::optional<std::chrono::milliseconds> time;
  std::optional<uint64_t> executions;
};

struct HuntFile {
  std::filesystem::path file;
  std::string text;  // as read
  std::string name;
  std::filesystem::path out;
  std::string server_kind;  // as RequestLanguage::server

  std::vector<HuntFileServer> servers;
  std::vector<HuntFileOptions> options;  // at least one row
  std::vector<HuntFileCorpus> corpora;
  std::vector<std::string> engines;     // empty: as each input says
  std::vector<std::string> strategies;  // at least one
  bool learn = false;
  bool remember = true;  // begin with what the last night learnt of the same stage
  uint64_t seed = 0;
  bool seed_fixed = false;  // each night the same; else drawn from `seed` and the night's number

  NightBudget budget;
  uint64_t executions_each = 300;
  unsigned jobs = 0;                                   // 0: as many as cores, at most four
  std::chrono::milliseconds diagnose_budget{120'000};  // of each stage, inside its share
  std::chrono::milliseconds recheck_budget{300'000};   // of known findings, inside the night's
  uint64_t rest_nights = 3;  // a saturated input has no turn for so many nights
  uint64_t turn_within = 0;  // nights in which each input is to have its turn; 0: as it comes
  bool gate = true;
  std::string isolation = "auto";
  std::string data_choices;  // as --data-choices takes it
  Background background = Background::kOff;

  HuntFileFilters filters;
  NightLimits limits;
  Retention retention;
  NightOutputs outputs;
  FailOn fail_on = FailOn::kNew;

  // Not in the file: what the command line says of the part that is this machine's.
  std::string shard;     // "3/20"; empty: all of it
  std::string campaign;  // --campaign; may be empty
};

}  // namespace esox
