// SPDX-License-Identifier: Apache-2.0
#include "tests/simulated/simulated_server.h"

#include <chrono>
#include <thread>

#include "harness/hunt/serial_orders.h"
#include "tests/simulated/target.h"

namespace esox::simulated {
namespace {

constexpr uint64_t kFirstSite = 0x1000;
constexpr uint64_t kSitesOfARequest = 0x100;
constexpr uint64_t kVerbs = 64;

// Where a step stands in the program: the same for one request in all executions.
uint64_t site_of(const std::string& request, size_t step) {
  const std::string verb = request.substr(0, request.find(' '));
  return kFirstSite + std::hash<std::string>{}(verb) % kVerbs * kSitesOfARequest + step;
}

// One execution: the program made of its requests, run, and read back.
class Play {
 public:
  Play(const ExecutionPlan& plan, const Faults& faults)
      : plan_(plan),
        input_(plan.input->input),
        store_(faults, plan.clock_base_ns, is_moonlit(plan, faults), input_.clients.size()) {
    report_.record.outcome.outputs.resize(input_.clients.size());
    report_.record.stamps.resize(input_.clients.size());
    for (size_t c = 0; c < input_.clients.size(); ++c) add_client(c);
  }

  ExecutionReport run(uint64_t seed, std::optional<uint64_t> step_limit) {
    const StrategyTape tape{
        plan_.serial_order.data(), static_cast<uint32_t>(plan_.serial_order.size()),
        plan_.choices.data(),      static_cast<uint32_t>(plan_.choices.size()),
        plan_.values.data(),       static_cast<uint32_t>(plan_.values.size())};
    model::Holder strategy(plan_.strategy, tape);
    const std::vector<uint32_t> points(plan_.expected_points_of.begin(),
                                       plan_.expected_points_of.end());
    const ExecutionInfo info{.seed = seed,
                             .threads = static_cast<uint32_t>(input_.clients.size()),
                             .expected_points = plan_.expected_points,
                             .points_of_thread = points,
                             .objects = plan_.shared_objects};
    limit(step_limit);
    const model::RunResult result =
        model::run(program_, *strategy, info, model::Offer::kAsTheScheduler,
                   [this](const auto& waiting, const auto& enabled) { note(waiting, enabled); });
    read_back(result, step_limit);
    report_.diverged = strategy->diverged();
    return std::move(report_);
  }

 private:
  struct Step {
    size_t request = 0;
    uint64_t site = 0;
  };

  static bool is_moonlit(const ExecutionPlan& plan, const Faults& faults) {
    if (plan.strategy.kind != StrategyKind::kSerial) return plan.seed % 2 == 1;
    if (faults.lost_moon) return plan.fresh;
    return plan.clock_base_ns / kDateShift_ns % 4 == 3;
  }

  void add_client(size_t client) {
    const auto& requests = input_.clients[client].requests;
    const size_t count = plan_.requests.empty() ? requests.size() : plan_.requests[client];
    const size_t first = plan_.first_requests.empty() ? 0 : plan_.first_requests[client];
    auto& outputs = report_.record.outcome.outputs[client];
    outputs.resize(count);
    auto& thread = program_.threads.emplace_back();
    auto& places = places_.emplace_back();
    for (size_t r = 0; r < count; ++r) {
      if (plan_.without.contains({client, first + r})) continue;
      const std::string& text = requests[first + r].text;
      for (model::Operation& one : store_.steps(text, client, outputs[r])) {
        const size_t step = one.kind == OpKind::kRequestBegin ? 0 : places.back().site % 0x100 + 1;
        places.push_back({first + r, site_of(text, step)});
        thread.push_back(std::move(one));
      }
    }
  }

