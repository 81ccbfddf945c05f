// SPDX-License-Identifier: Apache-2.0
// esox verify: is a finding gone on a new server? For CI and `git bisect run`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/server_error.h"
#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/findings/reproduce/play_reproducer.h"
#include "harness/findings/verify/verification.h"
#include "harness/hunt/pinning.h"

namespace esox {
namespace {

constexpr const char* kVerifyExamples = R"(
Examples:
  esox verify FINDING --server build/patched/sql/mariadbd
  esox verify FINDING --server-option=--query-cache-size=0      does another setting help?
  esox verify FINDING --server new/memcached --old-server old/memcached --confidence 0.999
  git bisect run sh -c 'make || exit 125; esox verify FINDING --server ./memcached --old-server KEPT'

It plays the finding's reproducer on the new server, if esox reproduce has made one: where that
shows the finding, it is still there. Else it replays the finding's schedule, re-aligned, and its
neighbourhood; then it executes every schedule with one preemption, fresh draws from a mix of
strategies and the portfolio, on the old and the new server side by side, as many as --confidence
wants (docs/verifying.md). Whatever is of the finding's family counts as still there. The old server
is the finding's own, unless --old-server names another.

Exit status: 0 fixed, 1 still there, or the new server gives new violations, 125 cannot tell (a
server does not start, the setup fails, a request is refused, the old server gives the violation too
rarely), 2 wrong use or bad input, 3 esox itself failed.)";

constexpr int kCannotTellStatus = 125;  // git bisect run: this commit cannot be tested

struct VerifyOptions : FindingSearchOptions {
  VerifyOptions() {
    executions = VerifyLimits().draws;
    budget = "5m";
  }
  std::string old_server;
  double confidence = VerifyLimits().confidence;
};

VerifyLimits limits_of(const VerifyOptions& options) {
  VerifyLimits limits;
  limits.confidence = options.confidence;
  limits.draws = options.executions;
  limits.variants = options.variants;
  limits.budget = duration_given("--budget", options.budget);
  return limits;
}

// Without the options that the new server is given.
FindingOptions old_options(const VerifyOptions& options) {
  FindingOptions old{options.finding, {}, options.filters};
  old.common.server = options.old_server;
  old.common.preload = options.common.preload;
  old.common.isolation = options.common.isolation;
  return old;
}

void check_use(const VerifyOptions& options) {
  if (options.common.server.empty() && options.common.server_options.empty()) {
    throw UsageError(
        "verify: nothing has changed; name the new server by --server, or what is set anew by "
        "--server-option");
  }
}

std::string server_line(const char* name, const FindingBench& bench) {
  const FindingServer& server = bench.bench.description;
  return fmt::format("{}: {} {} {}\n", name, server.path, server.version,
                     fmt::join(server.options, " "));
}

// Otherwise the old side would be any server that happens to be here.
void need_old_server(const VerifyOptions& options, const FindingBench& old) {
  if (!options.old_server.empty() || old.bench.description.path == old.finding.server.path) return;
  throw ServerError(fmt::format("the finding's server {} is not here; name one by --old-server",
                                old.finding.server.path));
}

int status_of(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kFixed:
      return kNothingFound;
    case Conclusion::kCannotTell:
      return kCannotTellStatus;
    default:
      return kFound;
  }
}

int verify_on(const VerifyOptions& options, FindingBench& old, FindingBench& now,
              const VerifyLimits& limits) {
  const StopSignals signals;
  const Finding& finding = old.finding;
  const uint64_t seed = options.seed.empty() ? finding.seed : seed_of(options.seed);
  old.settings.hunt_seed = seed;
  now.settings.hunt_seed = seed;
  Verification verification;
  verification.played =
      play_reproducer(old.file, now.finding, now.bench.description, signals.stop());
  if (!verification.played || !verification.played->shows_the_finding()) {
    const CorePin pin(0, 1);
    ServerExecutor old_executor(*old.bench.server, old.bench.executor);
    ServerExecutor new_executor(*now.bench.server, now.bench.executor);
    std::optional<PlayedRounds> played = std::move(verification.played);
    verification = verify({old_executor, old.settings}, {new_executor, now.settings}, finding,
                          limits, signals.stop());
    verification.played = std::move(played);
  }
  put_report(options.common.json, verification_text(verification),
             verification_json(verification, finding));
  return status_of(verification.conclusion());
}

int verify_finding(const VerifyOptions& options) {
  check_use(options);
  const VerifyLimits limits = limits_of(options);
  try {
    FindingBench old = open_finding(old_options(options));
    need_old_server(options, old);
    FindingBench now = open_finding(options);
    now.warnings.clear();  // that it is another server is the point
    tell_warnings(old);
    if (!options.common.json.on_stdout()) {
      put(finding_head(old).front() + "\n" + server_line("old", old) + server_line("new", now));
    }
    return verify_on(options, old, now, limits);
  } catch (const ServerError&) {
    tell_error(std::current_exception());
  } catch (const SetupError&) {
    tell_error(std::current_exception());
  }
  return kCannotTellStatus;
}

}  // namespace

void add_verify_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<VerifyOptions>(
      app, chosen, {"verify", "is a finding gone on a new server?", kVerifyExamples},
      verify_finding);
  add_finding_argument(command, options.finding);
  command.add_option("--old-server", options.old_server,
                     "the program that has the bug (default: the finding's own)");
  command.add_defaulted("--confidence", options.confidence,
                        "how sure it is to be before it says fixed, below 1",
                        within(0.5, 0.999999));
  add_finding_search_options(command, options,
                             "fresh draws on the new server, and executions by the portfolio, at "
                             "least; more where the confidence wants them");
  add_finding_options(command, options);
}

}  // namespace esox
