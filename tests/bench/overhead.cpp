// SPDX-License-Identifier: Apache-2.0
// What the sleeping preload costs a server: the same load by mariadb-slap on two private servers,
// one plain and one with the preload loaded but nothing armed.
//
// The loads are interleaved in pairs (plain, preloaded; preloaded, plain; ...), so that what else
// the machine does strikes both alike, and the result is the median of the pairs' ratios. Beside
// the time, which contains the client and all waiting, the processor time of the servers themselves
// is compared: it depends less on the machine and shows the cost undiluted.
//
// The preload is in the state of a hunt between two executions: control block mapped, date shifted.
// It does not leave out fsync here, which would be a gain of its own.
//
// Exit status: 0 within the limit, 1 above it, 2 wrong use, 3 it could not be measured.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/process/process.h"
#include "base/process/server_error.h"
#include "harness/engine/control.h"
#include "tests/integration/mariadb_server.h"

namespace esox {
namespace {

constexpr double kLimit = 1.03;
constexpr int64_t kShiftedDate_ns = 1'893'456'000'000'000'000;
constexpr std::chrono::minutes kLoadLimit{5};

struct Settings {
  uint32_t pairs = 40;
  uint32_t queries = 10'000;
  uint32_t sessions = 4;
  std::string engine = "Aria";
  std::string load = "mixed";
  std::string slap = "/usr/bin/mariadb-slap";
};

struct Sample {
  double wall_s = 0;  // as mariadb-slap measures it
  double cpu_s = 0;   // of the server, user and system
};

// Of all its threads, past ones too.
double cpu_seconds(pid_t pid) {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    throw ServerError("the server is gone");
  }
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

double seconds_in(const std::filesystem::path& output) {
  std::ifstream file(output);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  static constexpr std::string_view kLabel = "Average number of seconds to run all queries:";
  const size_t at = text.find(kLabel);
  double seconds = 0;
  if (at != std::string::npos) std::istringstream(text.substr(at + kLabel.size())) >> seconds;
  if (seconds <= 0) throw ServerError("mariadb-slap gave no time; it said: " + text);
  return seconds;
}

// One of the two servers.
class Side {
 public:
  Side(MariadbServer& server, const Settings& settings, bool preloaded)
      : settings_(settings), folder_(temporary_base()) {
    StartRequest request;
    request.directory = &folder_;
    if (preloaded) {
      control_.reset(ControlMode::kClients, ControlSettings{}, kShiftedDate_ns,
                     folder_.path().string());
      control_.block().skip_sync = 0;
      request.environment = control_.environment(ESOX_PRELOAD);
    }
    running_ = server.start(request);
    if (preloaded && control_.block().loaded.load() == 0) {
      throw ServerError("the server did not load the preload");
    }
  }

  Sample load() {
    const double before_s = cpu_seconds(running_->pid());
    ProcessPlan plan;
    plan.program = settings_.slap;
    plan.arguments = {"--no-defaults",
                      "--user=root",
                      "--socket=" + running_->socket_path(),
                      "--auto-generate-sql",
                      "--auto-generate-sql-load-type=" + settings_.load,
                      "--auto-generate-sql-add-autoincrement",
                      "--engine=" + settings_.engine,
                      fmt::format("--concurrency={}", settings_.sessions),
                      fmt::format("--number-of-queries={}", settings_.queries)};
    plan.folder = folder_.path();
    plan.log = folder_.path() / "slap";
    Process slap(plan);
    const auto status = slap.wait(kLoadLimit);
    if (!status) throw ServerError("mariadb-slap did not end");
    Sample sample;
    sample.wall_s = seconds_in(plan.log);
    sample.cpu_s = cpu_seconds(running_->pid()) - before_s;
    return sample;
  }

 private:
  const Settings& settings_;
  PrivateDirectory folder_;
  ControlMemory control_;
  std::unique_ptr<RunningServer> running_;
};

// With the interval in which the median of all such ratios lies with 95 % probability: between the
// values of rank n/2 -+ 0.98 sqrt(n), whatever their distribution.
double print_median(const char* what, std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto last = static_cast<double>(ratios.size() - 1);
  const double reach = 0.98 * std::sqrt(static_cast<double>(ratios.size()));
  const auto low = static_cast<size_t>(std::max(0.0, last / 2 - reach));
  const auto high = static_cast<size_t>(std::min(last, std::ceil(last / 2 + reach)));
  const double median = (ratios[ratios.size() / 2] + ratios[(ratios.size() - 1) / 2]) / 2;
  fmt::print("{:<28} {:.4f}   (95 %: {:.4f} to {:.4f})\n", what, median, ratios[low], ratios[high]);
  return median;
}

int measure(const Settings& settings) {
  MariadbServer server;
  server.prepare();
  fmt::print("{}\n{} pairs of {} queries ({}) by {} sessions, engine {}\n", server.version(),
             settings.pairs, settings.queries, settings.load, settings.sessions, settings.engine);
  Side plain(server, settings, false);
  Side preloaded(server, settings, true);
  plain.load();  // caches warm, files grown
  preloaded.load();

  std::vector<double> wall;
  std::vector<double> cpu;
  for (uint32_t pair = 0; pair < settings.pairs; ++pair) {
    Sample one;
    Sample other;
    if (pair % 2 == 0) {
      one = plain.load();
      other = preloaded.load();
    } else {
      other = preloaded.load();
      one = plain.load();
    }
    wall.push_back(other.wall_s / one.wall_s);
    cpu.push_back(other.cpu_s / one.cpu_s);
    fmt::print(
        "pair {:2}: {:.3f} s plain, {:.3f} s preloaded; server's processor time {:.2f} s, "
        "{:.2f} s\n",
        pair + 1, one.wall_s, other.wall_s, one.cpu_s, other.cpu_s);
    std::fflush(stdout);
  }
  const double median = print_median("time, preloaded/plain:", wall);
  print_median("processor, preloaded/plain:", cpu);
  const bool within = median < kLimit;
  fmt::print("{} the limit of {}\n", within ? "within" : "ABOVE", kLimit);
  return within ? 0 : 1;
}

}  // namespace
}  // namespace esox

int main(int argc, char** argv) try {
  esox::Settings settings;
  CLI::App app("what the sleeping preload costs a server");
  app.add_option("--pairs", settings.pairs, "loads on each of the two servers")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--queries", settings.queries, "of one load")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--sessions", settings.sessions, "at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--engine", settings.engine, "of the table")->capture_default_str();
  app.add_option("--load", settings.load, "mixed, key, read, write or update: see mariadb-slap")
      ->check(CLI::IsMember({"mixed", "key", "read", "write", "update"}))
      ->capture_default_str();
  app.add_option("--slap", settings.slap, "the mariadb-slap to use")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return esox::measure(settings);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_overhead: {}\n", error.what());
  return 3;
}
