// SPDX-License-Identifier: Apache-2.0
// See verification.h. The work itself; what is concluded from it is in conclusion.cpp.
#include "harness/findings/verify/verification.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/findings/replay/refusal.h"
#include "harness/findings/replay/strategy_mix.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

// Two streams of draws that have nothing to do with each other.
constexpr uint64_t kOldSalt = 0x6f6c642064726177;
constexpr uint64_t kNewSalt = 0x6e65772064726177;

// One server, asked step by step.
class Side {
 public:
  Side(const VerifyBench& bench, const Finding& finding, const std::vector<MixedStrategy>& mix,
       uint64_t salt, Family& family, VerifiedSide& result)
      : executor_(bench.executor),
        finding_(finding),
        family_(family),
        result_(result),
        drawn_(finding.input, bench.settings),
        systematic_(finding.input, systematically(bench.settings)),
        portfolio_(finding.input, by_portfolio(bench.settings)),
        draws_(mix, executor_, drawn_, salt) {
    for (Exploration* one : {&drawn_, &systematic_, &portfolio_}) {
      one->add_known_masks(finding.masks);
    }
  }

  void replay(std::optional<size_t> variants, const std::atomic<bool>& stop) {
    result_.replay = replay_on({executor_, drawn_}, finding_, family_, variants, stop);
    portfolio_.recall(experience_of(result_.replay));
  }

  void draw() {
    const Judged judged = draws_.draw(result_.draws.executions + 1);
    count({executor_, drawn_}, family_, judged, true, result_.draws);
  }

  void go_on_systematically() {
    FindingSearch& search = result_.systematic;
    search_on({executor_, systematic_}, family_, search.executions + 1, search);
    result_.complete = systematic_.searched() && systematic_.search()->exhausted();
  }
  bool is_searched() const { return systematic_.searched(); }

  void explore() {
    FindingSearch& search = result_.portfolio;
    search_on({executor_, portfolio_}, family_, search.executions + 1, search);
  }

  // Does the server give it by its schedule, or by one near it?
  bool gives(const Finding& other, size_t variants, const std::atomic<bool>& stop) {
    Family family(other);
    return replay_on({executor_, drawn_}, other, family, variants, stop).result !=
           ReplayResult::kNotReproduced;
  }

  bool has_all_orders() const { return are_all_orders(finding_.input.input, drawn_.serial_runs()); }
  std::string refused() const { return refused_request(finding_, drawn_.serial_runs()); }

 private:
  Executor& executor_;
  const Finding& finding_;
  Family& family_;
  VerifiedSide& result_;
  Exploration drawn_;
  Exploration systematic_;
  Exploration portfolio_;
  FreshDraws draws_;
};

class VerifyWork {
 public:
  VerifyWork(const VerifyBench& before, const VerifyBench& after, const Finding& finding,
             const VerifyLimits& limits, const std::atomic<bool>& stop)
      : limits_(limits),
        stop_(stop),
        mix_(strategy_mix(finding.strategy)),
        family_(finding),
        old_(before, finding, mix_, kOldSalt, family_, result_.before),
        new_(after, finding, mix_, kNewSalt, family_, result_.after) {
    result_.confidence = limits.confidence;
    result_.least_draws = limits.draws;
    result_.seed = before.settings.hunt_seed;
    result_.mix = mix_text(mix_);
  }

  Verification run() {
    if (!stop_.load()) old_.replay(std::nullopt, stop_);
    if (!stop_.load()) new_.replay(limits_.variants, stop_);
    if (new_.has_all_orders()) result_.refused = new_.refused();
    while (result_.refused.empty() && !is_over() && !is_settled()) take_turn();
    result_.refused = new_.refused();
    sort_others();
    result_.stopped = stop_.load();
    return std::move(result_);
  }

 private:
  bool is_over() const {
    return stop_.load() || Clock::now() - start_ >= limits_.budget ||
           result_.after.draws.executions >= limits_.most_draws;
  }

  // One execution of each kind that is still wanted.
  void take_turn() {
    if (!old_is_searched()) old_.go_on_systematically();
    if (!is_rate_known()) old_.draw();
    if (!new_is_searched()) new_.go_on_systematically();
    if (wants(result_.after.draws)) new_.draw();
    if (wants(result_.after.portfolio)) new_.explore();
  }

  bool old_is_searched() const { return is_searched(old_, result_.before); }
  bool new_is_searched() const { return is_searched(new_, result_.after); }
  bool is_searched(const Side& side, const VerifiedSide& result) const {
    return side.is_searched() || result.systematic.hits > 0 ||
           result.systematic.executions >= limits_.systematic;
  }

  bool is_settled() {
    const VerifiedSide& there = result_.after;
    if (there.hits() > 0 || there.replay.result != ReplayResult::kNotReproduced) return true;
    if (wants_least(there.draws) || wants_least(there.portfolio) || !new_is_searched()) {
      return false;
    }
    // More of the same would not make it any clearer.
    if (!result_.lost_control().empty()) return true;
    if (old_is_searched() && !result_.old_gives_it()) return true;
    return !wants(there.draws) && !wants(there.portfolio);
  }

  bool wants_least(const SearchCounts& counts) const { return counts.executions < limits_.draws; }
  bool wants(const SearchCounts& counts) {
    if (wants_least(counts) || !is_rate_known()) return true;
    if (!rate_) rate_ = result_.rate();
    return counts.judged() < rate_->draws_wanted(result_.times_rarer_wanted());
  }

  bool is_rate_known() const { return result_.before.draws.hits >= kWantedHits; }

  void sort_others() {
    std::map<std::string, SeenCause> others;
    for (const FindingSearch* search : searches_of(result_.after)) {
      for (const auto& [cause, seen] : search->other) {
        const auto [known, fresh] = others.try_emplace(cause, seen);
        if (!fresh) known->second.hits += seen.hits;
      }
    }
    for (auto& [cause, seen] : others) {
      const bool both =
          old_gave(cause) || (!stop_.load() && old_.gives(seen.finding, limits_.variants, stop_));
      (both ? result_.shared : result_.brought).push_back(std::move(seen));
    }
  }

  bool old_gave(const std::string& cause) const {
    const auto searches = searches_of(result_.before);
    return std::ranges::any_of(
        searches, [&](const FindingSearch* search) { return search->other.contains(cause); });
  }

  static std::array<const FindingSearch*, 3> searches_of(const VerifiedSide& side) {
    return {&side.systematic, &side.draws, &side.portfolio};
  }

  const VerifyLimits& limits_;
  const std::atomic<bool>& stop_;
  const Clock::time_point start_ = Clock::now();
  Verification result_;
  const std::vector<MixedStrategy> mix_;
  Family family_;
  Side old_;
  Side new_;
  std::optional<RateArgument> rate_;  // of the old server, once it is known
};

}  // namespace

Verification verify(const VerifyBench& before, const VerifyBench& after, const Finding& finding,
                    const VerifyLimits& limits, const std::atomic<bool>& stop) {
  return VerifyWork(before, after, finding, limits, stop).run();
}

}  // namespace esox
