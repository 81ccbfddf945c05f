// SPDX-License-Identifier: Apache-2.0
#include "harness/records/finding_file.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "analysis/forgiveness.h"
#include "filters/circumstances.h"
#include "filters/reader.h"
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
    throw FindingError(fmt::format(
        "{}: cannot read the finding: {}; give the path of a finding.yaml that a hunt wrote",
        path.string(), problem.message()));
  }
  if (size > kMaxFindingBytes) {
    throw FindingError(
        fmt::format("{}: {} bytes is more than a finding may have ({}); give the path of a "
                    "finding.yaml that a hunt wrote",
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

Verdict judged_again(const Finding& finding, Orders others) {
  const auto rules = std::make_shared<const RuleSet>(parse_rules(finding.filters, known_servers()));
  const RulesInForce in_force(
      rules, circumstances_of(finding.input, {finding.server.version, finding.server.options}));
  const ExecutionRecord record = record_of(finding);
  return judge(record, serial_runs_of(finding), finding.masks, others,
               Forgiveness(in_force, record.stamps));
}

}  // namespace esox
