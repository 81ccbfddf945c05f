#!/bin/bash
# Written by esox slurm: a night of a hunt file in {{{shards}}} shards, each a task of a job array of
# Slurm, and a merge that depends on it.
#
#   bash THIS [OPTION OF SBATCH ...]   submits the shards that neither ended nor are under way, and
#                                      a merge behind all; a shard that was lost goes on where it was
#   bash THIS status                   which these are; exit status 1: some are lost
#
# All nodes see $out under this path. What sbatch is to be told each time is added here, as in
# #SBATCH --mem=8G, and what a shard needs before it hunts in shard(), as in module load.
set -u
shards={{{shards}}}
out={{{out}}}
folder=$out/cluster/{{{run}}}
esox={{{esox}}}

# A task of the array.
shard() {
  local stopped=no status
  trap 'stopped=yes' TERM INT HUP USR1 USR2
  "$esox" night {{{file}}} --seed {{{seed}}} --campaign {{{run}}} \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" --out "$out/shards/$SLURM_ARRAY_TASK_ID"
  status=$?
  # It may have stopped tidily, and has not ended.
  if [ $stopped = yes ]; then exit 143; fi
  # 1: something was found.
  if [ $status -gt 1 ]; then exit $status; fi
  touch "$folder/ended/$SLURM_ARRAY_TASK_ID"
}

merge() {
  cd "$out" && "$esox" merge --json="$folder/merge.json" "$out" shards/*/
}

declare -A state under_way of # of a shard, as Slurm says; jobs; shards by what became of them

# Lost is what neither ended, by its own mark, nor is in the queue: failed, cancelled, out of time,
# its node gone. The queue is asked first: a shard that ends in between has its mark by then.
look() {
  local queue job shard is
  command -v squeue >/dev/null || {
    echo "there is no Slurm here; on Debian its package is slurm-client" >&2
    exit 2
  }
  unset "${!SQUEUE_@}" # by which it leaves out what is asked for
  queue=$(squeue --array --noheader --format='%F %K %T' --name={{{name}}}) || exit 2
  while read -r job shard is; do
    if [[ $shard =~ ^[0-9]+$ ]]; then state[$shard]=$is under_way[$job]=1; fi
  done <<<"$queue"
  for ((shard = 1; shard <= shards; ++shard)); do
    case ${state[$shard]-} in
      '') is=lost ;;
      PENDING) is=waiting ;;
      *) is=running ;;
    esac
    if [ -e "$folder/ended/$shard" ]; then is=ended; fi
    of[$is]+=,$shard
  done
}

status() {
  local is
  look
  for is in lost running waiting ended; do
    if [ -n "${of[$is]-}" ]; then echo "$is: ${of[$is]:1}"; fi
  done
  if [ -e "$folder/merge.json" ]; then echo "merged into $out/findings.db"; else echo "not merged yet"; fi
  if [ -z "${of[lost]-}" ]; then exit 0; fi
  echo "logs: $folder/shard-N.log"
  exit 1
}

# Prints the job's number. Of two names the last counts; squeue is asked for ours.
submit() { # ROLE NAME LOG OPTION...
  local role=$1 name=$2 log=${folder//%/%%}/$3 said # '%' begins a replacement
  shift 3
  said=$(sbatch --parsable --nodes=1 --ntasks=1 --open-mode=append --output="$log" "$@" \
    --job-name="$name" "$0" "$role") || exit 2
  echo "${said%%;*}" # "123;cluster"
}

submit_lost() { # OPTION...
  local job merge after
  look
  if [ -z "${of[lost]-}" ]; then
    echo "nothing is lost: nothing was submitted"
    exit 0
  fi
  mkdir -p "$folder/ended" "$out/shards" && rm -f "$folder/merge.json" || exit 2
  job=$(submit shard {{{name}}} shard-%a.log --requeue --array="${of[lost]:1}" \
    --cpus-per-task={{{cores}}}{{#minutes}} --time={{{minutes}}}{{/minutes}} "$@") || exit 2
  under_way[$job]=1
  after=${!under_way[*]}
  merge=$(submit merge {{{name}}}-merge merge.log --dependency="afterany:${after// /:}" "$@") || exit 2
  echo "submitted as job $job: ${of[lost]:1}; the merge as $merge"
}

case ${1-} in
  shard | merge | status) "$1" ;;
  *) submit_lost "$@" ;;
esac