  // All threads stand at the limit.
  void limit(std::optional<uint64_t> step_limit) {
    if (!step_limit) return;
    for (auto& thread : program_.threads) {
      for (model::Operation& one : thread) {
        one.enabled = [this, guard = one.enabled, step_limit](const model::World& world) {
          return steps_ < *step_limit && (!guard || guard(world));
        };
        one.run = [this, run = one.run](model::World& world, ThreadId self) {
          ++steps_;
          return run(world, self);
        };
      }
    }
  }

  // A pending operation's site is its place in its thread.
  void note(const std::vector<Pending>& waiting, const std::vector<Pending>& enabled) {
    if (plan_.strategy.kind != StrategyKind::kPrefix) return;
    for (const Pending& one : waiting) {
      const uint8_t flags = model::is_enabled(enabled, one.thread) ? kWaitingEnabled : 0;
      report_.decisions.push_back(
          {one.object, places_[one.thread][one.site].site, decision_, one.thread, one.kind, flags});
    }
    ++decision_;
  }

  void read_back(const model::RunResult& result, std::optional<uint64_t> step_limit) {
    ExecutionRecord& record = report_.record;
    record.number = plan_.number;
    record.seed = plan_.seed;
    record.strategy = plan_.strategy_text;
    record.choices = result.choices;
    record.modules = {
        {kFirstSite, kFirstSite + kVerbs * kSitesOfARequest, kFirstSite, "/simulated"}};
    report_.offered = result.offered;
    report_.points = result.points;
    report_.switches = result.choices.size();
    report_.offered_of.resize(input_.clients.size());
    read_steps(result);
    for (WaitingThread& one : report_.decisions) {
      const bool ran = one.decision < result.order.size();
      if (ran && result.order[one.decision] == one.thread) one.flags |= kWaitingChosen;
    }
    record.ending.kind = ending_of(result, step_limit);
    if (record.ending.kind == EndingKind::kFinished && !plan_.replies_only)
      record.outcome.state = store_.state();
    if (record.ending.kind != EndingKind::kFinished) tell_threads(result);
  }

  void read_steps(const model::RunResult& result) {
    std::vector<size_t> done(program_.threads.size(), 0);
    for (uint32_t point = 0; point < result.order.size(); ++point) {
      const ThreadId thread = result.order[point];
      const size_t at = done[thread]++;
      const model::Operation& operation = program_.threads[thread][at];
      const Step& step = places_[thread][at];
      ++report_.offered_of[thread];
      auto& stamps = report_.record.stamps[thread];
      if (operation.kind == OpKind::kRequestBegin) stamps.push_back({point, kNever});
      if (operation.kind == OpKind::kRequestEnd) stamps.back().response = point;
      const bool leaves = point + 1 < result.order.size() && result.order[point + 1] != thread;
      const auto flags = static_cast<uint8_t>(kTraceOffered | (leaves ? kTraceSwitchedAway : 0));
      report_.record.trace.push_back(
          {step.site, operation.object, 0, point, thread, operation.kind, flags});
    }
    complete_stamps();
  }

  // Requests that never began have a stamp all the same.
  void complete_stamps() {
    for (size_t c = 0; c < places_.size(); ++c) {
      std::set<size_t> sent;
      for (const Step& step : places_[c]) sent.insert(step.request);
      report_.record.stamps[c].resize(sent.size(), {kNever, kNever});
    }
  }

  EndingKind ending_of(const model::RunResult& result, std::optional<uint64_t> step_limit) const {
    if (store_.ending() == StoreEnding::kCrash) return EndingKind::kCrash;
    if (store_.ending() == StoreEnding::kHang) return EndingKind::kHang;
    if (step_limit && steps_ >= *step_limit) return EndingKind::kHang;
    return result.deadlock ? EndingKind::kDeadlock : EndingKind::kFinished;
  }

