// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/test_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <regex>

#include "base/process/find_program.h"
#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "base/process/process.h"
#include "base/process/server_error.h"
#include "base/process/unique_fd.h"

namespace esox {
namespace {

using std::filesystem::path;
using namespace std::chrono_literals;

constexpr auto kOneTestLimit = 120s;
constexpr auto kSuiteLimit = 1200s;

// The runner and its servers listen on localhost. Here that is one of their own: a network
// namespace in which there is nobody else.
constexpr const char* kInOwnNetwork = R"(
my ($uid, $gid) = ($>, $) + 0);
syscall(272, 0x40000000 | ($uid ? 0x10000000 : 0)) == 0 or die "no network namespace: $!\n";
for ($uid ? (["setgroups", "deny"], ["uid_map", "0 $uid 1"], ["gid_map", "0 $gid 1"]) : ()) {
  open(FILE, ">", "/proc/self/$_->[0]") && print(FILE $_->[1]) && close(FILE) or die "$_->[0]: $!\n";
}
my $lo = pack("a16 s x14", "lo", 0x41);
socket(ANY, 2, 2, 0) && ioctl(ANY, 0x8914, $lo) or die "lo: $!\n";
exec @ARGV;
)";

// Of the tree that it was built in, or of an installation.
path tree_of(const path& server) {
  return std::filesystem::weakly_canonical(server).parent_path().parent_path();
}

// A runner in a build's tree is a few lines that name the source's, and the tree that it would take
// the server from.
void follow(TestPrograms& programs, const path& tree) {
  static const std::regex kFolder(R"(chdir\('([^']+)'\))");
  std::smatch named;
  const std::string text = text_of_file(programs.runner);
  programs.suite = programs.runner.parent_path();
  if (!std::regex_search(text, named, kFolder)) return;
  programs.suite = named[1].str();
  programs.runner = programs.suite / "mariadb-test-run.pl";
  programs.build = tree;
}

}  // namespace

TestPrograms test_programs_of(const path& server) {
  TestPrograms programs;
  const path tree = tree_of(server);
  programs.client = find_in_tree(tree, {"client", "bin"}, {"mariadb-test", "mysqltest"});
  programs.runner = find_in_tree(tree, {"mysql-test", "mariadb-test", "share/mysql-test"},
                                 {"mtr", "mariadb-test-run.pl"});
  if (!programs.runner.empty()) follow(programs, tree);
  if (programs.client.empty() || !is_file(programs.suite / "include/have_debug_sync.inc")) {
    throw ServerError(fmt::format(
        "{} has no test programs beside it (mariadb-test, mysql-test/mtr); make it by scripts/"
        "build-mariadb FOLDER debug",
        server.string()));
  }
  return programs;
}

TestSaid play_test(const TestPrograms& programs, const path& test, const std::string& socket,
                   const path& folder) {
  const std::string name = test.stem().string();
  ProcessPlan plan;
  plan.program = programs.client;
  plan.arguments = {"--no-defaults",
                    "--user=root",
                    "--silent",
                    "--database=test",
                    "--socket=" + socket,
                    "--tmpdir=" + folder.string(),
                    "--logdir=" + folder.string(),
                    "--result-file=" + (folder / (name + ".result")).string(),
                    "--test-file=" + test.string()};
  plan.arguments.emplace_back("--record");  // so that what it printed is compared with nothing
  plan.folder = programs.suite;
  plan.log = folder / (name + ".said");
  Process process(plan);
  const auto ended = process.wait(kOneTestLimit);
  const bool passed = ended && ended->signal == 0 && ended->code == 0;
  return {passed, text_of_file(plan.log)};
}

std::string printed_by_test(const path& folder, const std::string& name) {
  return text_of_file(folder / (name + ".log"));
}

RunnerVerdict run_suite(const TestPrograms& programs, const path& tests,
                        const std::vector<std::string>& names, unsigned times, const path& folder) {
  // The runner cuts a suite's name at '-', which any path may have; so by another one.
  const UniqueFd opened(open(tests.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string suite = fmt::format("/proc/{}/fd/{}", getpid(), opened.get());
  ProcessPlan plan;
  plan.program = find_packaged("perl", "perl");
  plan.arguments = {"-e",
                    kInOwnNetwork,
                    programs.runner.string(),
                    "--suite=" + suite,
                    "--vardir=" + (folder / "var").string(),
                    "--force",
                    "--retry=0",
                    "--max-test-fail=0",
                    "--skip-rpl",
                    fmt::format("--repeat={}", times)};
  plan.arguments.insert(plan.arguments.end(), names.begin(), names.end());
  plan.environment = {"TMPDIR=" + folder.string()};
  if (!programs.build.empty()) plan.environment.push_back("MTR_BINDIR=" + programs.build.string());
  plan.folder = programs.suite;
  plan.log = folder / "runner.said";
  Process process(plan);
  const auto ended = process.wait(kSuiteLimit);
  RunnerVerdict verdict{{}, text_of_file(plan.log)};
  if (!ended) throw ServerError("mtr did not end within 20 min", verdict.text);
  static const std::regex kLine(R"(\.(\w+)(?: '[^']*')? +(?:w\d+ )?\[ (?:\d+ )?(pass|fail) +\])");
  for (std::sregex_iterator line(verdict.text.begin(), verdict.text.end(), kLine), end; line != end;
       ++line) {
    SyncTally& tally = verdict.passed[(*line)[1]];
    ++tally.rounds;
    if ((*line)[2] == "pass") ++tally.count;
  }
  if (verdict.passed.size() < names.size()) {
    throw ServerError(fmt::format("mtr gave no verdict on the tests ({})", text_of(*ended)),
                      verdict.text);
  }
  return verdict;
}

}  // namespace esox
