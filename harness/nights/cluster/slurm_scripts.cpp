// SPDX-License-Identifier: Apache-2.0
// See slurm_scripts.h.
#include "harness/nights/cluster/slurm_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/nights/cluster/shell_words.h"
#include "harness/nights/cluster/templates.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

// In a file name of sbatch's, '%' begins a replacement.
std::string log_name(const std::filesystem::path& file) {
  std::string name;
  for (const char c : file.string()) name += c == '%' ? "%%" : std::string(1, c);
  return name;
}

std::string filled(const char* script, const ClusterRun& run) {
  const nlohmann::json view = {{"run", run.id},
                               {"shards", run.shards},
                               {"esox", shell_word(run.esox.string())},
                               {"night", shell_words(night_words(run))},
                               {"out", shell_word(run.out.string())},
                               {"folder", shell_word(run.folder().string())}};
  return mustache_page(script).render(mustache_data(view));
}

struct JobFiles {
  const char* kind;  // as part of the job's name
  const char* script;
  const char* log;
};

std::vector<std::string> submission(const ClusterRun& run, const JobFiles& files,
                                    const std::vector<std::string>& more) {
  std::vector<std::string> words = {"sbatch",
                                    "--parsable",
                                    fmt::format("--job-name=esox-{}{}", files.kind, run.name),
                                    "--nodes=1",
                                    "--ntasks=1",
                                    "--open-mode=append",
                                    "--output=" + log_name(run.folder()) + "/" + files.log};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), run.submit.begin(), run.submit.end());
  words.push_back((run.folder() / files.script).string());
  return words;
}

}  // namespace

std::string shard_script(const ClusterRun& run) {
  return filled(kSlurmShardTemplate, run);
}

std::string merge_script(const ClusterRun& run) {
  return filled(kSlurmMergeTemplate, run);
}

std::string array_text(const std::vector<unsigned>& shards) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < shards.size();) {
    size_t end = i + 1;
    while (end < shards.size() && shards[end] == shards[end - 1] + 1) ++end;
    ranges.push_back(end - i == 1 ? std::to_string(shards[i])
                                  : fmt::format("{}-{}", shards[i], shards[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

std::vector<std::string> submit_shards(const ClusterRun& run, const std::vector<unsigned>& shards) {
  std::vector<std::string> more = {"--array=" + array_text(shards),
                                   fmt::format("--cpus-per-task={}", run.jobs), "--requeue"};
  if (run.minutes > 0) more.push_back(fmt::format("--time={}", run.minutes));
  return submission(run, {"", "shard.sh", "shard-%a.log"}, more);
}

std::vector<std::string> submit_merge(const ClusterRun& run,
                                      const std::vector<std::string>& after) {
  return submission(run, {"merge-", "merge.sh", "merge.log"},
                    {fmt::format("--dependency=afterany:{}", fmt::join(after, ":"))});
}

}  // namespace esox
