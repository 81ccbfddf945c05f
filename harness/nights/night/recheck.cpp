// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/recheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "analysis/finding.h"
#include "base/process/paths.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/server_error.h"
#include "harness/nights/night/history.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kLateNights = 3;  // "lately": of these last nights
constexpr milliseconds kLook{100};
constexpr milliseconds kGrace{3'000};  // for a try that is told to end
constexpr size_t kMostWhy = 300;       // characters
constexpr uint64_t kMostWordsBytes = 1 << 20;
constexpr int kCame = 1;  // exit status of esox replay

// One finding on one server, and where.
struct Try {
  std::string finding;
  std::string headline;
  RecheckTarget target;
  std::vector<std::string> more_options;  // beside the finding's own
  fs::path folder;
  bool was_gone = false;
};

// The target's options beyond the finding's; none if it lacks one of those, for then it is another
// setting of the server.
std::optional<std::vector<std::string>> beyond(const std::vector<std::string>& findings,
                                               const std::vector<std::string>& targets) {
  std::vector<std::string> more = targets;
  for (const std::string& option : findings) {
    const auto found = std::ranges::find(more, option);
    if (found == more.end()) return std::nullopt;
    more.erase(found);
  }
  return more;
}

// The newest file of the finding that can be read, and the target of this server that fits it best.
std::optional<Try> try_of(const NightFinding& one, const std::string& server_name,
                          const std::vector<RecheckTarget>& targets) {
  for (const StoredOccurrence& stored : one.occurrences) {
    const fs::path folder = stored.occurrence.folder;
    if (!is_there(folder / "finding.yaml")) continue;
    std::optional<Try> best;
    try {
      const Finding finding = read_finding(folder / "finding.yaml");
      for (const RecheckTarget& target : targets) {
        const auto more = beyond(finding.server.options, target.options);
        if (target.server_name != server_name || !more) continue;
        if (best && best->more_options.size() <= more->size()) continue;
        const std::string where = conditions_of(finding.input);
        best = Try{one.finding.id,
                   fmt::format("{}: {}{}{}", class_name(finding.verdict), finding.input.input.id,
                               where.empty() ? "" : " on ", where),
                   target,
                   *more,
                   folder,
                   false};
      }
    } catch (const FindingError&) {
      continue;
    }
    if (best) return best;
  }
  return std::nullopt;
}

// The night before `tonight` as changes_of sees it: what is known of it on each server.
std::map<std::string, Change> last_known(const NightFinding& one, const std::string& night) {
  std::map<std::string, Change> known;
  if (night.empty()) return known;
  for (const Change& change : changes_of(one.past, night)) known[change.server] = change;
  return known;
}

std::vector<std::string> nights_before(Store& store, const std::string& tonight) {
  std::set<std::string> nights;
  for (const StoredStage& stage : store.stages()) {
    if (stage.night < tonight) nights.insert(stage.night);
  }
  return {nights.begin(), nights.end()};
}

class Planner {
 public:
  Planner(const RecheckSpec& spec, Store& store)
      : spec_(spec), nights_(nights_before(store, spec.night)) {
    for (const StoredRecheck& one : store.rechecks()) {
      std::string& last = last_tried_[{one.finding, one.server_name}];
      last = std::max(last, one.night);
    }
    for (const RecheckTarget& target : spec.targets) servers_.insert(target.server_name);
    for (const NightFinding& one : night_findings(store)) consider(one);
  }

  std::deque<Try> plan() {
    std::deque<Try> planned;
    for (const RecheckCandidate& one : in_turn(candidates_)) planned.push_back(tries_[one.number]);
    return planned;
  }

  size_t no_file() const { return no_file_; }

 private:
  void consider(const NightFinding& one) {
    if (one.false_positive()) return;
    const auto known = last_known(one, nights_.empty() ? "" : nights_.back());
    for (const std::string& server : servers_) {
      const std::string last = last_tried(one, server);
      if (last == spec_.night) continue;
      std::optional<Try> chosen = try_of(one, server, spec_.targets);
      if (!chosen) {
        ++no_file_;
        continue;
      }
      const auto change = known.find(server);
      const RecheckKind kind = kind_of(one, change == known.end() ? nullptr : &change->second);
      chosen->was_gone = kind == RecheckKind::kGone;
      candidates_.push_back({kind, last, tries_.size()});
      tries_.push_back(std::move(*chosen));
    }
  }

  std::string last_tried(const NightFinding& one, const std::string& server) const {
    std::string last;
    for (const auto& [key, night] : last_tried_) {
      if (key.first == one.finding.id && key.second == server) last = std::max(last, night);
    }
    return last;
  }

  // A mark may be younger than the last night.
  RecheckKind kind_of(const NightFinding& one, const Change* change) const {
    const std::string last_night = nights_.empty() ? "" : nights_.back();
    const bool marked = std::ranges::any_of(one.past.fixed_from, [&](const std::string& at) {
      return at > last_night && at <= spec_.night;
    });
    if (marked) return RecheckKind::kGone;
    if (!change) return RecheckKind::kOther;
    if (change->fate == Fate::kGone || change->fate == Fate::kGoneBefore) return RecheckKind::kGone;
    const bool met = change->fate != Fate::kNotMet;
    const size_t late = nights_.size() - std::min(nights_.size(), kLateNights);
    return met || change->last_met >= nights_[late] ? RecheckKind::kMetLately : RecheckKind::kOther;
  }

  const RecheckSpec& spec_;
  std::vector<std::string> nights_;
  std::map<std::pair<std::string, std::string>, std::string> last_tried_;  // finding, server
  std::set<std::string> servers_;
  std::vector<RecheckCandidate> candidates_;
  std::vector<Try> tries_;
  size_t no_file_ = 0;
};

// ---- one try

std::string read_words(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMostWordsBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t end = text.rfind('\n');
  std::string line = end == std::string::npos ? text : text.substr(end + 1);
  if (line.size() > kMostWhy) line.resize(kMostWhy);
  return line;
}

// The report that esox replay --json prints after what it says on the way.
Json report_in(const std::string& words) {
  const size_t begin = words.starts_with("{\n") ? 0 : words.find("\n{\n");
  if (begin == std::string::npos) return {};
  return Json::parse(words.substr(begin), nullptr, false);
}

void read_told(Rechecked& one, const ExitStatus& status, const std::string& words) {
  const Json report = report_in(words);
  const bool ended = status.signal == 0 && (status.code == 0 || status.code == kCame);
  if (!ended || !report.is_object() || !report.contains("attempts") || report["attempts"].empty()) {
    one.why = status.signal != 0 || words.empty() ? text_of(status) : last_line(words);
    return;
  }
  const Json& attempt = report["attempts"].front();
  const bool degraded = !attempt.value("degraded_reasons", Json::array()).empty();
  one.why = attempt.value("why", "");
  if (status.code == kCame) {
    one.result = report.value("to_the_letter", 0) > 0 ? RecheckResult::kToTheLetter
                                                      : RecheckResult::kRealigned;
  } else if (degraded) {
    one.why = "control was lost: " + attempt["degraded_reasons"].front().get<std::string>();
  } else {
    one.result = RecheckResult::kNotReproduced;
  }
}

ProcessPlan plan_of(const Try& chosen, const RecheckSpec& spec, const fs::path& words) {
  ProcessPlan plan;
  plan.program = spec.esox;
  plan.arguments = {
      "replay",      chosen.folder.string(), "--server", chosen.target.program.string(),
      "--isolation", spec.isolation,         "--json"};
  for (const std::string& option : chosen.more_options) {
    plan.arguments.push_back("--server-option=" + option);
  }
  plan.environment = {"TMPDIR=" + temporary_base().string()};
  plan.folder = spec.folder;
  plan.log = words;
  return plan;
}

// Nothing: esox is to stop, and the try was ended for that.
std::optional<Rechecked> tried(const Try& chosen, const RecheckSpec& spec, milliseconds limit,
                               const std::atomic<bool>& stop) {
  Rechecked one{
      chosen.finding, chosen.headline, chosen.target.server_name, RecheckResult::kCannotTell, "",
      false};
  const fs::path words = spec.folder / "recheck.log";
  const Clock::time_point end = Clock::now() + limit;
  try {
    Process process(plan_of(chosen, spec, words));
    std::optional<ExitStatus> status;
    while (!status && !stop.load() && Clock::now() < end) status = process.wait(kLook);
    if (!status) {
      process.terminate();
      process.wait(kGrace);
      if (stop.load()) return std::nullopt;
      one.why = fmt::format("not done in {} s", limit.count() / 1000);
    } else {
      read_told(one, *status, read_words(words));
    }
  } catch (const ServerError& error) {
    one.why = error.what();
  }
  one.regressed = chosen.was_gone && came(recheck_name(one.result));
  std::error_code ignored;
  fs::remove(words, ignored);
  return one;
}

}  // namespace

