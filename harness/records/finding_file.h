// SPDX-License-Identifier: Apache-2.0
// finding.yaml on the disk (its text: analysis/finding.h). Reading and writing throw FindingError.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/finding.h"
#include "analysis/verdict.h"

namespace esox {

inline constexpr uint64_t kMaxFindingBytes = 256u << 20;

// There is either the old file or the whole new one, on the disk: killing esox loses no finding.
void write_finding(const Finding& finding, const std::filesystem::path& path);

Finding read_finding(const std::filesystem::path& path);

// Where what is made of a finding lies: diagnosis.txt beside finding.yaml; beside another.yaml
// another-diagnosis.txt.
std::filesystem::path beside_finding(const std::filesystem::path& finding_file,
                                     const std::string& name);

// By the serial orders that it holds, under the rules that it was judged under, which are part of
// it.
Verdict judged_again(const Finding& finding, Orders others);

}  // namespace esox
