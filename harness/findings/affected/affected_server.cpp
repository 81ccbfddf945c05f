// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/affected/affected_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/linearization.h"
#include "analysis/rows.h"
#include "base/process/server_error.h"
#include "harness/findings/replay/confidence.h"
#include "harness/hunt/gate.h"
#include "harness/records/synopsis.h"
#include "harness/search/portfolio.h"
#include "targets/client.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kShownStatement = 80;

bool accepted(const Outcome& outcome, const RequestId& id) {
  const Output& output = outcome.outputs.at(id.client).at(id.request);
  return output.answered && output.error == 0;
}

bool accepted_at_home(const Finding& finding, const SerialRun& run, const RequestId& id) {
  return std::any_of(finding.orders.begin(), finding.orders.end(), [&](const FindingOrder& order) {
    return order.order == run.order && order.without == run.without && order.infeasible.empty() &&
           accepted(order.outcome, id);
  });
}

// What the request is answered in all serial orders that were executed here, if that is an error,
// and one of the same orders was accepted where the finding was found.
const Output* refused_here(const Finding& finding, const std::vector<SerialRun>& runs,
                           const RequestId& id) {
  const Output* refusal = nullptr;
  bool at_home = false;
  for (const SerialRun& run : runs) {
    if (!run.infeasible.empty() || run.without.contains(id)) continue;
    if (accepted(run.first, id)) return nullptr;
    const Output& output = run.first.outputs.at(id.client).at(id.request);
    if (output.answered) refusal = &output;
    at_home = at_home || accepted_at_home(finding, run, id);
  }
  return at_home ? refusal : nullptr;
}

// "A1 (OPTIMIZE TABLE t1): error 1064 (42000): ..."; empty if nothing is.
std::string refused_request(const Finding& finding, const std::vector<SerialRun>& runs) {
  const auto& clients = finding.input.input.clients;
  for (size_t c = 0; c < clients.size(); ++c) {
    for (size_t r = 0; r < clients[c].requests.size(); ++r) {
      const Output* refusal = refused_here(finding, runs, {c, r});
      if (refusal == nullptr) continue;
      return fmt::format("{} ({}): {}", request_name(c, r, client_names(finding.input.input)),
                         printable_cut(clients[c].requests[r].text, kShownStatement),
                         reply_line(*refusal));
    }
  }
  return "";
}

bool are_all_orders(const Input& input, const std::vector<SerialRun>& runs) {
  std::vector<size_t> requests;
  for (const InputClient& client : input.clients) requests.push_back(client.requests.size());
  return !all_orders(requests, runs.size()).too_many;
}

// Without the input's name and place, which all rows share.
std::string setup_text(const Finding& finding, std::string text) {
  const Input& input = finding.input.input;
  const std::string known = fmt::format("{}: setup of {}: ", input.origin, input.id);
  if (text.starts_with(known)) text.erase(0, known.size());
  return text;
}

ExplorationSettings by_portfolio(ExplorationSettings settings) {
  settings.portfolio = true;
  settings.strategy_text = kPortfolioName;
  settings.learn = true;
  return settings;
}

std::string most_frequent(const SearchCounts& search) {
  const auto most = std::max_element(
      search.degraded_reasons.begin(), search.degraded_reasons.end(),
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

class Work {
 public:
  Work(AffectedRow& row, const AffectedBench& bench, const SearchLimits& limits,
       const std::atomic<bool>& stop)
      : row_(row),
        bench_(bench),
        limits_(limits),
        stop_(stop),
        own_(bench.finding.input, bench.as_found) {}

  void run(bool count) {
    if (stop_.load() || refused()) return;
    note_gate();
    const bool shown = replayed();
    const Clock::time_point start = Clock::now();
    if (shown && !count) return;
    if (search(own_, bench_.as_found.strategy_text, start) || shown) return;
    Exploration portfolio(bench_.finding.input, by_portfolio(bench_.as_found));
    portfolio.add_known_masks(bench_.finding.masks);
    search(portfolio, kPortfolioName, start);
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
        replay_on({bench_.executor, own_}, bench_.finding, limits_.variants, stop_);
    row_.replay = result_name(replay.result);
    row_.replay_why = replay.why;
    if (replay.result == ReplayResult::kNotReproduced) return false;
    row_.answer = Affected::kHasIt;
    return true;
  }

  bool search(Exploration& exploration, const std::string& strategy, Clock::time_point start) {
    FindingSearch& search = searches_.emplace_back(strategy, FindingSearch()).second;
    for (uint64_t n = 1; n <= limits_.executions && !over(start); ++n) {
      search_on({bench_.executor, exploration}, bench_.finding, n, search);
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
  Exploration own_;
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
  Work work(row, bench, limits, stop);
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
