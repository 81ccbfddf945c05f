// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/suites/capture_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

#include "base/process/log_file.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// In place of {0}, {1}: the real program, the folder of finished tests. Scripts of the suite itself
// (include/check-testcase.test) go through; they are not tests.
constexpr const char* kWrapper = R"sh(#!/bin/sh
test=
for argument; do
  case $argument in --test-file=*) test=${{argument#--test-file=}} ;; esac
done
case $test in
  */main/*.test) suite=main ;;
  */suite/*.test) suite=${{test##*/suite/}}; suite=${{suite%%/*}} ;;
  *) exec {0} "$@" ;;
esac
name=${{test##*/}}
name=${{name%.test}}${{MTR_COMBINATIONS:+,$MTR_COMBINATIONS}}
general=$MYSQLTEST_VARDIR/mysqld.1/mysqld.log
audit=$MYSQLTEST_VARDIR/mysqld.1/data/server_audit.log
size() {{ stat -c %s "$1" 2>/dev/null || echo 0; }}
general_begin=$(size "$general")
audit_begin=$(size "$audit")
{0} "$@"
status=$?
# The server writes its last lines after its last reply: until all that came have gone.
field='^[^,]*,[^,]*,[^,]*,[^,]*,[0-9]*,0'
events() {{ tail -c +$((audit_begin + 1)) "$audit" 2>/dev/null | grep -ac "$field,$1,"; }}
looks=0
while [ "$(events CONNECT)" != "$(events DISCONNECT)" ] && [ $looks -lt 100 ]; do
  looks=$((looks + 1))
  sleep 0.05
done
part={1}/.part.$$
mkdir -p "$part" {1}/"$suite"
tail -c +$((general_begin + 1)) "$general" >"$part/general.log" 2>/dev/null
tail -c +$((audit_begin + 1)) "$audit" >"$part/audit.log" 2>/dev/null
echo $status >"$part/status"
rm -rf {1}/"$suite/$name"
mv "$part" {1}/"$suite/$name"
exit $status
)sh";

// For the shell.
std::string in_single_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// The exit status of mariadb-test for a test that says itself that it cannot be run here.
constexpr int kSkipped = 62;

FinishedTest::Ending ending_in(const fs::path& folder) {
  const std::string text = text_of_file(folder / "status");
  int status = -1;
  std::from_chars(text.data(), text.data() + text.size(), status);
  if (status == 0) return FinishedTest::Ending::kPassed;
  return status == kSkipped ? FinishedTest::Ending::kSkipped : FinishedTest::Ending::kFailed;
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with(".");
}

void read_skipped_line(std::string_view line, std::map<std::string, std::string>& skipped) {
  static constexpr std::string_view kMark = "[ skipped ]";
  size_t mark = line.find(kMark);
  size_t end = mark == std::string_view::npos ? mark : mark + kMark.size();
  if (mark == std::string_view::npos) {
    mark = line.find("[ disabled ]");
    end = mark == std::string_view::npos ? mark : mark + 12;
  }
  const size_t dot = line.find('.');
  if (mark == std::string_view::npos || dot == std::string_view::npos || dot > mark) return;
  const std::string_view name = line.substr(dot + 1, line.find(' ') - dot - 1);
  std::string_view reason = line.substr(end);
  reason.remove_prefix(std::min(reason.find_first_not_of(' '), reason.size()));
  skipped[fmt::format("{}/{}", line.substr(0, dot), name)] = reason;
}

}  // namespace

void make_client_folder(const fs::path& folder, const fs::path& clients, const fs::path& done) {
  fs::create_directory(folder);
  for (const auto& entry : fs::directory_iterator(clients)) {
    const fs::path name = entry.path().filename();
    if (name != "mariadb-test") fs::create_symlink(entry.path(), folder / name);
  }
  const fs::path wrapper = folder / "mariadb-test";
  std::ofstream file(wrapper);
  file << fmt::format(fmt::runtime(kWrapper), in_single_quotes(clients / "mariadb-test"),
                      in_single_quotes(done));
  file.close();
  if (!file) throw ServerError(fmt::format("cannot write {}; make room there", wrapper.string()));
  fs::permissions(wrapper, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                               fs::perms::others_read | fs::perms::others_exec);
}

std::vector<FinishedTest> finished_tests(const fs::path& done) {
  std::vector<FinishedTest> finished;
  std::error_code error;
  for (const auto& suite : fs::directory_iterator(done, error)) {
    if (is_hidden(suite.path())) continue;
    for (const auto& test : fs::directory_iterator(suite.path(), error)) {
      const std::string name = test.path().filename();
      const size_t comma = std::min(name.find(','), name.size());
      finished.push_back({suite.path().filename(), name.substr(0, comma), name.substr(comma),
                          ending_in(test.path()), test.path()});
    }
  }
  std::sort(finished.begin(), finished.end(),
            [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return finished;
}

std::map<std::string, std::string> skipped_by_runner(std::string_view runner_log) {
  std::map<std::string, std::string> skipped;
  size_t at = 0;
  while (at < runner_log.size()) {
    const size_t end = std::min(runner_log.find('\n', at), runner_log.size());
    read_skipped_line(runner_log.substr(at, end - at), skipped);
    at = end + 1;
  }
  return skipped;
}

}  // namespace esox
