// SPDX-License-Identifier: Apache-2.0
// A finding without esox: its shortest schedule, played on a plain server by holding threads at
// places (places.h) that reproduce.py has tried there.
//
// What holds cannot do is said, with the reason, and never guessed: only rounds that were played
// are counted.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/engine/executor.h"
#include "harness/findings/diagnosis/trials.h"
#include "harness/findings/reproduce/places.h"
#include "harness/hunt/exploration.h"
#include "harness/records/reproducer_record.h"

namespace esox {

// A schedule that gives the violation, as places.
struct HoldForm {
  std::vector<Holds> starts;
  StackFunctions functions;
};

// What the searches on a plain server begin with.
struct HoldMaterial {
  bool came = false;       // the finding's violation, by its own schedule
  std::string why_not;     // it did not
  std::string needs_esox;  // why holds cannot give it; empty: to be tried
  bool out_of_time = false;
  std::string title;    // what is wrong, in one line
  size_t switches = 0;  // of the shortest schedule
  // The likeliest first: the shortest schedule next to an accepted one, where the place held is the
  // last one that matters, so that what called it mostly lies in the window, too; then as found.
  std::vector<HoldForm> forms;
};

// Executes under control: the fewest switches, the critical one, and the stacks at them. Throws as
// Executor::run.
HoldMaterial hold_material(Trials& trials, const Exploration& exploration, const Finding& finding,
                           const ExecutorFactory& executors);

struct HoldLimits {
  std::chrono::milliseconds budget{60'000};  // of the trials; the last rounds come after them
  unsigned rounds = kSurely;                 // of these
  // Where the server's options are needed, it is looked for which; else all or none are kept.
  bool each_option = false;
};

// NOLINTNEXTLINE(bugprone-exception-escape): its move is, as the library's ordered map has it
struct Reproducer {
  StackFunctions functions;  // around the places
  Holds by_names;  // nearby, at functions that other builds have, too, as far as there are any
  nlohmann::ordered_json plan;  // reproduce.json, but for what was measured
  ReproducerRecord measured;
  bool out_of_time = false;  // more might have been found
  unsigned trials = 0;
  double seconds = 0;

  bool violates() const { return measured.needs_esox.empty() && measured.rounds.violated > 0; }
};

// Throws ServerError.
Reproducer reproduce(const HoldMaterial& material, const Finding& finding,
                     const FindingServer& server, const HoldLimits& limits,
                     const std::atomic<bool>& stop);

// reproduce.json and reproduce.py beside finding.yaml; where esox is needed, reproduce.json alone,
// with the reason, unless more time might change it. No reproducer is replaced by a reason. Throws
// OutError.
void write_reproducer(const std::filesystem::path& finding_file, const Reproducer& reproducer);

}  // namespace esox
