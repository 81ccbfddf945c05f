#!/bin/bash
# Written by esox slurm. What all shards that are there have found becomes one.
set -eu
cd {{{out}}}
{{{esox}}} merge --json={{{folder}}}/merge.json {{{out}}} shards/*/
