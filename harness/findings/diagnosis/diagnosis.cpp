// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include "analysis/linearization.h"
#include "analysis/report/taken_choices.h"
#include "analysis/thread_name.h"
#include "base/process/server_error.h"
#include "harness/engine/debug_symbols.h"
#include "harness/findings/diagnosis/critical_switch.h"
#include "harness/findings/diagnosis/fewest_choices.h"
#include "harness/findings/diagnosis/fewest_switches.h"
#include "harness/records/ending_stacks.h"

namespace esox {
namespace {

// One diagnosis under way.
class DiagnosisWork {
 public:
  DiagnosisWork(Trials& trials, Exploration& exploration, const Finding& finding,
                const ExecutorFactory& executors)
      : trials_(trials),
        exploration_(exploration),
        finding_(finding),
        input_(finding.input.input),
        executors_(executors) {}

  Diagnosis run() {
    const Judged original = trials_.original();
    const ReplayMatch match = match_replay(original.report.record, finding_, exploration_.rules());
    diagnosis_.came = match.same && original.verdict.violation();
    if (diagnosis_.came) {
      examine(original);
    } else {
      diagnosis_.why_not = match.same ? "it is accepted now" : match.why;
    }
    diagnosis_.executions = trials_.executions();
    diagnosis_.seconds = trials_.seconds();
    return std::move(diagnosis_);
  }

 private:
  void examine(const Judged& original) {
    const Try execute = [this](const Schedule& schedule) { return trials_(schedule); };
    const Tried start = fewest_choices(trials_.tried_of(original),
                                       [this](const Schedule& schedule, const auto& values) {
                                         return trials_.with_values(schedule, values);
                                       });
    trials_.use_values(start.values);
    diagnosis_.data_choices = taken_choices(start.values);
    diagnosis_.recorded_switches = switch_count(start.schedule);
    const Tried fewest = fewest_switches(start, execute);
    diagnosis_.fewest_switches = switch_count(fewest.schedule);
    const std::optional<CriticalSwitch> critical =
        critical_switch(fewest, [&](const Schedule& schedule) {
          std::optional<Tried> tried = execute(schedule);
          if (tried && tried->breaks) tried->side = Side::kSame;
          return tried;
        });
    if (critical) {
      tell(*critical);
      return;
    }
    diagnosis_.no_critical = trials_.spent()
                                 ? "the budget was spent before one was found"
                                 : "moving any of the switches never gave an accepted execution";
    const std::optional<Judged> again = trials_.repeat(fewest);
    const Judged& told = again ? *again : original;
    Symbols symbols = debug_symbols(told.report.record.modules);
    diagnosis_.switches = teller_of(told, symbols).all_switches();
  }

  Teller teller_of(const Judged& judged, Symbols& symbols) const {
    return {judged.report.record, judged.report.points, input_, symbols};
  }

  void tell(const CriticalSwitch& critical) {
    CriticalDescription description;
    description.too_late = critical.too_late;
    std::optional<Judged> violating;
    std::optional<Judged> accepted;
    confirm(critical.violating, critical.accepted, description.confirmation, violating, accepted);
    std::optional<Judged> pair_violating;
    std::optional<Judged> pair_accepted;
    if (critical.pair) {
      confirm(critical.pair->violating, critical.pair->accepted, description.confirmation,
              pair_violating, pair_accepted);
    }
    if (!violating || !accepted) {
      diagnosis_.no_critical = "the budget was spent before it was confirmed";
      return;
    }
    Symbols symbols = debug_symbols(violating->report.record.modules);
    const Teller teller = teller_of(*violating, symbols);
    diagnosis_.switches = teller.all_switches();
    const size_t segment = std::min(critical.segment, teller.schedule().size() - 2);
    description.at = teller.at_switch(segment);
    description.moved = teller.operation(critical.mover, critical.operation);
    description.accepted_as = order_of(*accepted);
    if (critical.pair && pair_violating && pair_accepted) {
      tell_pair(critical, *pair_violating, *pair_accepted, symbols, description);
    } else {
      const uint32_t stands = critical.violating.schedule[segment].until;
      add_stacks(critical.violating, teller.point_of(critical.mover, stands),
                 {{critical.mover, teller.site_of(critical.mover, stands)}}, symbols, description);
    }
    name_callers(critical, violating->report.record.modules, description);
    diagnosis_.critical = std::move(description);
  }

