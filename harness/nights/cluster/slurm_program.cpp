// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/slurm_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/process/find_program.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/text/shell_words.h"
#include "harness/nights/cluster/cluster_run.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr auto kLimit = std::chrono::seconds(60);

// Without what would have squeue leave out what is asked for.
std::vector<std::string> our_environment() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) variables.emplace_back(*one);
  std::erase_if(variables, [](const std::string& one) { return one.starts_with("SQUEUE_"); });
  return variables;
}

}  // namespace

std::string said_by_slurm(const std::vector<std::string>& words) {
  const fs::path program = find_program({.wanted = words.front(),
                                         .names = {},
                                         .folders = "/opt/slurm/bin",
                                         .remedy = "there is no Slurm here; on Debian its package "
                                                   "is slurm-client"});
  const PrivateDirectory folder(temporary_base());
  ProcessPlan plan;
  plan.program = program;
  plan.arguments.assign(words.begin() + 1, words.end());
  plan.environment = our_environment();
  plan.folder = fs::current_path();
  plan.log = folder.path() / "said";
  Process process(plan);
  const auto ended = process.wait(kLimit);
  std::ifstream log(plan.log);
  const std::string said{std::istreambuf_iterator<char>(log), {}};
  if (ended && ended->signal == 0 && ended->code == 0) return said;
  const std::string why = ended ? said.substr(0, said.find('\n')) : "no answer within a minute";
  throw ClusterError(fmt::format("Slurm does not do it: {}; it was: {}",
                                 why.empty() ? text_of(*ended) : why, shell_words(words)));
}

}  // namespace esox
