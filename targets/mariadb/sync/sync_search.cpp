// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/sync_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "base/process/file_tree.h"
#include "base/process/log_file.h"
#include "base/text/counted.h"
#include "targets/mariadb/sync/player.h"
#include "targets/mariadb/sync/test_programs.h"
#include "targets/mariadb/sync/test_text.h"
#include "targets/mariadb/sync/undoing.h"
#include "targets/mysqld/state/cacheable_select.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using ScriptEnd = PlayedScript::End;
using SegmentUntil = SyncSegment::Until;

constexpr unsigned kFirstRounds = 3;
constexpr unsigned kSurely = 20;       // rounds by our own clients, each of which must violate
constexpr unsigned kRunnerRounds = 3;  // by the runner, which starts a server for each
constexpr unsigned kSerialRounds = 3;
constexpr size_t kMostOrders = 24;
constexpr unsigned kTrialLimit_s = 2;  // of a wait for a signal
constexpr unsigned kTestLimit_s = 10;
constexpr const char* kTestName = "finding";

class SyncSearch {
 public:
  SyncSearch(MysqldServer& server, const SyncTestRequest& request, const SyncSearchLimits& limits)
      : server_(server),
        request_(request),
        limits_(limits),
        programs_(test_programs_of(server.program())),
        undoing_(undoing_of(request.input)),
        player_(server, request, undoing_),
        folder_(temporary_base()),
        end_(Clock::now() + request.budget) {}

  FoundSyncTest run() {
    done_.version = server_.release().version_name();
    if (request_.orders.size() > kMostOrders) {
      done_.why_not = fmt::format("there are more than {} serial orders", kMostOrders);
      return done_;
    }
    play_serial_orders();
    if (serial_.empty()) {
      done_.why_not = "no serial order can be played on it";
      return done_;
    }
    for (const std::vector<SyncPoint>& points : choices()) {
      if (spent()) break;
      if (!violates(points) || !gives_test(points)) continue;
      done_.chosen = points;
      return done_;
    }
    done_.why_not = why_none();
    return done_;
  }

 private:
  bool spent() const { return request_.stop.load() || Clock::now() >= end_; }

  // -- What is right

  void play_serial_orders() {
    std::set<std::string> tables;
    std::set<std::string> views;
    for (const auto& order : request_.orders) {
      const PlayedScript played = player_.play(serial_script(order), {});
      if (played.end != ScriptEnd::kEnded) continue;  // one waits for what comes later
      orders_.push_back(order);
      for (const std::string& table : player_.tables("BASE TABLE")) {
        if (tables.insert(table).second) ask_about(table);
      }
      for (const std::string& view : player_.tables("VIEW")) views.insert(view);
    }
    undo_tables("TABLE", tables);
    undo_tables("VIEW", views);
    ask_about_the_rest();
    for (const auto& order : orders_) {
      std::vector<Answers> runs;
      for (unsigned i = 0; i < kSerialRounds; ++i) {
        runs.push_back(player_.play(serial_script(order), questions_).answers);
        note_errors(runs.back());
      }
      serial_.push_back(std::move(runs));
    }
  }

  SyncScript serial_script(const std::vector<uint16_t>& order) const {
    return sync_script(request_.input, serial_segments(order), {}, kTrialLimit_s);
  }

  void undo_tables(const char* kind, const std::set<std::string>& names) {
    if (names.empty()) return;
    undoing_.after.push_back(
        fmt::format("{} {} IF EXISTS `{}`", undoing_.drop, kind, fmt::join(names, "`, `")));
  }

  bool is_compared(const std::string& part) const {
    const auto& parts = request_.compared;
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }

  void question(const std::string& part, const std::string& key, const std::string& text,
                size_t session = kConductor) {
    if (is_compared(part)) {
      questions_.push_back({key.empty() ? part : fmt::format("{}:{}", part, key), session, text});
    }
  }

  void ask_about(const std::string& table) {
    const std::string quoted = "`" + table + "`";
    question("rows", table, "SELECT SQL_NO_CACHE * FROM " + quoted);
    question("check", table, fmt::format("CHECK TABLE {} EXTENDED", quoted));
    question("definition", table, "SHOW COLUMNS FROM " + quoted);
    question("definition", table + ":next",
             fmt::format("SELECT ENGINE, AUTO_INCREMENT, CREATE_OPTIONS, TABLE_COMMENT FROM "
                         "information_schema.TABLES WHERE TABLE_SCHEMA = 'test' AND TABLE_NAME = "
                         "'{}'",
                         table));
    question("definition", table + ":keys", "SHOW INDEX FROM " + quoted);
    if (!is_compared("index")) return;
    for (const auto& [key, columns] : player_.keys(table)) {
      question(
          "index", fmt::format("{}.{}", table, key),
          fmt::format("SELECT SQL_NO_CACHE {} FROM {} FORCE INDEX (`{}`)", columns, quoted, key));
    }
  }

