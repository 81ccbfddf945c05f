// SPDX-License-Identifier: Apache-2.0
// See browser.h. Between fork and exec the child only sets its pipes.
#include "tests/integration/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <system_error>

namespace esox {
namespace {

namespace fs = std::filesystem;

// Of one answer; a busy machine starts a browser slowly.
constexpr int kPatience_ms = 100'000;

[[noreturn]] void run_browser(const fs::path& program, const fs::path& profile, int in, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  const std::string folder = "--user-data-dir=" + profile.string();
  // As root there is no sandbox; nothing but our own files is opened.
  const std::array<const char*, 14> arguments = {program.c_str(),
                                                 "--headless",
                                                 "--no-sandbox",
                                                 "--disable-gpu",
                                                 "--disable-dev-shm-usage",
                                                 "--disable-background-networking",
                                                 "--disable-component-update",
                                                 "--disable-sync",
                                                 "--no-first-run",
                                                 "--host-resolver-rules=MAP * ~NOTFOUND",
                                                 "--remote-debugging-pipe",
                                                 folder.c_str(),
                                                 "about:blank",
                                                 nullptr};
  const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
  // The browser reads commands from 3 and writes answers to 4.
  const int high_in = fcntl(in, F_DUPFD, 10);
  const int high_out = fcntl(out, F_DUPFD, 10);
  if (quiet < 0 || high_in < 0 || high_out < 0 || dup2(high_in, 3) < 0 || dup2(high_out, 4) < 0) {
    _exit(126);
  }
  close(high_in);
  close(high_out);
  for (const int fd : {0, 1, 2}) dup2(quiet, fd);
  execv(program.c_str(), const_cast<char* const*>(arguments.data()));
  _exit(127);
}

void make_pipe(UniqueFd& read_end, UniqueFd& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the browser");
  read_end = UniqueFd(ends[0]);
  write_end = UniqueFd(ends[1]);
}

std::string from_base64(const std::string& text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t value =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

}  // namespace

std::optional<fs::path> Browser::program() {
  std::error_code error;
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"}) {
    if (fs::exists(path, error)) return path;
  }
  return std::nullopt;
}

Browser::Browser(const fs::path& program) {
  UniqueFd commands;
  UniqueFd answers;
  make_pipe(commands, to_);
  make_pipe(from_, answers);
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process for the browser");
  if (process_ == 0) run_browser(program, profile_.path(), commands.get(), answers.get());
  commands = UniqueFd();
  answers = UniqueFd();
  const Json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
                 .at("sessionId");
  for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable"})
    call(domain, Json::object());
}

Browser::~Browser() {
  if (process_ <= 1) return;
  kill(-process_, SIGKILL);  // it and its helpers: the group is its own
  waitpid(process_, nullptr, 0);
}

void Browser::note(const Json& event) {
  const std::string method = event.value("method", "");
  const Json parameters = event.value("params", Json::object());
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Runtime.exceptionThrown") complaints_.push_back(parameters.dump());
  if (method == "Runtime.consoleAPICalled" && parameters.value("type", "") == "error") {
    complaints_.push_back(parameters.dump());
  }
  if (method == "Log.entryAdded" && parameters["entry"].value("level", "") == "error") {
    complaints_.push_back(parameters.dump());
  }
}

nlohmann::json Browser::receive() {
  for (;;) {
    const size_t end = received_.find('\0');
    if (end != std::string::npos) {
      Json message = Json::parse(received_.substr(0, end));
      received_.erase(0, end + 1);
      return message;
    }
    pollfd wait{from_.get(), POLLIN, 0};
    if (poll(&wait, 1, kPatience_ms) <= 0) throw std::runtime_error("the browser does not answer");
    std::array<char, 65536> bytes{};
    const ssize_t size = read(from_.get(), bytes.data(), bytes.size());
    if (size <= 0) throw std::runtime_error("the browser has ended");
    received_.append(bytes.data(), static_cast<size_t>(size));
  }
}

nlohmann::json Browser::call(const std::string& method, const Json& parameters) {
  Json message = {{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  if (write(to_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the browser does not listen");
  }
  for (;;) {
    Json answer = receive();
    if (answer.value("id", 0) != last_id_) {
      note(answer);
      continue;
    }
    if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
    return answer.at("result");
  }
}

void Browser::open(const fs::path& file, int width, int height, bool dark) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Emulation.setEmulatedMedia",
       {{"features",
         Json::array({{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}})}});
  complaints_.clear();
  loaded_ = false;
  call("Page.navigate", {{"url", "file://" + file.string()}});
  while (!loaded_) note(receive());
}

nlohmann::json Browser::evaluate(const std::string& expression) {
  const Json result =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (result.contains("exceptionDetails")) {
    throw std::runtime_error(result["exceptionDetails"].dump());
  }
  return result.at("result").value("value", Json());
}

void Browser::press(const char* key, int code, const char* text) {
  Json event = {{"type", "keyDown"}, {"key", key}, {"code", key}, {"windowsVirtualKeyCode", code}};
  if (*text != '\0') event["text"] = text;
  call("Input.dispatchKeyEvent", event);
  event["type"] = "keyUp";
  event.erase("text");
  call("Input.dispatchKeyEvent", event);
}

void Browser::press_tab() {
  press("Tab", 9, "");
}

void Browser::press_enter() {
  press("Enter", 13, "\r");
}

std::string Browser::screenshot() {
  return from_base64(call("Page.captureScreenshot", {{"format", "png"}}).at("data"));
}

}  // namespace esox
