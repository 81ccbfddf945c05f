// SPDX-License-Identifier: Apache-2.0
// What a generation came to, for people and for programs; and as a hunt that has ended, for what
// reads hunts: esox report, triage and merge find OUT/hunt.json, hunt.db and findings/ there. To
// these the corpus is a hunt of its members, each with the executions that were judged when it was
// made.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "harness/generate/generation_state.h"
#include "harness/records/report.h"

namespace esox {

// What the state does not know.
struct GenerationLaunch {
  HuntReport facts;  // server, jobs, seconds, lives, filters ...: what is the same of any hunt
  std::string preload;
  std::string isolation;
};

// What there is, to be told as it grows.
struct GenerationFigures {
  std::array<uint64_t, kFeatureKinds> features{};
  uint64_t causes = 0;
};
GenerationFigures figures_of(const GenerationState& state);

// "epoch 12: 3072 made, 812 tried, 95 kept; 1204 pairs (+37) of some 1900, 310 lock orders (+4), 3
// causes"
std::string epoch_line(const GenerationState& state, const GenerationFigures& before);

// `out`: the corpus's folder, in all that follows.
std::string generation_text(const std::filesystem::path& out, const GenerationState& state,
                            double seconds);
std::string generation_json(const std::filesystem::path& out, const GenerationState& state,
                            double seconds);

// The members that were judged, as a hunt's report.
HuntReport as_hunt(const std::filesystem::path& out, const GenerationState& state,
                   const GenerationLaunch& launch);

// OUT/hunt.json and OUT/hunt.db, in place of those that are there. Throws OutError, DatabaseError.
void write_as_hunt(const std::filesystem::path& out, const GenerationState& state,
                   const GenerationLaunch& launch);

}  // namespace esox