  void ask_about_the_rest() {
    for (size_t client = 0; client < request_.input.clients.size(); ++client) {
      const auto& requests = request_.input.clients[client].requests;
      for (size_t i = 0; i < requests.size(); ++i) {
        if (!is_plain_select(requests[i].text)) continue;
        const std::string label = request_label(request_.input, client, i);
        question("query-cache", label, requests[i].text, client);
        question("answer", label, requests[i].text, client);
      }
    }
    question("tables", "", "SHOW FULL TABLES");
    question("triggers", "", "SHOW TRIGGERS");
    question("events", "", "SHOW EVENTS");
    question("routines", "",
             "SELECT ROUTINE_NAME, ROUTINE_TYPE FROM information_schema.ROUTINES WHERE "
             "ROUTINE_SCHEMA = 'test'");
    for (const std::string& text : request_.input.observations) {
      question("observation", text, text);
    }
    for (const std::string& name : undoing_.globals) {
      question("variables", name, fmt::format("SHOW GLOBAL VARIABLES LIKE '{}'", name));
    }
  }

  void note_errors(const Answers& answers) {
    for (const auto& [label, output] : answers) {
      if (output.error != 0) errors_[label].insert(output.error);
    }
  }

  // -- Where to hold

  std::vector<std::vector<SyncPoint>> choices() {
    if (!limits_.only.empty()) return {limits_.only};
    std::vector<std::vector<SyncPoint>> choices = point_choices(held_requests());
    std::erase_if(choices, [&](const std::vector<SyncPoint>& points) {
      return !limits_.one_of.empty() &&
             std::none_of(points.begin(), points.end(), [&](const SyncPoint& point) {
               return limits_.one_of.contains(point.name);
             });
    });
    return choices;
  }

  std::vector<HeldRequest> held_requests() {
    const auto passed = request_.passed(server_.program());
    std::vector<HeldRequest> held;
    for (size_t i = 0; i < request_.segments.size(); ++i) {
      const SyncSegment& segment = request_.segments[i];
      if (segment.until != SegmentUntil::kHeld) continue;
      held.push_back({player_.points_of(segment.client, segment.request), passed[i]});
      done_.points.push_back(held.back().points.size());
    }
    return held;
  }

  SyncScript script_with(const std::vector<SyncPoint>& points, unsigned limit_s) const {
    return sync_script(request_.input, request_.segments, points, limit_s);
  }

  // In each round; what was seen is in `seen_` then.
  bool violates(const std::vector<SyncPoint>& points) {
    const SyncScript script = script_with(points, kTrialLimit_s);
    if (!script.possible) return false;
    ++done_.trials;
    seen_.clear();
    violation_ = request_.violation;
    for (unsigned round = 1; round <= (is_slow() ? kFirstRounds : kSurely); ++round) {
      if (!violates_once(script, round)) return false;
      if (!is_slow() && round >= kFirstRounds && !find_conditions()) return false;
    }
    return true;
  }

  bool is_slow() const { return violation_ != SyncViolation::kOutcome; }

  // The server says itself, and earlier, that something is wrong; held at a point that its
  // developers put there, for an added one may stand where nobody may be held.
  bool dies_by_an_assertion(const PlayedScript& played) const {
    return request_.violation == SyncViolation::kOutcome && limits_.one_of.empty() &&
           limits_.only.empty() && !played.assertion.empty();
  }

  bool violates_once(const SyncScript& script, unsigned round) {
    const PlayedScript played = player_.play(script, questions_);
    if (round == 1 && dies_by_an_assertion(played)) violation_ = SyncViolation::kCrash;
    assertion_ = played.assertion;
    switch (violation_) {
      case SyncViolation::kStandstill:
        return counted(played, played.end == ScriptEnd::kStoodStill);
      case SyncViolation::kCrash:
        return counted(played, played.end == ScriptEnd::kDied);
      default:
        break;
    }
    if (played.end != ScriptEnd::kEnded) return counted(played, false);
    if (has_other_error(played.answers)) {
      ++outcomes_["another error"];
      return false;
    }
    seen_.push_back(played.answers);
    if (seen_.size() == 1 && !find_conditions()) return counted(played, false);
    return true;
  }

  bool counted(const PlayedScript& played, bool violated) {
    if (violated) return true;
    constexpr const char* kNames[] = {"held, and right", "not held", "stood still", "server died"};
    ++outcomes_[kNames[static_cast<size_t>(played.end)]];
    return false;
  }