  // As the stacks of a real server's threads are told: the step that each stands at.
  void tell_threads(const model::RunResult& result) {
    std::vector<size_t> done(program_.threads.size(), 0);
    for (const ThreadId thread : result.order) ++done[thread];
    Ending& ending = report_.record.ending;
    if (ending.kind == EndingKind::kCrash) ending.signal = 6;
    ending.detail.emplace_back("all stacks:");
    for (size_t c = 0; c < done.size(); ++c) {
      if (done[c] == program_.threads[c].size()) continue;
      const Step& at = places_[c][done[c]];
      ending.detail.push_back("thread " + std::to_string(c + 1) + " (client " +
                              input_.clients[c].name + "):");
      ending.detail.push_back("  #0 " + input_.clients[c].requests[at.request].text + "+0x1");
      if (ending.kind != EndingKind::kDeadlock) continue;
      const ThreadId holder = c == 0 ? 1 : 0;
      ending.wait_cycle.push_back({static_cast<ThreadId>(c), holder, OpKind::kMutexLock,
                                   program_.threads[c][done[c]].object, at.site});
    }
  }

  const ExecutionPlan& plan_;
  const Input& input_;
  Store store_;
  model::Program program_;
  std::vector<std::vector<Step>> places_;  // [client][operation]
  uint64_t steps_ = 0;                     // counted where they are limited
  uint32_t decision_ = 0;
  ExecutionReport report_;
};

}  // namespace

ExecutorFactory SimulatedServer::factory() {
  return [this](const ExecutorWishes& wishes) {
    return std::make_unique<SimulatedExecutor>(*this, wishes);
  };
}

SimulatedExecutor::SimulatedExecutor(SimulatedServer& server, const ExecutorWishes& wishes)
    : server_(server), wishes_(wishes) {
  ++server_.executors;
}

ExecutionReport SimulatedExecutor::run(const ExecutionPlan& plan) {
  MeteredRun metered(wishes_.meter);
  if (interrupted()) throw Interrupted{};
  const uint64_t run = ++server_.runs;
  fail_if_told(plan, run);
  ++lives_.forked;
  const bool replay = plan.strategy.kind == StrategyKind::kReplay;
  const Faults faults = replay && server_.replays_are_sound ? Faults{} : server_.faults;
  const bool moved = server_.moved_each != 0 && run % server_.moved_each == 0;
  ExecutionReport report =
      Play(plan, faults).run(plan.seed + (moved ? run : 0), wishes_.step_limit);
  if (server_.degrade_each != 0 && run % server_.degrade_each == 0) {
    report.record.degraded_reasons.emplace_back("a thread was lost");
  }
  if (server_.late_wakes && plan.impatient) give_up(report, plan);
  metered.succeeded(0);
  return report;
}

// At the last request.
void SimulatedExecutor::give_up(ExecutionReport& report, const ExecutionPlan& plan) {
  report.record.ending.kind = EndingKind::kDeadlock;
  report.record.stamps[plan.serial_order.back()].back().response = kNever;
  report.given_up = true;
}

void SimulatedExecutor::fail_if_told(const ExecutionPlan& plan, uint64_t run) {
  const std::string& id = plan.input->input.id;
  if (server_.before_run) server_.before_run(run);
  if (server_.failing_setups.contains(id)) throw SetupError(id + ": its setup fails");
  if (run <= server_.failing_runs || server_.failing_starts.contains(id))
    throw ServerError("the server does not start");
  if (id == server_.endless && explores(plan.strategy.kind)) wait_for_the_end();
}

void SimulatedExecutor::wait_for_the_end() {
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ++server_.interruptions;
  throw Interrupted{};
}

ConcreteInput input_of(const std::string& id,
                       const std::vector<std::vector<std::string>>& requests) {
  ConcreteInput made;
  made.input.id = id;
  made.input.language = &language();
  made.input.title = id;
  for (const auto& texts : requests) {
    InputClient& client = made.input.clients.emplace_back();
    client.name = std::string(1, static_cast<char>('A' + made.input.clients.size() - 1));
    for (const std::string& text : texts) client.requests.push_back({text, false});
  }
  return made;
}

}  // namespace esox::simulated