std::vector<RecheckCandidate> in_turn(std::vector<RecheckCandidate> candidates) {
  static constexpr std::array kTurns = {RecheckKind::kGone, RecheckKind::kMetLately,
                                        RecheckKind::kGone, RecheckKind::kMetLately,
                                        RecheckKind::kOther};
  std::ranges::stable_sort(
      candidates, [](const auto& a, const auto& b) { return a.last_tried < b.last_tried; });
  std::map<RecheckKind, std::deque<RecheckCandidate>> waiting;
  for (RecheckCandidate& one : candidates) waiting[one.kind].push_back(std::move(one));
  std::vector<RecheckCandidate> order;
  while (order.size() < candidates.size()) {
    for (const RecheckKind kind : kTurns) {
      auto& line = waiting[kind];
      if (line.empty()) continue;
      order.push_back(std::move(line.front()));
      line.pop_front();
    }
  }
  return order;
}

RecheckAccount recheck_known(const RecheckSpec& spec, Store& store, const std::atomic<bool>& stop,
                             const std::function<void(const Rechecked&)>& told) {
  const Clock::time_point start = Clock::now();
  Planner planner(spec, store);
  std::deque<Try> planned = planner.plan();
  RecheckAccount account;
  account.no_file = planner.no_file();
  while (!planned.empty() && !stop.load()) {
    const auto left = spec.budget - std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    if (left <= milliseconds::zero()) break;
    const std::optional<Rechecked> one =
        tried(planned.front(), spec, std::min(left, spec.each), stop);
    if (!one) break;
    planned.pop_front();
    store.record_recheck(
        {spec.night, one->server_name, one->finding, "", recheck_name(one->result), one->why});
    account.tried.push_back(*one);
    told(*one);
  }
  account.left = planned.size();
  account.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return account;
}

}  // namespace esox
