// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/affected/affected_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/process/server_error.h"
#include "base/statistics/confidence.h"
#include "harness/findings/replay/refusal.h"
#include "harness/hunt/gate.h"
#include "harness/search/portfolio.h"
#include "targets/client.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

// Without the input's name and place, which all rows share.
std::string setup_text(const Finding& finding, std::string text) {
  const Input& input = finding.input.input;
  const std::string known = fmt::format("{}: setup of {}: ", input.origin, input.id);
  if (text.starts_with(known)) text.erase(0, known.size());
  return text;
}

std::string most_frequent(const SearchCounts& search) {
  const auto most = std::ranges::max_element(
      search.degraded_reasons,
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return most == search.degraded_reasons.end() ? "" : ": " + most->first;
}

// Why its own search shows nothing although nothing was hit; empty: it does.
std::string why_nothing(const AffectedRow& row, bool stopped) {
  for (const AffectedSearch& search : row.searches) {
    if (search.unconfirmed > 0) {
      return fmt::format("it was seen in {} of {} executions, but no replay gave it again",
                         search.unconfirmed, search.judged());
    }
  }
  const AffectedSearch search = row.searches.empty() ? AffectedSearch() : row.searches.front();
  // What is lost may be just the schedules that would show it.
  if (search.degraded * 2 >= search.executions && search.degraded > 0) {
    return fmt::format("{} of {} executions could not be judged{}", search.degraded,
                       search.executions, most_frequent(search));
  }
  if (search.judged() > 0) return "";
  return stopped ? "esox was stopped" : "the time was over before its first execution";
}

class OneServer {
 public:
  OneServer(AffectedRow& row, const AffectedBench& bench, const SearchLimits& limits,
            const std::atomic<bool>& stop)
      : row_(row),
        bench_(bench),
        limits_(limits),
        stop_(stop),
        family_(bench.finding),
        own_(bench.finding.input, bench.as_found) {}

  void run(bool count) {
    const bool played = row_.played && row_.played->shows_the_finding();
    if (played) row_.answer = Affected::kHasIt;
    if (stop_.load() || (played && !count) || refused()) return;
    note_gate();
    const bool shown = replayed() || played;
    const Clock::time_point start = Clock::now();
    if (shown && !count) return;
    if (search(own_, bench_.as_found.strategy_text, start) || shown) return;
    if (search_by(systematically(bench_.as_found), start)) return;
    search_by(by_portfolio(bench_.as_found), start);
  }

  // However run() ended: what was counted until then.
  void conclude() {
    for (const auto& [strategy, search] : searches_) {
      AffectedSearch& kept = row_.searches.emplace_back(AffectedSearch{search, strategy, {}});
      for (const auto& [cause, seen] : search.other) {
        kept.other.push_back({cause, seen.hits, seen.seed});
      }
      if (search.hits > 0) row_.answer = Affected::kHasIt;
    }
    if (row_.answer != Affected::kCannotTell || !row_.reason.empty()) return;
    row_.reason = not_repeatable_.empty() ? why_nothing(row_, stop_.load()) : not_repeatable_;
    if (row_.reason.empty()) note_refused_request();
    if (row_.reason.empty()) row_.answer = Affected::kNotSeen;
  }

 private:
  bool refused() {
    try {
      own_.prepare(bench_.executor);
      if (are_all_orders(bench_.finding.input.input, own_.serial_runs())) note_refused_request();
    } catch (const SetupError& error) {
      row_.reason = setup_text(bench_.finding, error.what());
      row_.answer = Affected::kRefused;
    }
    return row_.answer == Affected::kRefused;
  }

  void note_refused_request() {
    row_.reason = refused_request(bench_.finding, own_.serial_runs());
    if (!row_.reason.empty()) row_.answer = Affected::kRefused;
  }

  void note_gate() {
    const GateReport gate = run_gate(bench_.executor, {&own_}, stop_);
    if (gate.same_outcome == gate.runs) return;
    not_repeatable_ = "equal seeds did not give equal executions: " + gate.differences.front();
  }

  bool replayed() {
    const FindingReplay replay =
        replay_on({bench_.executor, own_}, bench_.finding, family_, limits_.variants, stop_);
    experience_ = experience_of(replay);
    row_.replay = result_name(replay.result);
    row_.replay_why = replay.why;
    if (replay.result == ReplayResult::kNotReproduced) return false;
    row_.answer = Affected::kHasIt;
    return true;
  }

  bool search_by(const ExplorationSettings& settings, Clock::time_point start) {
    Exploration exploration(bench_.finding.input, settings);
    exploration.add_known_masks(bench_.finding.masks);
    if (settings.portfolio) exploration.recall(experience_);
    return search(exploration, settings.strategy_text, start);
  }

  bool search(Exploration& exploration, const std::string& strategy, Clock::time_point start) {
    FindingSearch& search = searches_.emplace_back(strategy, FindingSearch()).second;
    for (uint64_t n = 1; n <= limits_.executions && !over(start); ++n) {
      if (exploration.searched()) break;
      search_on({bench_.executor, exploration}, family_, n, search);
    }
    return search.hits > 0;
  }

  bool over(Clock::time_point start) const {
    return stop_.load() || (limits_.budget && Clock::now() - start >= *limits_.budget);
  }

  AffectedRow& row_;
  const AffectedBench& bench_;
  const SearchLimits& limits_;
  const std::atomic<bool>& stop_;
  Family family_;
  Exploration own_;
  Experience experience_;                                        // of the replay
  std::string not_repeatable_;                                   // why; empty: it is
  std::vector<std::pair<std::string, FindingSearch>> searches_;  // by strategy, in their order
};

const AffectedRow* with_rate(const std::vector<AffectedRow>& rows) {
  const AffectedRow* first = nullptr;
  for (const AffectedRow& row : rows) {
    if (row.searches.empty() || row.searches.front().drawn_hits() == 0) continue;
    if (row.home) return &row;
    if (first == nullptr) first = &row;
  }
  return first;
}

}  // namespace

void ask_server(AffectedRow& row, const AffectedBench& bench, const SearchLimits& limits,
                bool count, const std::atomic<bool>& stop) {
  OneServer work(row, bench, limits, stop);
  ask_guarded(row, [&] { work.run(count); });
  work.conclude();
}

void ask_guarded(AffectedRow& row, const std::function<void()>& ask) {
  try {
    ask();
  } catch (const ServerError& error) {
    row.reason = error.what();
  } catch (const SetupError& error) {
    row.reason = error.what();
  } catch (const ClientError& error) {
    row.reason = error.what();
  } catch (const std::system_error& error) {
    row.reason = error.what();
  }
}

bool has_rate(const std::vector<AffectedRow>& rows) {
  return with_rate(rows) != nullptr;
}

void state_probabilities(AffectedTable& table) {
  table.confidence = kConfidence;
  const AffectedRow* known = with_rate(table.rows);
  if (known == nullptr) return;
  const SearchCounts& counted = known->searches.front();
  const double rate = lower_bound_of_rate(counted.drawn_hits(), counted.drawn());
  for (AffectedRow& row : table.rows) {
    if (row.answer != Affected::kNotSeen) continue;
    row.would_have_been_seen = seen_at_least_once(rate, row.searches.front().drawn());
    row.as_frequent_as = known->version;
  }
}

}  // namespace esox
