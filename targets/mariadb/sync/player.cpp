// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <thread>

#include "base/process/log_file.h"
#include "base/text/letters.h"

namespace esox {
namespace {

using namespace std::chrono_literals;
using StepKind = SyncStep::Kind;
using ScriptEnd = PlayedScript::End;

constexpr int kReplyLimit_ms = 60'000;
constexpr auto kBetweenLooks = 100ms;
constexpr auto kForGood = 2s;  // in which looks find the same standstill
constexpr auto kBlockedLimit = 1s;
constexpr auto kHeardLimit = 1s;
constexpr auto kStandstillLimit = 3s;  // as the test's own

constexpr auto kDyingLimit = 200ms;  // between its clients' connections and its end
constexpr size_t kLogLines = 500;    // with the stacks that it writes when it dies

constexpr uint32_t kTimedOut = 1639;  // ER_DEBUG_SYNC_TIMEOUT, a warning

// "ma_check.c:12: check: Assertion `all' failed."; empty: none.
std::string assertion_in(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(": Assertion `");
    if (at != std::string::npos) return line.substr(line.rfind('/', at) + 1);
  }
  return {};
}

// lock_wait_timeout, NOWAIT, max_statement_time, ...
bool speaks_of_limits(const Input& input) {
  const std::vector<std::string> texts = statements_of(input);
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    const std::string small = lower(text);
    return small.find("wait") != std::string::npos || small.find("_time") != std::string::npos;
  });
}

}  // namespace

struct SyncPlayer::Session {
  MysqlClient client{MysqlOptions{.reply_timeout_ms = kReplyLimit_ms}};
  std::future<Output> pending;
};

SyncPlayer::SyncPlayer(MysqldServer& server, const SyncTestRequest& request, Undoing undoing)
    : server_(server), request_(request), undoing_(std::move(undoing)), folder_(temporary_base()) {
  server_.prepare();
  start();
  const ResultSet found = ask("SHOW VARIABLES LIKE 'debug_sync'");
  if (found.rows.empty() || !found.rows[0][1].value_or("").starts_with("ON")) {
    throw ServerError(
        fmt::format("{} has no sync points; make one that has by scripts/"
                    "build-mariadb FOLDER debug",
                    request_.program.string()));
  }
}

SyncPlayer::~SyncPlayer() {
  stop();
}

void SyncPlayer::start() {
  StartRequest start;
  start.directory = &folder_;
  start.options.emplace_back("--loose-debug-sync-timeout=300");
  start.options.emplace_back("--skip-stack-trace");  // of a build for debugging: half a minute
  running_ = server_.start(start);
  own_.limit_replies(kReplyLimit_ms);
  own_.connect(running_->socket_path());
  own_.run_setup(undoing_.before);
  limits_waits_ = speaks_of_limits(request_.input) ||
                  ask(fmt::format("SELECT @@GLOBAL.lock_wait_timeout > {}", kReplyLimit_ms / 1000))
                          .rows[0][0] != "1";
}

// First the server: what waits for a reply then has one.
void SyncPlayer::stop() {
  if (running_) running_->stop();
  sessions_.clear();
  own_.close();
}

ResultSet SyncPlayer::ask(const std::string& sql) {
  const Output output = own_.run({sql});
  if (!output.answered || output.error != 0) {
    throw ClientError(fmt::format("{}: {}", sql, output.message));
  }
  return output.results.empty() ? ResultSet{} : output.results.front();
}

void SyncPlayer::reset() {
  sessions_.clear();
  if (!running_->alive() || !own_.connected()) {
    stop();
    start();
  }
  ask("SET DEBUG_SYNC= 'RESET'");
  for (const std::string& sql : undoing_.after) own_.run({sql});  // what is not there is no matter
  ask("DROP DATABASE IF EXISTS test");
  ask("CREATE DATABASE test");
  ask("USE test");
  ask("RESET QUERY CACHE");
}

void SyncPlayer::set_up() {
  reset();
  own_.run_setup(request_.input.setup);
  for (const InputClient& client : request_.input.clients) {
    sessions_.push_back(std::make_unique<Session>());
    sessions_.back()->client.connect(running_->socket_path());
    sessions_.back()->client.run_setup(client.setup);
  }
}

MysqlClient& SyncPlayer::client_of(size_t session) {
  return session == kConductor ? own_ : sessions_[session]->client;
}

PlayedScript SyncPlayer::play(const SyncScript& script,
                              const std::vector<SyncQuestion>& questions) {
  PlayedScript played;
  set_up();
  for (size_t i = 0; i < script.steps.size(); ++i) {
    if (perform(script.steps[i], played, i >= script.released)) continue;
    return cut_short(died() ? ScriptEnd::kDied : played.end);
  }
  bool answered = true;
  for (const SyncQuestion& question : questions) {
    Output output = client_of(question.session).run({question.text});
    answered = answered && output.answered;
    played.answers[question.label] = std::move(output);
  }
  if (answered ? !running_->wait_for_end(0ms) : !died()) return played;
  return cut_short(ScriptEnd::kDied);
}

bool SyncPlayer::died() {
  return running_->wait_for_end(kDyingLimit);
}

// What it left is nothing to go on with.
PlayedScript SyncPlayer::cut_short(ScriptEnd end) {
  std::string assertion;
  if (end == ScriptEnd::kDied) assertion = assertion_in(running_->log_tail(kLogLines));
  stop();
  return {end, {}, assertion};
}

