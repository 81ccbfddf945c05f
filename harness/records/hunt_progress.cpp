// SPDX-License-Identifier: Apache-2.0
#include "harness/records/hunt_progress.h"

#include "base/process/log_file.h"

namespace esox {

static void each_field(auto& f, Of<HuntProgress>) {
  f("runs", &HuntProgress::runs, kRequired);
  each_field(f, Of<HuntCounts>());
  f("findings", &HuntProgress::findings, kRequired);
  f("seconds", &HuntProgress::seconds, kRequired);
  f("ended", &HuntProgress::ended, kRequired);
}

std::string progress_json(const HuntProgress& progress) {
  return to_json(progress, -1);
}

std::optional<HuntProgress> read_progress(const std::filesystem::path& out) {
  try {
    return from_json<HuntProgress>(text_of_file(out / "progress.json"));
  } catch (const RecordError&) {
    return std::nullopt;
  }
}

}  // namespace esox