  // Functions that the symbols do not name are told by who called them.
  static void name_callers(const CriticalSwitch& critical, const std::vector<Module>& modules,
                           CriticalDescription& description) {
    const auto named = [&](OperationDescription& operation) {
      if (operation.function != operation.site) return;
      for (const ClientStack& stack : description.stacks) {
        if (stack.client == operation.client) operation.below = nearest_name(stack.frames, modules);
      }
    };
    named(description.moved);
    if (description.other) named(*description.other);
    if (critical.too_late || !critical.pair) named(description.at.at);
  }

  // Where the other one stands before its operation, the mover stands before its own: in the
  // violating execution if that came too late, else in the accepted one.
  void tell_pair(const CriticalSwitch& critical, const Judged& violating, const Judged& accepted,
                 Symbols& symbols, CriticalDescription& description) {
    const SwappedPair& pair = *critical.pair;
    const bool too_late = critical.too_late;
    const Teller teller = teller_of(too_late ? violating : accepted, symbols);
    description.other = teller.operation(pair.other, pair.other_operation);
    add_stacks(too_late ? pair.violating : pair.accepted,
               teller.point_of(pair.other, pair.other_operation),
               {{critical.mover, teller.site_of(critical.mover, critical.operation)},
                {pair.other, teller.site_of(pair.other, pair.other_operation)}},
               symbols, description);
  }

  std::string order_of(const Judged& judged) const {
    const Verdict& verdict = judged.verdict;
    if (verdict.matched.empty()) return "";
    return order_name(verdict.table[verdict.matched.front()].order, client_names(input_));
  }

  void confirm(const Tried& violating, const Tried& accepted, Confirmation& confirmation,
               std::optional<Judged>& last_violating, std::optional<Judged>& last_accepted) {
    for (unsigned i = 0; i < kConfirmations; ++i) {
      last_violating = trials_.repeat(violating);
      last_accepted = trials_.repeat(accepted);
      if (!last_violating || !last_accepted) return;
      ++confirmation.times;
      confirmation.violating += trials_.breaks(*last_violating) ? 1 : 0;
      confirmation.accepted += trials_.side_of(*last_accepted) == Side::kAccepted ? 1 : 0;
    }
  }

  struct Stands {
    ThreadId thread;
    uint64_t site;
  };

  void add_stacks(const Tried& tried, uint64_t point, const std::vector<Stands>& threads,
                  Symbols& symbols, CriticalDescription& description) {
    if (trials_.spent() || point == kNever || point == 0) {
      description.no_stacks = "the budget was spent, or the place is the beginning of all";
      return;
    }
    try {
      const std::vector<std::string> detail =
          parked_stacks(executors_, exploration_, tried, finding_.seed, point);
      for (const Stands& one : threads) {
        const std::string client = thread_name(client_names(input_), one.thread);
        const std::string site = one.site == 0 ? "" : symbols.site(one.site);
        std::vector<std::string> frames = stack_from(detail, client, site);
        if (frames.empty())
          description.no_stacks = fmt::format("client {}'s could not be had", client);
        description.stacks.push_back({client, std::move(frames)});
      }
    } catch (const ServerError& error) {
      description.no_stacks = error.what();
    }
  }

  Trials& trials_;
  Exploration& exploration_;
  const Finding& finding_;
  const Input& input_;
  const ExecutorFactory& executors_;
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis diagnose(Trials& trials, Exploration& exploration, const Finding& finding,
                   const ExecutorFactory& executors) {
  return DiagnosisWork(trials, exploration, finding, executors).run();
}

}  // namespace esox
