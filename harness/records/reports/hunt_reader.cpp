// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/hunt_reader.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "base/process/paths.h"
#include "harness/records/reports/report_error.h"

namespace esox {

namespace fs = std::filesystem;

HuntReport hunt_from_json(const std::string& text, const std::string& file) {
  try {
    return from_json<HuntReport>(text);
  } catch (const DamagedRecord& error) {
    throw ReportError(fmt::format("{}: {}; it may have been cut off: copy it anew, or hunt again",
                                  file, error.what()));
  } catch (const RecordError& error) {
    throw ReportError(
        fmt::format("{}: not the report of a hunt, or of another version of esox: {}; name the "
                    "folder that a hunt made (its OUT)",
                    file, error.what()));
  }
}

std::string read_report_file(const fs::path& path, uint64_t limit) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) throw ReportError(fmt::format("cannot read {}: {}", path.string(), error.message()));
  if (size > limit) {
    throw ReportError(fmt::format("{}: of {} bytes, {} are the limit", path.string(), size, limit));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) {
    throw ReportError(fmt::format("cannot read {}: it is not a whole file", path.string()));
  }
  return text;
}

HuntReport read_hunt(const fs::path& out) {
  const fs::path file = out / "hunt.json";
  if (!is_file(file)) {
    throw ReportError(
        fmt::format("{} is not the folder of a hunt: there is no hunt.json in it; "
                    "name the folder that a hunt made (its OUT)",
                    out.string()));
  }
  return hunt_from_json(read_report_file(file, kMaxHuntBytes), file.string());
}

}  // namespace esox
