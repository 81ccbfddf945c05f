// SPDX-License-Identifier: Apache-2.0
#include "harness/records/finding_file.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "harness/engine/known_servers.h"
#include "harness/records/out_folder.h"

namespace esox {

void write_finding(const Finding& finding, const std::filesystem::path& path) {
  try {
    write_lasting_file(path, finding_to_yaml(finding));
  } catch (const OutError& error) {
    throw FindingError(error.what());
  }
}

Finding read_finding(const std::filesystem::path& path) {
  std::error_code problem;
  const uint64_t size = std::filesystem::file_size(path, problem);
  if (problem) {
    throw FindingError(
        fmt::format("{}: cannot read the finding: {}; give the path of a "
                    "finding.yaml that a hunt wrote",
                    path.string(), problem.message()));
  }
  if (size > kMaxFindingBytes) {
    throw FindingError(
        fmt::format("{}: {} bytes is more than a finding may have ({}); give the "
                    "path of a finding.yaml that a hunt wrote",
                    path.string(), size, kMaxFindingBytes));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in) {
    throw FindingError(
        fmt::format("{}: cannot read the finding; check its permissions", path.string()));
  }
  return finding_from_yaml(bytes.str(), path.string(), known_servers());
}

std::filesystem::path beside_finding(const std::filesystem::path& finding_file,
                                     const std::string& name) {
  const std::string stem = finding_file.stem().string();
  return finding_file.parent_path() / (stem == "finding" ? name : stem + "-" + name);
}

}  // namespace esox