  bool has_other_error(const Answers& answers) const {
    std::set<uint32_t> known = request_.errors;
    for (const auto& [label, errors] : errors_) known.insert(errors.begin(), errors.end());
    return std::any_of(answers.begin(), answers.end(), [&](const auto& one) {
      const bool is_question = one.first.find(':') != std::string::npos;
      return !is_question && one.second.error != 0 && !known.contains(one.second.error);
    });
  }

  bool find_conditions() {
    conditions_ = conditions(serial_, seen_, request_.compared);
    return !conditions_.empty();
  }

  // -- The test

  bool gives_test(const std::vector<SyncPoint>& points) {
    for (const Answers& answers : seen_) note_errors(answers);
    if (is_slow()) return is_proved(points, std::nullopt);
    return std::any_of(conditions_.begin(), conditions_.end(),
                       [&](const SyncCondition& one) { return is_proved(points, one); });
  }

  SyncTestParts parts_of(SyncScript script, const std::optional<SyncCondition>& condition,
                         std::string head) const {
    return {request_.input, violation_, std::move(head), std::move(script), condition,
            questions_,     errors_,    undoing_.before, undoing_.after};
  }

  bool is_proved(const std::vector<SyncPoint>& points,
                 const std::optional<SyncCondition>& condition) {
    held_in_query_cache_ = std::any_of(points.begin(), points.end(), [](const SyncPoint& point) {
      return point.name.find("query_cache") != std::string::npos;
    });
    const std::optional<std::string> text =
        sync_test_text(parts_of(script_with(points, kTestLimit_s), condition, head_of(points)));
    if (!text) return false;
    std::vector<std::string> serial;
    for (const auto& order : orders_) {
      const SyncScript script =
          sync_script(request_.input, serial_segments(order), {}, kTestLimit_s);
      const auto one = sync_test_text(parts_of(script, condition, "The serial order\n"));
      if (!one) return false;
      serial.push_back(*one);
    }
    write_tests(*text, serial);
    for (const fs::path& test : serial_tests()) {
      for (unsigned i = 0; i < kSerialRounds; ++i) {
        ++passed_.rounds;
        if (!test_passes(test)) return refused("a serial order fails as a test");
        ++passed_.count;
      }
    }
    for (unsigned round = 0; round < limits_.test_rounds; ++round) {
      if (spent_after_all() || !test_fails(test_file(kTestName))) {
        return refused("as a test it does not fail in each round");
      }
    }
    done_.failed = {limits_.test_rounds, limits_.test_rounds};
    done_.passed = passed_;
    done_.held = held_text(points);
    if (condition) done_.condition = condition_text(*condition);
    if (!assertion_.empty()) done_.condition = "the server's end by " + assertion_;
    done_.files[fmt::format("{}.test", kTestName)] = *text;
    done_.files[fmt::format("{}.opt", kTestName)] = lines(options());
    if (limits_.by_runner) run_by_runner();
    return true;
  }

  bool refused(const char* why) {
    ++outcomes_[why];
    passed_ = {};
    return false;
  }

  bool spent_after_all() const { return request_.stop.load(); }

  fs::path tests() const { return folder_.path() / "tests"; }
  fs::path test_file(const std::string& name) const { return tests() / (name + ".test"); }

