// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/player.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/process/find_program.h"
#include "base/process/log_file.h"
#include "base/process/server_error.h"
#include "harness/records/out_folder.h"
#include "targets/reproduce_script.h"

namespace esox {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

constexpr auto kAnswerLimit = 300s;  // twenty rounds that stand still, and their servers
constexpr auto kPlayLimit = 600s;
constexpr const char* kScriptName = "reproduce.py";
constexpr const char* kPlanName = "reproduce.json";

// What the script says where it can do nothing is a line that begins with its name.
[[noreturn]] void throw_said(const std::string& text) {
  const std::string prefix = std::string(kScriptName) + ": ";
  const size_t at = text.find(prefix);
  if (at != std::string::npos) {
    const size_t begin = at + prefix.size();
    throw ServerError(text.substr(begin, text.find('\n', begin) - begin));
  }
  throw ServerError("reproduce.py ended in the middle of its work", text);
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw_said(text);
  return json;
}

void heed(const std::atomic<bool>& stop) {
  if (stop.load()) throw ServerError("stopped before reproduce.py had ended");
}

// It removes all that it made, which must not be under way while its folder is removed.
void end(Process& process) {
  process.terminate();
  if (!process.wait(10s)) process.kill();
}

// The script and its plan, in this folder.
void write_script(const std::filesystem::path& folder, const nlohmann::ordered_json& plan) {
  write_whole_file(folder / kScriptName, kReproduceScript);
  write_whole_file(folder / kPlanName,
                   plan.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

ProcessPlan script_process(const std::filesystem::path& folder, const std::filesystem::path& server,
                           const std::vector<std::string>& arguments) {
  ProcessPlan plan;
  plan.program = find_packaged("python3", "python3");
  plan.arguments = {(folder / kScriptName).string(), "--server", server.string()};
  plan.arguments.insert(plan.arguments.end(), arguments.begin(), arguments.end());
  plan.environment = {"TMPDIR=" + folder.string()};
  plan.folder = folder;
  plan.log = folder / "said";
  return plan;
}

}  // namespace

Player::Player(const std::filesystem::path& server, const nlohmann::ordered_json& plan,
               const std::atomic<bool>& stop)
    : stop_(stop), folder_(temporary_base()) {
  write_script(folder_.path(), plan);
  const std::filesystem::path asked = folder_.path() / "asked";
  int ends[2] = {-1, -1};
  if (mkfifo(asked.c_str(), 0600) != 0 || pipe2(ends, O_CLOEXEC) != 0) {
    throw ServerError(fmt::format("cannot speak to reproduce.py: {}", strerror(errno)));
  }
  answers_.reset(ends[0]);
  UniqueFd answering(ends[1]);
  asking_.reset(open(asked.c_str(), O_RDWR | O_CLOEXEC));  // so that the child need not wait
  ProcessPlan child = script_process(folder_.path(), server, {"--converse"});
  child.input = asked;
  child.output = answering.get();
  process_ = std::make_unique<Process>(child);
  answering.reset();
  try {
    greeting_ = answer();
  } catch (...) {
    this->stop();
    throw;
  }
}

nlohmann::json Player::ask(const nlohmann::ordered_json& request) {
  const std::string text =
      request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t written = write(asking_.get(), text.data() + sent, text.size() - sent);
    if (written < 0 && errno != EINTR) throw_said(line());
    sent += written > 0 ? static_cast<size_t>(written) : 0;
  }
  return answer();
}

nlohmann::json Player::answer() {
  return parsed(line());
}

// All that there is, if it ends before a line does.
std::string Player::line() {
  const auto end = std::chrono::steady_clock::now() + kAnswerLimit;
  size_t newline = std::string::npos;
  while ((newline = read_.find('\n')) == std::string::npos) {
    heed(stop_);
    pollfd ready{answers_.get(), POLLIN, 0};
    if (std::chrono::steady_clock::now() > end) {
      throw ServerError("reproduce.py gave no answer within 300 s");
    }
    if (poll(&ready, 1, 200) <= 0) continue;
    char bytes[4096];
    const ssize_t got = read(answers_.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::exchange(read_, {});
    read_.append(bytes, static_cast<size_t>(got));
  }
  std::string first = read_.substr(0, newline);
  read_.erase(0, newline + 1);
  return first;
}

void Player::stop() {
  asking_.reset();
  if (process_) end(*process_);
  process_.reset();
}

nlohmann::json play(const std::filesystem::path& server, const nlohmann::ordered_json& plan,
                    unsigned rounds, const std::atomic<bool>& stop) {
  const PrivateDirectory folder(temporary_base());
  write_script(folder.path(), plan);
  Process process(
      script_process(folder.path(), server, {"--json", "--rounds", std::to_string(rounds)}));
  const auto end_of_play = std::chrono::steady_clock::now() + kPlayLimit;
  while (!process.wait(200ms)) {
    if (!stop.load() && std::chrono::steady_clock::now() < end_of_play) continue;
    end(process);
    heed(stop);
    throw ServerError("reproduce.py did not end within 600 s");
  }
  return parsed(text_of_file(folder.path() / "said"));
}

std::string why_no_holds() {
  try {
    const PrivateDirectory folder(temporary_base());
    const std::filesystem::path script = folder.path() / kScriptName;
    write_whole_file(script, kReproduceScript);
    const Said said = ask_program(find_packaged("python3", "python3"), {script.string(), "--check"},
                                  folder.path());
    return said.text.substr(0, said.text.find('\n'));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace esox
