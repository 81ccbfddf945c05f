// SPDX-License-Identifier: Apache-2.0
// esox doctor: can this machine hunt, and if not, what to do.
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/text/enum_names.h"
#include "base/text/shell_words.h"
#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/engine/executor.h"
#include "harness/engine/server_executor.h"
#include "harness/engine/stacks.h"
#include "harness/findings/reproduce/player.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"
#include "harness/records/json_text.h"
#include "inputs/engine.h"
#include "targets/registry.h"
#include "targets/target.h"

namespace esox {
namespace {

constexpr const char* kDoctorExamples = R"(
Examples:
  esox doctor
  esox doctor memcached
  esox doctor --server /opt/mariadb/sbin/mariadbd --json

Exit status: 0 hunting is possible, 2 it is not (or wrong use), 3 esox itself failed.)";

enum class Health {
  kGood,
  kWarning,  // hunting is possible, but slower or less telling
  kBad,      // hunting is impossible
};

struct CheckResult {
  std::string name;  // "server"
  Health health = Health::kGood;
  std::string finding;  // one line
  std::string remedy;   // one line; empty if all is well
};

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kNeededSpace = 200 * kMiB;  // a few servers' private data, and their logs
constexpr rlim_t kNeededProcesses = 256;       // threads count, too: some 20 per server
constexpr rlim_t kNeededFiles = 256;

constexpr unsigned kTrials = 3;  // on a busy machine control can be lost once
// People wait for each of these, and a thread that is late once is tried again.
constexpr std::chrono::milliseconds kStallLimit{1'000};

ConcreteInput first_instance(const Input& input) {
  return instantiate(input, canonical_engines(*input.language, {})).at(0);
}

bool is_degraded(const Judged& judged) {
  return judged.verdict.verdict == VerdictClass::kDegraded;
}

// Each check is a function of its own; the later ones rest on the earlier ones and are left out if
// those fail. Starts a private server for a moment if it can.
class Examination {
 public:
  Examination(const Target& target, const CommonOptions& options)
      : target_(target), options_(options) {}

  std::vector<CheckResult> run() {
    machine();
    cores();
    privileges();
    limits();
    space("private folders", temporary_base(), "set TMPDIR to a folder with more room");
    randomisation();
    const bool found = preload() && server();
    if (found && cache() && boot()) {
      stacks();
      holds();
      if (trial(Isolation::kRestart, "trial")) trial(Isolation::kSnapshot, "snapshots");
    }
    return std::move(results_);
  }

 private:
  void good(const char* name, std::string finding) {
    results_.push_back({name, Health::kGood, std::move(finding), ""});
  }
  void warn(const char* name, std::string finding, std::string remedy) {
    results_.push_back({name, Health::kWarning, std::move(finding), std::move(remedy)});
  }
  bool bad(const char* name, std::string finding, std::string remedy) {
    results_.push_back({name, Health::kBad, std::move(finding), std::move(remedy)});
    return false;
  }

  void machine() {
    utsname name{};
    uname(&name);
    good("kernel", fmt::format("{} {} ({})", name.sysname, name.release, name.machine));
  }

  void cores() {
    const size_t count = usable_cores();
    const std::string text = fmt::format("{} usable", count);
    if (count >= 2) return good("cores", text);
    warn("cores", text,
         "one job will run at a time; more cores explore more executions per second");
  }

  void privileges() {
    if (geteuid() == 0) {
      good("privileges", "root; not needed, an ordinary user will do");
    } else {
      good("privileges", fmt::format("ordinary user (uid {}), which is enough", geteuid()));
    }
  }

  void limits() {
    limit("processes and threads", RLIMIT_NPROC, kNeededProcesses, "ulimit -u 4096");
    limit("open files", RLIMIT_NOFILE, kNeededFiles, "ulimit -n 1024");
  }

  void limit(const char* name, __rlimit_resource_t what, rlim_t needed, const char* remedy) {
    rlimit now{};
    getrlimit(what, &now);
    if (now.rlim_cur == RLIM_INFINITY) return good(name, "unlimited");
    const std::string text = fmt::format("at most {}", now.rlim_cur);
    if (now.rlim_cur >= needed) return good(name, text);
    warn(name, text, fmt::format("servers may fail to start; raise it: {}", remedy));
  }

  bool space(const char* name, const std::filesystem::path& folder, const char* remedy) {
    struct statvfs status {};
    if (statvfs(folder.c_str(), &status) != 0) {
      return bad(name, fmt::format("{}: {}", folder.string(), strerror(errno)), remedy);
    }
    try {
      const PrivateDirectory trial(folder);
      (void)trial.socket_path("socket");
    } catch (const ServerError& error) {
      return bad(name, error.what(), remedy);
    }
    const uint64_t free = uint64_t{status.f_bavail} * status.f_frsize;
    const std::string text = fmt::format("{}: writable, {} MiB free", folder.string(), free / kMiB);
    if (free < kNeededSpace) return bad(name, text, remedy);
    good(name, text);
    return true;
  }

  // Children inherit it; tried on this thread and put back.
  void randomisation() {
    const int now = personality(0xffffffff);
    const bool possible =
        now != -1 && personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) != -1;
    if (possible) personality(static_cast<unsigned long>(now));
    if (possible) return good("address randomisation", "can be switched off for the server");
    bad("address randomisation", "cannot be switched off: personality() is forbidden here",
        "allow it: in a container, a seccomp profile that permits personality (docker run "
        "--security-opt seccomp=unconfined)");
  }

  bool preload() {
    try {
      library_ = find_preload(options_.preload);
    } catch (const UsageError& error) {
      return bad("preload", error.what(), "install esox again, or name the library by --preload");
    }
    good("preload", library_.string());
    return true;
  }

  bool server() {
    try {
      server_ = target_.make_server({options_.server, options_.server_options, {}, {}});
    } catch (const ServerError& error) {
      return bad("server", error.what(), target_.places().remedy);
    }
    good("server", fmt::format("{} ({})", server_->program().string(),
                               target_.version_name(server_->version())));
    state();
    return true;
  }

  void state() {
    const StateGap gap = target_.state_gap(*server_, options_.server_options);
    if (gap.what.empty()) return good("state", "all of the server's state that esox reads is told");
    warn("state", "not part of it: " + gap.what, gap.remedy);
  }

  bool cache() {
    try {
      server_->prepare();
    } catch (const ServerError& error) {
      return bad("template", error.what(),
                 "set XDG_CACHE_HOME to a folder you may write to; see the server's message");
    }
    if (const std::filesystem::path kept = server_->prepared(); !kept.empty()) {
      good("template", fmt::format("data directory kept in {}", kept.string()));
    }
    return true;
  }

  bool boot() {
    try {
      folder_ = std::make_unique<PrivateDirectory>(temporary_base());
      control_.reset(ControlMode::kClients, {}, kClockBase_ns, folder_->path().string());
      StartRequest request;
      request.directory = folder_.get();
      request.environment = control_.environment(library_.string());
      running_ = server_->start(request);
    } catch (const ServerError& error) {
      return bad("start", error.what(), "see the server's message");
    }
    if (control_.block().loaded.load() == 0) {
      return bad("preloading", "the server started without the preload library",
                 "use a dynamically linked server for this architecture that is not set-user-id");
    }
    good("start", fmt::format("boots privately in {:.0f} ms, with the preload library in it",
                              running_->times().copy_ms + running_->times().boot_ms));
    return true;
  }

  void stacks() {
    std::string why;
    const size_t threads =
        take_stacks(running_->pid(), mapped_modules(running_->pid()), &why).size();
    running_.reset();
    if (threads > 0) {
      return good("stacks", fmt::format("of {} threads can be read (ptrace)", threads));
    }
    warn("stacks", fmt::format("cannot be read: {}; crashes and deadlocks will lack them", why),
         "allow ptrace: sysctl kernel.yama.ptrace_scope=1, in a container --cap-add SYS_PTRACE");
  }

  void holds() {
    const std::string why = why_no_holds();
    if (why.empty()) {
      return good("holds", "one thread can be held at a place (ptrace), by python3");
    }
    warn("holds", fmt::format("no thread can be held: {}; esox reproduce will not work", why),
         "as it says");
  }

  // The proof of the whole: a few executions of a tiny input under control.
  // Whether executions are possible.
  bool trial(Isolation isolation, const char* name) {
    try {
      ExplorationSettings settings;
      settings.strategy.kind = StrategyKind::kPct;
      settings.strategy_text = "pct:d=3";
      settings.clock_base_ns = kClockBase_ns;
      Exploration exploration(first_instance(trial_input(target_)), settings);
      ExecutorOptions options;
      options.preload_library = library_;
      options.base = temporary_base();
      options.isolation = isolation;
      options.stall_limit = kStallLimit;
      ServerExecutor executor(*server_, options);
      exploration.prepare(executor);
      Judged judged = exploration.explore(executor, 1);
      for (unsigned i = 2; i <= kTrials && is_degraded(judged); ++i) {
        judged = exploration.explore(executor, i);
      }
      return tell_trial(isolation, name, judged);
    } catch (const std::exception& error) {
      if (isolation == Isolation::kSnapshot) return no_snapshots(error.what());
      return bad(name, error.what(), "see the message");
    }
  }

  bool no_snapshots(const char* why) {
    warn("snapshots", fmt::format("{}; executions will be made by restart, much slower", why),
         "run as root, or allow unprivileged user namespaces (sysctl "
         "user.max_user_namespaces=10000; in a container: --privileged)");
    return true;
  }

  bool tell_trial(Isolation isolation, const char* name, const Judged& judged) {
    const double ms = judged.report.total_ms;
    if (!is_degraded(judged)) {
      good(name,
           fmt::format("an execution under control took {:.0f} ms: about {:.0f} per second and job",
                       ms, 1000 / ms));
      return true;
    }
    std::string reasons;
    for (const std::string& reason : judged.verdict.degraded_reasons) reasons += "; " + reason;
    const std::string lost =
        fmt::format("control was lost in each of {} trial executions{}", kTrials, reasons);
    if (isolation == Isolation::kSnapshot) {
      warn(name, lost, "if it stays so, hunt with --isolation restart, much slower");
      return true;
    }
    return bad(name, lost,
               "try again on a less loaded machine; if it stays so, see \"Many executions are "
               "degraded\" in docs/troubleshooting.md");
  }

  const Target& target_;
  const CommonOptions& options_;
  std::vector<CheckResult> results_;
  std::filesystem::path library_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<PrivateDirectory> folder_;
  ControlMemory control_;
  std::unique_ptr<RunningServer> running_;
};

const char* health_name(Health health) {
  static constexpr const char* kNames[] = {"ok", "warning", "problem"};
  return name_in(kNames, health);
}

// `server`: as --server says it; may be empty.
std::string results_text(const std::vector<CheckResult>& results, bool possible,
                         const std::string& server) {
  std::string text;
  for (const CheckResult& result : results) {
    text +=
        fmt::format("{:<8} {:<22} {}\n", health_name(result.health), result.name, result.finding);
    if (!result.remedy.empty()) text += fmt::format("{:31} -> {}\n", "", result.remedy);
  }
  if (!possible) return text + "\nHunting is not possible yet: see the problems above.\n";
  const std::string named = server.empty() ? "" : " --server " + shell_word(server);
  return text + fmt::format("\nHunting is possible. Try: esox hunt{} --budget 2m\n", named);
}

std::string results_json(const std::vector<CheckResult>& results, bool possible) {
  OrderedJson json = {{"version", kEsoxVersion},
                      {"possible", possible},
                      {"checks", json_list(results, [&](const CheckResult& result) -> OrderedJson {
                         return {{"name", result.name},
                                 {"health", health_name(result.health)},
                                 {"finding", result.finding},
                                 {"remedy", result.remedy}};
                       })}};
  return json_text(json);
}

struct DoctorOptions {
  std::string target;  // empty: the one whose program --server names
  CommonOptions common;
};

int doctor(const DoctorOptions& options) {
  const StopSignals signals;
  const Target& target = target_wanted(options.target, options.common.server);
  const std::vector<CheckResult> results = Examination(target, options.common).run();
  const bool possible = std::ranges::none_of(
      results, [](const CheckResult& result) { return result.health == Health::kBad; });
  std::string server = options.common.server;
  if (server.empty() && !options.target.empty()) server = target.places().names.front();
  put_report(options.common.json, results_text(results, possible, server),
             results_json(results, possible));
  return possible ? kNothingFound : kBadInput;
}

}  // namespace

void add_doctor_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<DoctorOptions>(
      app, chosen, {"doctor", "what this machine can and cannot do for esox", kDoctorExamples},
      doctor);
  command.add_option("SERVER", options.target,
                     "for which server: " + target_names() + " (default: as --server's program)");
  add_common_options(command, options.common);
}

}  // namespace esox
