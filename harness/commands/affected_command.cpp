// SPDX-License-Identifier: Apache-2.0
// esox affected: which servers have this finding? The same one asked of a row of them.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process/paths.h"
#include "base/time/utc.h"
#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/version/build_facts.h"
#include "harness/findings/affected/affected_server.h"
#include "harness/findings/reproduce/play_reproducer.h"
#include "harness/hunt/pinning.h"
#include "harness/records/finding_file.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAffectedExamples = R"(
Examples:
  esox affected FINDING --servers build/servers               each server in that folder
  esox affected FINDING --servers old/bin/mysqld /usr/sbin/mariadbd new/build --executions 10000
  esox affected FINDING --servers build/servers --server-option=--query-cache-size=0 --json

On each server the finding's reproducer is played, if esox reproduce has made one; then its schedule
is replayed, re-aligned; where those do not show the violation, the input is explored, by the
finding's strategy, then by every schedule with one preemption and by the portfolio. The server of
the finding is asked first, if it is still here (docs/servers.md). The table is also kept beside
finding.yaml, as affected.txt and affected.json, and reports show it.

Exit status: 0 none of the servers has it, 1 at least one has it, 125 none that can tell has it, but
some cannot (they do not start, control was lost), 2 wrong use or bad input, 3 esox itself failed.)";

constexpr int kCannotTellStatus = 125;  // as esox verify

struct AffectedOptions : FindingSearchOptions {
  std::vector<std::string> servers;
};

SearchLimits limits_of(const AffectedOptions& options) {
  SearchLimits limits{options.executions, std::nullopt, options.variants};
  if (!options.budget.empty()) limits.budget = duration_given("--budget", options.budget);
  return limits;
}

// A server to be asked, as it was named.
struct Place {
  std::string server;
  bool home = false;   // where the finding was found, unless that is another release now
  bool named = false;  // by --servers
};

// Whether `place`, a program or the folder that it is in, is this program's.
bool is_place_of(const std::string& place, const std::string& program) {
  std::error_code error;
  return lies_in(fs::weakly_canonical(program, error), fs::weakly_canonical(place, error));
}

// The finding's own server first, for others are compared with its rate. Under further options it
// is another server than where the finding was found.
std::vector<Place> places_of(const AffectedOptions& options, const Finding& finding) {
  const std::string& home = finding.server.path;
  const std::string_view family = target_named(finding.input.input.server()).family();
  const bool as_found = options.common.server_options.empty();
  std::vector<Place> places;
  if (is_there(home)) places.push_back({home, true, false});
  for (const std::string& given : options.servers) {
    const std::vector<std::string> some = server_places(given, family);
    if (some.empty()) {
      throw UsageError(fmt::format(
          "--servers {}: no {} server is in it, nor in a folder in it; name a server's program, or "
          "the folder of its build or installation",
          given, family));
    }
    for (const std::string& one : some) {
      const bool is_home =
          as_found && !places.empty() && places.front().home && is_place_of(one, home);
      if (is_home) {
        places.front() = {one, true, true};
      } else {
        places.push_back({one, false, true});
      }
    }
  }
  return places;
}

FindingOptions options_on(const AffectedOptions& options, const Place& place) {
  FindingOptions here{options.finding, options.common, options.filters};
  here.common.server = place.server;
  if (place.home) here.common.server_options.clear();
  return here;
}

// Opens the server and asks it. False: it is not asked, for nobody named it, and it is not where
// the finding was found any more.
bool ask(AffectedRow& row, Place& place, const AffectedOptions& options,
         const AffectedTable& so_far, const std::atomic<bool>& stop) {
  FindingBench opened = open_finding(options_on(options, place));
  const FindingServer& server = opened.bench.description;
  row.path = server.path;
  row.version = server.version;
  row.options = server.options;
  place.home = row.home = place.home && server.version == opened.finding.server.version;
  if (!place.home && !place.named) return false;
  row.played = play_reproducer(opened.file, opened.finding, server, stop);
  search_as_found(opened.finding, so_far.seed, opened.settings);
  const CorePin pin(0, 1);
  ServerExecutor executor(*opened.bench.server, opened.bench.executor);
  ask_server(row, {executor, opened.finding, opened.settings}, limits_of(options),
             row.home || !has_rate(so_far.rows), stop);
  return true;
}

std::optional<AffectedRow> row_of(Place& place, const AffectedOptions& options,
                                  const AffectedTable& so_far, const std::atomic<bool>& stop) {
  AffectedRow row;
  row.server = place.server;
  row.home = place.home;
  bool asked = true;
  ask_guarded(row, [&] { asked = ask(row, place, options, so_far, stop); });
  if (asked) return row;
  warn(fmt::format("{} is another release than the finding's by now, {}: it is not asked",
                   place.server, row.version));
  return std::nullopt;
}

AffectedTable empty_table(const AffectedOptions& options, const Finding& finding) {
  AffectedTable table;
  table.finding = finding.id;
  table.input = input_line(finding);
  table.violation = violation_line(finding);
  table.made = utc_now();
  table.esox = fmt::format("{} ({})", build_facts().version, build_facts().commit);
  table.seed = options.seed.empty() ? finding.seed : seed_of(options.seed);
  table.executions_each = options.executions;
  table.variants = options.variants;
  return table;
}

// `places`: of the rows.
int status_of(const AffectedTable& table, const std::vector<Place>& places) {
  int status = kNothingFound;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (!places[i].named) continue;
    if (table.rows[i].answer == Affected::kHasIt) return kFound;
    if (table.rows[i].answer == Affected::kCannotTell) status = kCannotTellStatus;
  }
  return status;
}

int ask_servers(const AffectedOptions& options) {
  (void)limits_of(options);
  const fs::path file = finding_file(options.finding);
  const Finding finding = read_finding(file);
  const StopSignals signals;
  AffectedTable table = empty_table(options, finding);
  std::vector<Place> asked;
  const std::vector<Place> places = places_of(options, finding);
  for (Place place : places) {
    if (signals.stop().load()) break;
    warn(fmt::format("asking {}", place.server));
    std::optional<AffectedRow> row = row_of(place, options, table, signals.stop());
    if (!row) continue;
    table.rows.push_back(std::move(*row));
    asked.push_back(place);
  }
  table.stopped = signals.stop().load();
  state_probabilities(table);
  put_report(options.common.json, affected_text(table), affected_json(table));
  write_affected(file, table);
  return status_of(table, asked);
}

}  // namespace

void add_affected_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<AffectedOptions>(
      app, chosen, {"affected", "which servers have a finding?", kAffectedExamples}, ask_servers);
  add_finding_argument(command, options.finding);
  command
      .add_option("--servers", options.servers,
                  "programs of servers, or folders: of a server, or of several")
      ->required();
  add_finding_search_options(command, options, "of each strategy on each server, at most");
  add_server_option(command, options.common);
  add_report_options(command, options.common);
  add_filter_options(command, options.filters);
  add_isolation_option(command, options.common);
}

}  // namespace esox
