// SPDX-License-Identifier: Apache-2.0
// What triage takes from the diagnosis.json of a finding's folder (harness/findings/diagnosis), if
// there is one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace esox {

struct DiagnosisFacts {
  // The critical pair, each as operation and function, sorted; without what differs from run to run
  // (numbers of objects). Empty: none was found, or swapping it did not confirm it.
  std::vector<std::string> critical_pair;
  std::string sentence;  // of the critical switch, for people; may be empty
  // Where each client of the pair stood, as its two callers above the function that it was in:
  // "memcached+0x23ac9 < memcached+0x25bb6". A client whose stack is not known is not among them.
  std::vector<std::string> places;
  // The same with the operation before them: "lock mutex in f < memcached+0x23ac9 < ...".
  std::vector<std::string> steps;
};

// nullopt: there is none, or none that can be read (a diagnosis is no part of a finding).
std::optional<DiagnosisFacts> read_diagnosis_facts(const std::filesystem::path& finding_folder);

// The same of its text.
std::optional<DiagnosisFacts> diagnosis_facts(const std::string& json);

}  // namespace esox
