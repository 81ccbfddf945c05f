// SPDX-License-Identifier: Apache-2.0
// esox slurm: a night of a hunt file as a job array of Slurm (harness/nights/cluster/slurm.h).
#include <fmt/format.h>

#include <filesystem>

#include "base/process/paths.h"
#include "base/text/shell_words.h"
#include "base/time/utc.h"
#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/nights/cluster/slurm.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/records/shard.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(
Examples:
  esox slurm nightly.yaml --array 20                    submits twenty shards, and their merge
  esox slurm nightly.yaml --array 20 --dry-run          only writes the scripts, and says what it would do
  esox slurm nightly.yaml --array 20 --partition long --sbatch=--mem=8G
  esox slurm status OUT                                 which shards ended, run, wait, are lost
  esox slurm resubmit OUT                               submits those that are lost again

OUT is the hunt file's `out`, a folder that all nodes see under the same path. Each shard works in
OUT/shards/I; the merge, when all have ended, brings it together in OUT (esox merge).

Exit status: 0 done, 1 some shards are lost (status), 2 wrong use, or no Slurm here.)";

// Beside the budget: starting, ending, a slow disk.
constexpr uint64_t kMoreMinutes = 15;

struct SlurmArguments {
  std::string file;
  unsigned array = 0;
  bool dry_run = false;
  std::string partition;
  std::string seed;
  std::vector<std::string> sbatch;
  std::string out;  // of status, resubmit
  std::string run;
  JsonOption json;
};

uint64_t minutes_of(const HuntFile& file) {
  if (!file.budget.time) return 0;
  const auto all = *file.budget.time + file.limits.grace;
  return static_cast<uint64_t>(std::chrono::ceil<std::chrono::minutes>(all).count()) + kMoreMinutes;
}

ClusterRun run_of(const HuntFile& file, const SlurmArguments& arguments) {
  ClusterRun run;
  run.id = utc_file_name();
  run.name = file.name;
  run.file = fs::absolute(file.file).lexically_normal();
  run.out = fs::absolute(file.out).lexically_normal();
  run.esox = fs::read_symlink("/proc/self/exe");
  run.shards = arguments.array;
  run.seed = arguments.seed.empty() && file.seed_fixed ? file.seed : seed_of(arguments.seed);
  run.jobs = file.jobs == 0 ? 1 : file.jobs;
  run.minutes = minutes_of(file);
  if (!arguments.partition.empty()) run.submit.push_back("--partition=" + arguments.partition);
  run.submit.insert(run.submit.end(), arguments.sbatch.begin(), arguments.sbatch.end());
  return run;
}

std::vector<unsigned> all_shards(const ClusterRun& run) {
  std::vector<unsigned> shards;
  for (unsigned shard = 1; shard <= run.shards; ++shard) shards.push_back(shard);
  return shards;
}

// A night that Slurm did not take leaves nothing behind.
std::string submit_or_undo(const ClusterRun& run, const std::vector<std::string>& words) {
  try {
    return submit(words);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(run.folder(), ignored);
    throw;
  }
}

int submit_all(const SlurmArguments& arguments) {
  if (arguments.file.empty()) {
    throw UsageError("name a hunt file, or one of: status OUT, resubmit OUT");
  }
  if (arguments.array == 0) throw UsageError("say by --array how many shards there are to be");
  const ClusterRun run = run_of(read_hunt_file(arguments.file), arguments);
  if (is_there(run.folder())) {
    throw UsageError(fmt::format("{} was submitted within this second already", run.id));
  }
  prepare(run);
  const std::vector<std::string> words = submit_shards(run, all_shards(run));
  put(fmt::format("the night {} of {}, {} shards, seed {}: {}\n", run.id, run.name, run.shards,
                  run.seed, run.folder().string()));
  if (arguments.dry_run) {
    put(fmt::format("not submitted:\n  {}\n  {}\n", shell_words(words),
                    shell_words(submit_merge(run, {"JOB"}))));
    return kNothingFound;
  }
  const std::string job = submit_or_undo(run, words);
  put(fmt::format("submitted as job {}, the merge as {}\n  esox slurm status {}\n", job,
                  submit(submit_merge(run, {job})), shell_word(run.out.string())));
  return kNothingFound;
}

int tell_status(const SlurmArguments& arguments) {
  const ClusterRun run = read_run(arguments.out, arguments.run);
  const RunStatus status = status_of(run);
  put_report(arguments.json, status_text(run, status), status_json(run, status));
  return status.of(ShardStatus::Kind::kLost).empty() ? kNothingFound : kFound;
}

int submit_lost(const SlurmArguments& arguments) {
  const Resubmitted made = resubmit(read_run(arguments.out, arguments.run));
  put(made.shards.empty() ? "nothing is lost: nothing was submitted\n"
                          : fmt::format("submitted again: {}, as job {}; the merge as {}\n",
                                        array_text(made.shards), made.job, made.merge));
  return kNothingFound;
}

DefinedCommand<SlurmArguments> add_part(Command& command, Chosen& chosen, const char* name,
                                        const char* what, int (*run)(const SlurmArguments&)) {
  const auto part = define<SlurmArguments>(command, chosen, {name, what, kExamples}, run);
  part.command.add_option("OUT", part.options.out, "the hunt file's `out`")->required();
  part.command.add_option("--run", part.options.run, "of which night (default: the newest)");
  return part;
}

}  // namespace

void add_slurm_command(Command& app, Chosen& chosen) {
  const auto [command, arguments] = define<SlurmArguments>(
      app, chosen, {"slurm", "a night of a hunt file on many machines, by Slurm", kExamples},
      submit_all);
  command.require_subcommand(0, 1);
  command.add_option("FILE", arguments.file, "a hunt file (esox init)");
  command.add_option("--array", arguments.array, "how many shards; each is a task of a job array")
      ->check(within(1u, kMostShards));
  command.add_flag("--dry-run", arguments.dry_run, "write the scripts, submit nothing");
  command.add_option("--partition", arguments.partition, "of Slurm, for shards and merge");
  command.add_option("--seed", arguments.seed,
                     "of all shards (default: the file's, if it fixes one; else drawn)");
  command
      .add_option("--sbatch", arguments.sbatch,
                  "a further word for sbatch, as it is: --sbatch=--mem=8G; may be repeated")
      ->allow_extra_args(false);
  const auto [status, asked] =
      add_part(command, chosen, "status", "what became of the shards", tell_status);
  add_json_option(status, asked.json);
  add_part(command, chosen, "resubmit", "submit the lost shards again", submit_lost);
}

}  // namespace esox
