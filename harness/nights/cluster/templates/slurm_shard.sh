#!/bin/bash
# Written by esox slurm. One shard of the night {{{run}}}: a task of a job array.
set -u
shard=$SLURM_ARRAY_TASK_ID
stopped=no
trap 'stopped=yes' TERM INT HUP USR1 USR2
{{{night}}} --shard "$shard/{{{shards}}}" --out {{{out}}}/shards/"$shard"
status=$?
# 1: something was found.
if [ "$stopped" = yes ]; then exit 143; fi
if [ "$status" -gt 1 ]; then exit "$status"; fi
ended={{{folder}}}/ended
echo "$status" >"$ended/.$shard" && mv "$ended/.$shard" "$ended/$shard"
