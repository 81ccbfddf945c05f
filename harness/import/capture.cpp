// SPDX-License-Identifier: Apache-2.0
#include "harness/import/capture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/process/find_program.h"
#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr uid_t kNobody = 65534;
constexpr milliseconds kLookEvery{500};
// A memory file system spares the many small servers' writes; below this it could fill up.
constexpr uintmax_t kEnoughMemory_bytes = uintmax_t{4} << 30;
constexpr size_t kLogEnd_bytes = 2000;

// Brings up the loopback interface of the new network namespace (SIOCSIFFLAGS with IFF_UP,
// IFF_LOOPBACK and IFF_RUNNING, netdevice(7)), then becomes what its arguments say.
constexpr const char* kLoopbackUp =
    "socket(S, 2, 2, 0) or die $!; my $lo = pack('a16 s x22', 'lo', 0x49);"
    "ioctl(S, 0x8914, $lo) or die $!; close(S); exec @ARGV or die $!";

fs::path base_folder() {
  std::error_code error;
  const fs::path memory = "/dev/shm";
  const auto space = fs::space(memory, error);
  return !error && space.available > kEnoughMemory_bytes ? memory : temporary_base();
}

class Capturing {
 public:
  Capturing(const TestSuites& suites, Corpus& corpus, const CaptureSettings& settings)
      : suites_(suites), corpus_(corpus), settings_(settings), directory_(base_folder()) {
    fs::create_directory(done());
    suites.prepare(directory_.path(), done());
    if (settings.as_root) give_away();
  }

  // Runs these; false: stopped.
  bool run(const std::vector<SuiteTest>& tests, const std::atomic<bool>& stop,
           const std::function<void(size_t)>& show) {
    Process process(plan(tests));
    while (!process.wait(kLookEvery)) {
      harvest();
      show(harvested_.size());
      if (stop.load()) return false;
    }
    harvest();
    show(harvested_.size());
    const auto status = process.wait(milliseconds(0));
    account(tests, status->signal == 0 ? status->code : -1);
    return true;
  }

 private:
  fs::path done() const { return directory_.path() / "done"; }
  fs::path log() const { return directory_.path() / "runner.log"; }

  void give_away() const {
    for (const fs::path& path : {directory_.path(), done()}) {
      if (chown(path.c_str(), kNobody, kNobody) != 0) {
        throw ServerError(fmt::format("cannot give {} to user nobody; run esox as an ordinary user",
                                      path.string()));
      }
    }
  }

