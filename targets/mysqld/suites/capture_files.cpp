// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/suites/capture_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "base/process/log_file.h"
#include "base/process/own_loader.h"
#include "base/process/server_error.h"
#include "base/text/shell_words.h"
#include "targets/mysqld/suites/recording.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// The exit status of the client program for a test that says itself that it cannot be run here.
constexpr int kSkipped = 62;

FinishedTest::Ending ending_in(const fs::path& folder) {
  const std::string text = text_of_file(folder / "status");
  int status = -1;
  std::from_chars(text.data(), text.data() + text.size(), status);
  if (status == 0) return FinishedTest::Ending::kPassed;
  return status == kSkipped ? FinishedTest::Ending::kSkipped : FinishedTest::Ending::kFailed;
}

void write_script(const fs::path& place, const std::vector<std::string>& words) {
  std::ofstream file(place);
  file << "#!/bin/sh\nexec " << shell_words(words) << " \"$@\"\n";
  file.close();
  if (!file) throw ServerError(fmt::format("cannot write {}; make room there", place.string()));
  fs::permissions(place, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                             fs::perms::others_read | fs::perms::others_exec);
}

// "main/view" of --test-file=.../t/view.test, "innodb/x" of .../suite/innodb/t/x.test; empty: no
// test of a suite.
std::string test_of(const std::vector<std::string>& arguments) {
  static constexpr std::string_view kOption = "--test-file=";
  static constexpr std::string_view kSuite = "suite";
  fs::path file;
  for (const std::string& one : arguments) {
    if (one.starts_with(kOption)) file = one.substr(kOption.size());
  }
  if (file.extension() != ".test") return {};
  const fs::path folder = file.parent_path();
  const auto part = std::ranges::find(folder, kSuite);
  const bool in_main = folder.filename() == "t" || folder.filename() == "main";
  const std::string name = file.stem();
  if (part != folder.end() && std::next(part) != folder.end()) {
    return std::next(part)->string() + "/" + name;
  }
  return in_main ? "main/" + name : "";
}

int run_only(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = launch_of(program).words(arguments);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  throw ServerError(fmt::format("cannot run {}", words.front()));
}

void keep(const fs::path& done, const std::string& test, const RecordedRun& run) {
  const char* const combination = std::getenv("MTR_COMBINATIONS");
  const bool combined = combination != nullptr && *combination != '\0';
  const fs::path place = done / (combined ? test + "," + combination : test);
  const fs::path part = done / fmt::format(".part.{}", getpid());
  fs::create_directories(part);
  fs::create_directories(place.parent_path());
  std::ofstream log(part / kRequestLog, std::ios::binary);
  for (const LoggedRequest& request : run.log.requests) log << text_of(request);
  log.close();
  std::ofstream status(part / "status");
  status << run.status << "\n";
  status.close();
  if (!log || !status)
    throw ServerError(fmt::format("cannot write {}; make room there", part.string()));
  fs::remove_all(place);
  fs::rename(part, place);
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

void make_program_folder(const fs::path& folder, const std::vector<fs::path>& programs,
                         const StandIn& stand_in) {
  fs::create_directories(folder);
  for (const fs::path& program : programs) {
    const fs::path place = folder / program.filename();
    const Launch launch = launch_of(program);
    if (program.filename() == stand_in.client) {
      std::vector<std::string> words = stand_in.stand_in;
      words.push_back(stand_in.done);
      words.push_back(program);
      write_script(place, words);
    } else if (launch.root.empty()) {
      fs::create_symlink(program, place);
    } else {
      write_script(place, launch.words());
    }
  }
}

int run_as_client(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) throw ServerError("give a folder, a program and its arguments");
  const fs::path done = arguments[0];
  const fs::path program = arguments[1];
  const std::vector<std::string> own(arguments.begin() + 2, arguments.end());
  const std::string test = test_of(own);
  if (test.empty()) return run_only(program, own);
  const char* const socket = std::getenv("MASTER_MYSOCK");
  if (socket == nullptr) throw ServerError("the runner tells no MASTER_MYSOCK");
  const RecordedRun run = run_recorded(socket, program, own);
  keep(done, test, run);
  return run.status;
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
  std::ranges::sort(finished, [](const auto& a, const auto& b) { return a.folder < b.folder; });
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