bool SyncPlayer::perform(const SyncStep& step, PlayedScript& played, bool released) {
  switch (step.kind) {
    case StepKind::kSay:
      return say(step, played);
    case StepKind::kBlocked:
      wait_until_blocked(step.session);
      return true;
    case StepKind::kReap:
      return reap(step, played, released);
    default:
      break;
  }
  Session& session = *sessions_[step.session];
  session.pending = std::async(std::launch::async,
                               [&session, text = step.text] { return session.client.run({text}); });
  return step.kind == StepKind::kSend || reap(step, played, released);
}

bool SyncPlayer::say(const SyncStep& step, PlayedScript& played) {
  const Output output = client_of(step.session).run({step.text});
  played.end = ScriptEnd::kNotHeld;
  if (!output.answered || output.error != 0 || output.warning_count != 0) return false;
  if (!is_heard(step.text)) return false;
  played.end = ScriptEnd::kEnded;
  return true;
}

// A signal that nobody takes was for a thread that is held no more: it waited too long, while
// others had to wait for it. Its reply need not say so.
bool SyncPlayer::is_heard(const std::string& text) {
  constexpr std::string_view kSignal = "now SIGNAL ";
  const size_t at = text.find(kSignal);
  if (at == std::string::npos) return true;
  const size_t begin = at + kSignal.size();
  const std::string sql = fmt::format("SELECT @@debug_sync LIKE '%{}%'",
                                      text.substr(begin, text.find('\'', begin) - begin));
  const auto end = std::chrono::steady_clock::now() + kHeardLimit;
  while (ask(sql).rows[0][0] != "0") {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

bool SyncPlayer::reap(const SyncStep& step, PlayedScript& played, bool released) {
  Session& session = *sessions_[step.session];
  played.end = released ? ScriptEnd::kStoodStill : ScriptEnd::kNotHeld;
  const auto limit = released && request_.violation == SyncViolation::kStandstill
                         ? std::chrono::milliseconds(kStandstillLimit)
                         : std::chrono::milliseconds(kReplyLimit_ms);
  if (!is_answered(session, limit)) return false;
  Output output = session.pending.get();
  if (!output.answered) return false;
  if (output.warning_count > 0) output.warnings = session.client.warnings();
  const bool timed_out = std::any_of(output.warnings.begin(), output.warnings.end(),
                                     [](const Warning& one) { return one.code == kTimedOut; });
  if (timed_out) played.end = ScriptEnd::kNotHeld;
  played.answers[request_label(request_.input, step.session, step.request)] = std::move(output);
  if (timed_out) return false;
  played.end = ScriptEnd::kEnded;
  return true;
}

bool SyncPlayer::is_answered(Session& session, std::chrono::milliseconds limit) {
  const auto begin = std::chrono::steady_clock::now();
  auto moved = begin;
  while (session.pending.wait_for(kBetweenLooks) != std::future_status::ready) {
    if (!waits_for_good(session)) moved = std::chrono::steady_clock::now();
    const auto now = std::chrono::steady_clock::now();
    if (now - begin >= limit || now - moved >= kForGood) return false;
  }
  return true;
}

// It waits for a lock longer than we do, and of the others each is idle or waits so too. (InnoDB's
// locks of rows have another state, and a limit that is within ours.)
bool SyncPlayer::waits_for_good(const Session& session) {
  if (limits_waits_) return false;
  const Output found =
      own_.run({fmt::format("SELECT SUM(id = {} AND state LIKE 'Waiting for % lock') = 1 AND"
                            " SUM(command = 'Sleep' OR state LIKE 'Waiting for % lock') = COUNT(*)"
                            " FROM information_schema.processlist"
                            " WHERE id <> CONNECTION_ID() AND command <> 'Daemon'",
                            session.client.connection_id())});
  // No answer: the server has died, and the client is told so, too.
  return !found.results.empty() && found.results[0].rows[0][0] == "1";
}

void SyncPlayer::wait_until_blocked(size_t client) {
  const std::string sql = fmt::format(
      "SELECT COUNT(*) FROM information_schema.processlist WHERE id = {} AND state LIKE 'Waiting%'",
      sessions_[client]->client.connection_id());
  const auto end = std::chrono::steady_clock::now() + kBlockedLimit;
  while (std::chrono::steady_clock::now() < end && ask(sql).rows[0][0] == "0") {
    std::this_thread::sleep_for(50ms);
  }
}

std::vector<SyncPoint> SyncPlayer::points_of(size_t client, size_t request) {
  set_up();
  MysqlClient& session = sessions_[client]->client;
  const auto& requests = request_.input.clients[client].requests;
  for (size_t i = 0; i < request; ++i) session.run(requests[i]);
  const std::filesystem::path trace = folder_.path() / "points";
  session.run_setup(
      {fmt::format("SET SESSION debug_dbug= 'd,debug_sync_point:o,{}'", trace.string())});
  session.run(requests[request]);
  session.run_setup({"SET SESSION debug_dbug= ''"});
  return points_in_trace(text_of_file(trace));
}

std::vector<std::string> SyncPlayer::tables(const char* type) {
  std::vector<std::string> tables;
  for (const Row& row : ask("SHOW FULL TABLES").rows) {
    if (row[1] == type) tables.push_back(row[0].value_or(""));
  }
  return tables;
}

std::vector<std::pair<std::string, std::string>> SyncPlayer::keys(const std::string& table) {
  std::map<std::string, std::string> keys;
  for (const Row& row : ask(fmt::format("SHOW INDEX FROM `{}`", table)).rows) {
    if (row[10] != "BTREE" || !row[4]) continue;
    std::string& columns = keys[row[2].value_or("")];
    columns += fmt::format("{}`{}`", columns.empty() ? "" : ", ", *row[4]);
  }
  return {keys.begin(), keys.end()};
}

}  // namespace esox