  std::vector<std::string> serial_names() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < orders_.size(); ++i) names.push_back(fmt::format("order_{}", i + 1));
    return names;
  }

  std::vector<fs::path> serial_tests() const {
    std::vector<fs::path> files;
    for (const std::string& name : serial_names()) files.push_back(test_file(name));
    return files;
  }

  static std::string lines(const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& one : texts) text.append(one).append("\n");
    return text;
  }

  // What the finding's server was given; and a query cache, which servers have not by default.
  std::vector<std::string> options() const {
    std::vector<std::string> options;
    if (is_compared("query-cache") || held_in_query_cache_) {
      options = {"--query-cache-type=1", "--query-cache-size=8M"};
    }
    options.insert(options.end(), request_.options.begin(), request_.options.end());
    return options;
  }

  void write_tests(const std::string& test, const std::vector<std::string>& serial) {
    fs::remove_all(tests());
    fs::create_directory(tests());
    std::vector<std::string> names = serial_names();
    for (size_t i = 0; i < names.size(); ++i) write_file(test_file(names[i]), serial[i]);
    names.emplace_back(kTestName);
    write_file(test_file(kTestName), test);
    for (const std::string& name : names) {
      write_file(tests() / (name + ".opt"), lines(options()));
    }
  }

  TestSaid played(const fs::path& test) {
    player_.reset();
    listen_to_suppressions();
    return play_test(programs_, test, player_.socket_path(), folder_.path());
  }

  bool test_passes(const fs::path& test) { return played(test).passed; }

  bool test_fails(const fs::path& test) {
    const TestSaid said = played(test);
    if (said.passed) return false;
    if (violation_ == SyncViolation::kCrash) return player_.died();
    const bool by_condition =
        said.text.find(violation_ == SyncViolation::kStandstill ? kStandstill : kNoSerialOrder) !=
        std::string::npos;
    if (by_condition) printed_ = printed_by_test(folder_.path(), kTestName);
    return by_condition;
  }

  // Files of the suite tell the runner which lines of the server's log are no matter. Here is no
  // runner to be told.
  void listen_to_suppressions() {
    player_.ask("CREATE DATABASE IF NOT EXISTS mtr");
    player_.ask("CREATE OR REPLACE PROCEDURE mtr.add_suppression(pattern TEXT) DO 1");
  }

  void run_by_runner() {
    if (programs_.runner.empty()) {
      done_.runner = "it is not there";
      return;
    }
    if (violation_ != SyncViolation::kCrash) {
      done_.files[fmt::format("{}.result", kTestName)] = printed_;
      write_file(tests() / fmt::format("{}.result", kTestName), printed_);
    }
    std::vector<std::string> names = serial_names();
    names.emplace_back(kTestName);
    try {
      const RunnerVerdict verdict =
          run_suite(programs_, tests(), names, kRunnerRounds, folder_.path());
      for (const auto& [name, tally] : verdict.passed) {
        if (name == kTestName) {
          done_.failed_by_runner = {tally.rounds - tally.count, tally.rounds};
        } else {
          done_.passed_by_runner.count += tally.count;
          done_.passed_by_runner.rounds += tally.rounds;
        }
      }
      if (done_.passed_by_runner.count < done_.passed_by_runner.rounds) {
        done_.runner = "serial orders fail there, too";
      }
    } catch (const ServerError& error) {
      done_.runner = error.what();
    }
  }

  // -- In words

  std::string held_text(const std::vector<SyncPoint>& points) const {
    std::vector<std::string> texts;
    size_t next = 0;
    for (const SyncSegment& segment : request_.segments) {
      if (segment.until != SegmentUntil::kHeld) continue;
      const SyncPoint& point = points[next++];
      texts.push_back(fmt::format("{} at {} ({} time)",
                                  request_label(request_.input, segment.client, segment.request),
                                  point.name, ordinal(point.hit)));
    }
    return texts.empty() ? "nobody" : fmt::format("{}", fmt::join(texts, ", then "));
  }

  static std::string condition_text(const SyncCondition& condition) {
    std::vector<std::string> words;
    for (const SyncValue& value : condition.values) words.push_back(value_in_words(value));
    return fmt::format("{}", fmt::join(words, ", "));
  }

  std::string head_of(const std::vector<SyncPoint>& points) const {
    return fmt::format(
        "{}\n\n{}{}Fails while the bug is there, and passes where "
        "the answers are those of a serial order.\nDO 1 waits until a request is over: its reply "
        "may come before.\n",
        request_.title,
        assertion_.empty() ? "" : fmt::format("A build for debugging ends by: {}\n", assertion_),
        points.empty() ? ""
                       : fmt::format("Held: {}. Others go on meanwhile.\n", held_text(points)));
  }

  std::string why_none() const {
    std::vector<std::string> seen;
    for (const auto& [name, count] : outcomes_) seen.push_back(fmt::format("{} {}", name, count));
    std::vector<std::string> passed;
    for (const size_t count : done_.points) passed.push_back(std::to_string(count));
    return fmt::format(
        "no sync point that it passes ({}) gave it in each round{}: of {} trials: {}",
        fmt::join(passed, ", "), spent() ? " before the budget was spent" : "", done_.trials,
        fmt::join(seen, ", "));
  }

  MysqldServer& server_;
  const SyncTestRequest& request_;
  const SyncSearchLimits& limits_;
  const TestPrograms programs_;
  Undoing undoing_;
  SyncPlayer player_;
  PrivateDirectory folder_;
  const Clock::time_point end_;
  FoundSyncTest done_;
  std::vector<std::vector<uint16_t>> orders_;  // that can be
  std::vector<std::vector<Answers>> serial_;
  std::vector<SyncQuestion> questions_;
  std::map<std::string, std::set<uint32_t>> errors_;
  std::vector<Answers> seen_;
  std::vector<SyncCondition> conditions_;
  std::map<std::string, unsigned> outcomes_;
  SyncTally passed_;
  SyncViolation violation_ = request_.violation;  // of the trial
  std::string assertion_;                         // by which the server died in it
  bool held_in_query_cache_ = false;
  std::string printed_;
};

}  // namespace

FoundSyncTest search_sync_test(MysqldServer& server, const SyncTestRequest& request,
                               const SyncSearchLimits& limits) {
  return SyncSearch(server, request, limits).run();
}

}  // namespace esox