  ProcessPlan plan(const std::vector<SuiteTest>& tests) const {
    ProcessPlan plan;
    const std::string perl = find_packaged("perl", "perl");
    plan.program = find_packaged("unshare", "util-linux");
    plan.arguments = {"--net", "--pid", "--fork", "--kill-child=KILL"};
    if (!settings_.as_root) {
      for (const char* one : {"--user", "--map-current-user", "--keep-caps"})
        plan.arguments.emplace_back(one);
    }
    for (const std::string& one : {perl, std::string("-e"), std::string(kLoopbackUp)})
      plan.arguments.push_back(one);
    if (settings_.as_root) add_setpriv(plan.arguments);
    for (std::string& one : suites_.command(directory_.path(), settings_.jobs)) {
      plan.arguments.push_back(std::move(one));
    }
    for (const SuiteTest& test : tests) plan.arguments.push_back(test.suite + "." + test.name);
    const std::string own = directory_.path();
    plan.environment = {"HOME=" + own, "TMPDIR=" + own, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    plan.folder = suites_.folder();
    plan.log = log();
    return plan;
  }

  // A change of ids takes away unshare's wish that its child ends with it (prctl(2),
  // PR_SET_PDEATHSIG): it is wished again.
  static void add_setpriv(std::vector<std::string>& arguments) {
    for (const std::string& one :
         {find_packaged("setpriv", "util-linux"), fmt::format("--reuid={}", kNobody),
          fmt::format("--regid={}", kNobody), std::string("--clear-groups"),
          std::string("--pdeathsig=KILL"), std::string("--")}) {
      arguments.push_back(one);
    }
  }

  void harvest() {
    for (const FinishedTest& test : suites_.finished(done())) {
      const std::string key = test.suite + "/" + test.name + test.combination;
      if (test.ending == FinishedTest::Ending::kPassed) {
        keep_logs(test.folder, corpus_.capture_of(key));
        corpus_.set_test(key, {"captured", ""});
      } else if (test.ending == FinishedTest::Ending::kSkipped) {
        corpus_.set_test(key, {"skipped", "the test says that it cannot be run here"});
      } else {
        corpus_.set_test(key, {"failed", "the test fails here"});
      }
      std::error_code ignored;
      fs::remove_all(test.folder, ignored);
      harvested_.insert(test.suite + "/" + test.name);
    }
  }

  void keep_logs(const fs::path& from, const fs::path& to) const {
    const fs::path part = to.string() + ".part";
    std::error_code error;
    fs::remove_all(part, error);
    fs::remove_all(to, error);
    fs::create_directories(part, error);
    for (const std::string& name : suites_.logs()) {
      if (!error) fs::copy_file(from / name, part / name, error);
    }
    if (!error) fs::rename(part, to, error);
    if (error)
      throw ServerError(
          fmt::format("cannot keep {}: {}; make room there", to.string(), error.message()));
  }

  // What the runner has not run: it says why, or it ended too early.
  void account(const std::vector<SuiteTest>& tests, int code) {
    const auto skipped = suites_.skipped(text_of_file(log()));
    const auto states = corpus_.tests();
    size_t missing = 0;
    for (const SuiteTest& test : tests) {
      const auto reason = skipped.find(test.key());
      if (has_state(states, test.key())) continue;
      if (reason != skipped.end()) {
        corpus_.set_test(test.key(), {"skipped", reason->second});
      } else if (++missing; !harvested_.empty() && code == 1) {
        // The runner has gone through all of them (1: some failed), this one without its client.
        corpus_.set_test(test.key(), {"failed", "its server or its client did not start"});
      }
    }
    if (missing == 0 || (!harvested_.empty() && code == 1)) return;
    const std::string said = text_of_file(log());
    throw ServerError(
        fmt::format("the suite's runner ended with status {} before it had run {} of {} tests; "
                    "what is done is kept, run the same command again to go on",
                    code, missing, tests.size()),
        said.substr(said.size() - std::min(said.size(), kLogEnd_bytes)));
  }

 public:
  // Of the test itself or of one of its combinations.
  static bool has_state(const std::map<std::string, TestState>& states, const std::string& key) {
    const auto next = states.lower_bound(key);
    if (next == states.end()) return false;
    return next->first == key || states.lower_bound(key + ",") != states.lower_bound(key + "-");
  }

 private:
  const TestSuites& suites_;
  Corpus& corpus_;
  const CaptureSettings settings_;
  PrivateDirectory directory_;
  std::set<std::string> harvested_;  // a test with several combinations is one
};

}  // namespace

void capture(const TestSuites& suites, const std::vector<SuiteTest>& tests, Corpus& corpus,
             const CaptureSettings& settings, const std::atomic<bool>& stop,
             const std::function<void(const CaptureProgress&)>& show) {
  std::vector<SuiteTest> wanted;
  const auto states = corpus.tests();
  for (const SuiteTest& test : tests) {
    if (Capturing::has_state(states, test.key())) continue;
    if (test.left_out.empty()) {
      wanted.push_back(test);
    } else {
      corpus.set_test(test.key(), {"left out", test.left_out});
    }
  }
  if (wanted.empty()) return;
  remove_abandoned(base_folder());
  Capturing capturing(suites, corpus, settings);
  capturing.run(wanted, stop, [&](size_t done) { show({done, wanted.size()}); });
}

}  // namespace esox
