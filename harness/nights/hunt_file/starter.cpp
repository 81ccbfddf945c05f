// SPDX-License-Identifier: Apache-2.0
// What `esox init` writes.
#include <fmt/format.h>

#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "inputs/input.h"

namespace esox {
namespace {

constexpr const char* kHead = R"(# A hunt file: what esox looks at night for night.
#
#   esox night {file} --check    what a night would do
#   esox night {file}            one night; the same again goes on with one that was ended
#
# All keys with their meaning: docs/nights.md. Paths count from this file's folder.
name: nightly
server: {kind}
out: esox-nights            # findings.db, nights.db and a folder for each night
budget: 8h                  # or a number: 200000 executions

)";

constexpr const char* kTail = R"(corpora:
  - name: shipped
    inputs: shipped                   # those that come with esox
#  - name: mine
#    inputs: [my-inputs/, one.yaml]
#    share: 2
#  - name: imported
#    inputs: corpus                    # a folder made by esox import
#    top: all                          # default: the 1000 best-ranked

strategies: [portfolio]
# seed: 7                  # the same schedules each night; without it each night tries others
# executions: 300          # of one input on one engine, at most, each night
# jobs: 2                  # workers, each with a server; default: cores, at most 4
# turn_within: 7           # nights in which each input is to have its turn
# rest_nights: 3           # an input that shows nothing new any more has no turn for so long
# diagnose: 2m             # of each stage, for diagnosing and minimising its findings; 0: off
# recheck: 5m              # at the beginning, for the findings that are known; 0: off
# filters: shipped         # or none, or a list of files

limits:
  free_at_least: 512M                 # of disk; below it old nights are pruned, then it waits
#  memory: 4G                         # esox and its servers together
#  stuck_after: 5m                    # without any progress: replaced

retention:
  nights: 30                          # whole; of older ones the findings and the summaries
#  space: 20G

# outputs:
#   reports: [html, junit]
#   metrics: /var/lib/prometheus/node-exporter/esox.prom
#   hook: 'mail -s "esox: $ESOX_NEW new findings" me@example.org <"$ESOX_SUMMARY"'

fail_on: new                          # exit status 1: any, new, none
)";

}  // namespace

std::string starter_hunt_file(const Target& target, const std::string& file) {
  return fmt::format(fmt::runtime(kHead), fmt::arg("kind", target.name()), fmt::arg("file", file)) +
         target.starter_part() + kTail;
}

}  // namespace esox
