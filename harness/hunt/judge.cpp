// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/cut_off.h"
#include "analysis/dependency_graph.h"
#include "analysis/ended_server.h"
#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/tolerance.h"
#include "analysis/transactions.h"
#include "harness/engine/debug_symbols.h"
#include "harness/hunt/cut_tasks.h"
#include "inputs/isolation_level.h"
#include "targets/registry.h"

namespace esox {
namespace {

bool was_beside_another(const Stamps& stamps, size_t client, size_t request) {
  for (size_t c = 0; c < stamps.size(); ++c) {
    for (size_t r = 0; c != client && r < stamps[c].size(); ++r) {
      if (overlap(stamps, client, request, c, r)) return true;
    }
  }
  return false;
}

// Below the levels that keep a view for a transaction, a statement that locks rows does so one by
// one and keeps nobody from the gaps between them (MySQL's manual, "Transaction Isolation Levels":
// "InnoDB locks only index records, not the gaps before them"); where reads are dirty, nothing is
// one step.
bool is_several_at_level(const Input& input, const std::string& text) {
  const IsolationLevel* level = isolation_level_of(input);
  if (level == nullptr || level->promise > Promise::kStatementView) return false;
  const ViewStep step = input.language->view_step(text);
  const bool locks = step.locks || step.use == ViewUse::kWrites || step.use == ViewUse::kUnknown;
  return level->promise == Promise::kDirtyReads || locks;
}

bool is_damaged(const ComponentComparison& one) {
  return one.match == ComponentMatch::kDifferent && is_damage(one.meaning);
}

// Whether something is damaged whichever order one compares with.
bool left_damage(const Verdict& verdict) {
  bool compared = false;
  for (const OrderMatch& order : verdict.table) {
    if (!order.usable()) continue;
    compared = true;
    const auto& components = order.comparison.components;
    if (std::ranges::none_of(components, is_damaged)) return false;
  }
  return compared;
}

// A violation that is one only by comparison with serial orders: it ended, and nothing is damaged.
bool ended_otherwise(const Verdict& verdict) {
  const bool ended = verdict.verdict == VerdictClass::kSemantic ||
                     verdict.verdict == VerdictClass::kError ||
                     verdict.verdict == VerdictClass::kLatent;
  return ended && !left_damage(verdict);
}

void leave_unjudged(Judged& judged, const char* reason) {
  judged.verdict.verdict = VerdictClass::kDegraded;
  judged.verdict.latent = false;
  judged.verdict.degraded_reasons.emplace_back(reason);
}

// No order of requests tells what such an execution may give. Who read what does, where the input
// is of that kind and its level promises anything of reads: it is judged by that, but for errors,
// and for a state that is another one than replies tell.
void leave_to_reads(const Input& input, Judged& judged) {
  const IsolationLevel* level = isolation_level_of(input);
  const bool told = judged.by_reads && judged.verdict.verdict == VerdictClass::kSemantic &&
                    level != nullptr && level->promise > Promise::kDirtyReads;
  if (!told) {
    return leave_unjudged(judged,
                          "a request is several steps, and other requests may come between them");
  }
  judged.verdict.verdict = VerdictClass::kNone;
  judged.verdict.latent = false;
}

bool fails_in_some(std::span<const SerialRun> runs, const RequestSet& requests) {
  return std::ranges::any_of(runs, [&](const SerialRun& run) {
    return run.infeasible.empty() && std::ranges::any_of(requests, [&](const RequestId& id) {
             return run.first.outputs[id.client][id.request].error != 0;
           });
  });
}

}  // namespace

// Judged as the input is, but for tasks or requests that fail.
struct Judge::Variant {
  CutInput cut;
  SerialOrders orders;
  Judge judge;
  bool refused = false;  // by the server

  Variant(CutInput made, const ExecutionPlan& base, const RulesInForce& rules,
          const ServerFacts& server)
      : cut(std::move(made)),
        orders(cut.input, base.clock_base_ns, base.contexts ? Background::kOn : Background::kOff),
        judge(cut.input, orders, rules.all(), server) {}
};

Judge::Judge(const ConcreteInput& input, SerialOrders& orders,
             const std::shared_ptr<const RuleSet>& filters, const ServerFacts& server)
    : input_(input),
      orders_(orders),
      rules_(filters, circumstances_of(input, server)),
      server_(server),
      part_orders_(input, rules_, server, kDateShift_ns) {}

Judge::~Judge() = default;

Judged Judge::judge(Executor& executor, ExecutionReport report) {
  Judged judged;
  judged.report = std::move(report);
  judged.report.record.units = units_of(input_.input, judged.report.record);
  if (auto anomaly = anomaly_of(input_.input, judged.report.record)) {
    judged.by_reads = judged.report.record.degraded_reasons.empty();
    judged.report.record.anomaly = std::move(*anomaly);
  }
  judge_views(executor, judged);
  const ExecutionRecord& record = judged.report.record;
  others_ = Orders::kAsGiven;
  judged.verdict = judge_now(judged.report.record);
  // Not explained by the orders at hand: execute what real time also allows, and judge again.
  const bool ended = record.ending.kind == EndingKind::kFinished && !has_anomaly(record);
  if (ended && judged.verdict.matched.empty() && record.degraded_reasons.empty()) {
    explain(executor, judged);
  }
  name_cause(judged);
  return judged;
}

void Judge::judge_views(Executor& executor, Judged& judged) {
  ExecutionRecord& record = judged.report.record;
  const bool ended = record.ending.kind == EndingKind::kFinished && record.degraded_reasons.empty();
  if (!ended || !judged.report.written_log || !esox::judges_views(input_.input)) return;
  const RowLog log = target_named(input_.input.server()).row_log(*judged.report.written_log);
  judged.views = esox::judge_views(
      input_.input, record, log,
      [&](const std::vector<StateQuestion>& questions) {
        return state_answers_.to(questions, [&](const std::vector<StateQuestion>& unknown) {
          return executor.answer(orders_.base_plan(), log, unknown);
        });
      },
      orders_.masks());
  if (!has_anomaly(record) && !judged.views.anomaly.empty()) record.anomaly = judged.views.anomaly;
}

void Judge::doubt(Executor& executor, Judged& judged) {
  // What did not come to its end is not compared: orders are executed for what goes wrong in them,
  // and one that goes wrong like it is enough. Of a graph's hundreds of steps each would take seven
  // times as long on a fresh server, and nothing that rewinding might lose could be taken for a
  // difference there.
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols = debug_symbols(record.modules);
  const bool finished = record.ending.kind == EndingKind::kFinished;
  if (!finished) {
    orders_.stop_when(
        [&] { return failure_like(orders_.failures(), input_.input, record, symbols) != nullptr; });
  }
  orders_.on_fresh_servers(finished || !orders_.has_graph());
  if (!finished && orders_.has_graph()) {
    const SerialGraph::Steps given_up = orders_.become_patient();
    orders_.graph(executor).execute_again(given_up);
  }
  look_for_doubts(executor, judged);
  orders_.on_fresh_servers(false);
  orders_.stop_when({});
}

void Judge::look_for_doubts(Executor& executor, Judged& judged) {
  orders_.repeat(executor);
  judged.verdict = judge_now(judged.report.record);
  const bool by_orders = !has_anomaly(judged.report.record);
  if (judged.verdict.violation() && by_orders) explain(executor, judged);  // under all masks
  if (judged.verdict.violation() && by_orders && orders_.has_graph()) {
    explain_in(orders_.unmerged(executor), judged);
  }
  name_cause(judged);
}

// No cause is left of what is explained by nondeterminism that had not shown before.
void Judge::name_cause(Judged& judged) const {
  judged.cause.reset();
  if (!judged.verdict.violation() && orders_.failures().empty()) return;
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols = debug_symbols(record.modules);
  if (const auto* failure = failure_like(orders_.failures(), input_.input, record, symbols)) {
    blame_serial_order(judged, *failure);
  } else if (judged.verdict.violation()) {
    judged.cause = cause_of(record, judged.verdict, symbols, client_names(input_.input));
  }
}

// What goes wrong the same way without any concurrency is not the schedule's doing.
void Judge::blame_serial_order(Judged& judged, const SerialFailure& failure) {
  judged.verdict.latent = false;
  if (failure.may_wait_for_session) {
    judged.verdict.verdict = VerdictClass::kDegraded;
    judged.verdict.degraded_reasons.push_back(
        fmt::format("a serial order ends in {} too, perhaps for what another session holds",
                    ending_name(failure.ending)));
    return;
  }
  judged.verdict.verdict = VerdictClass::kSerial;
  judged.cause = serial_cause(failure.facts);
}

Verdict Judge::judge_now(ExecutionRecord& record) const {
  record.cut_off = cut_off_requests(record, orders_.runs());
  record.cut_off.insert(any_reply_.begin(), any_reply_.end());
  return esox::judge(record, orders_.runs(), orders_.masks(), others_,
                     Forgiveness(rules_, record.stamps));
}

void Judge::explain(Executor& executor, Judged& judged) {
  explain_as_told(executor, judged);
  if (judged.verdict.matched.empty()) explain_without_cut_off(executor, judged);
}

// Of a server that was to end: as if some of those requests had had no effect.
void Judge::explain_without_cut_off(Executor& executor, Judged& judged) {
  ExecutionRecord& record = judged.report.record;
  if (!record.units.server_ends) return;
  const RequestSet told = record.units.left_out;
  const Verdict verdict = judged.verdict;
  for (const RequestSet& choice : choices_of(record.cut_off)) {
    record.units.left_out = told;
    record.units.left_out.insert(choice.begin(), choice.end());
    judged.verdict = judge_now(record);
    if (judged.verdict.matched.empty()) explain_as_told(executor, judged);
    if (!judged.verdict.matched.empty()) return;
  }
  record.units.left_out = told;
  record.cut_off = cut_off_requests(record, orders_.runs());
  judged.verdict = verdict;
}

void Judge::explain_as_told(Executor& executor, Judged& judged) {
  if (orders_.has_graph()) {
    search_graph(executor, judged);
  } else {
    execute_missing_orders(executor, judged);
  }
  if (judged.verdict.matched.empty()) execute_tolerated_orders(executor, judged);
  const Units& units = judged.report.record.units;
  if (judged.verdict.violation() && !units.serial && !units.server_ends) {
    explain_by_parts(executor, judged);
  }
  if (judged.verdict.violation() && !units.server_ends) explain_by_rollbacks(executor, judged);
  if (judged.verdict.violation() && !units.server_ends) explain_by_failed_tasks(executor, judged);
  if (judged.verdict.violation()) leave_several_steps_unjudged(judged);
}

// Until one of them explains the execution, likely ones first.
void Judge::execute_missing_orders(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  const RequestSet undone = undone_requests(record.units);
  Linearizations possible = possible_orders(record, undone, kMaxWholeOrders);
  if (!record.units.serial && undone.empty()) {
    possible.orders.insert(possible.orders.begin(), order_of_replies(record.stamps));
  }
  for (const Order& order : possible.orders) {
    if (orders_.enough() || !judged.verdict.matched.empty()) return;
    if (orders_.executed(order, undone)) continue;
    orders_.execute(executor, order, undone);
    judged.verdict = judge_now(judged.report.record);
  }
}

// Serial orders without the requests that failed in a way that a filter tolerates, until one of
// them explains all the rest.
void Judge::execute_tolerated_orders(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  const Forgiveness forgiveness(rules_, record.stamps);
  RequestSet tolerated = tolerated_requests(record, orders_.runs(), forgiveness);
  const RequestSet undone = undone_requests(record.units);
  tolerated.insert(undone.begin(), undone.end());
  if (tolerated == undone) return;
  const Linearizations possible = possible_orders(record, tolerated, kMaxWholeOrders);
  for (const Order& order : possible.orders) {
    if (!judged.verdict.matched.empty()) return;
    if (orders_.executed(order, tolerated)) continue;
    orders_.execute(executor, order, tolerated);
    judged.verdict = judge_now(judged.report.record);
  }
}

// Along the replies seen, through a graph of serial states.
Explanation Judge::explain_in(SerialGraph& graph, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  const Forgiveness forgiveness(rules_, record.stamps);
  Explanation found = esox::explain(graph, record, orders_.masks(), kMaxSteps, forgiveness);
  if (!found.order) return found;
  const std::optional<SerialRun> run = graph.run_of(*found.order);
  if (run) {
    judged.verdict =
        esox::judge(record, {&*run, 1}, orders_.masks(), Orders::kAsGiven, forgiveness);
  }
  return found;
}

// If no order explains the execution, the one that a reader will compare with is executed whole:
// one that gives the same replies, for then only the state is wrong, else the order of the replies.
void Judge::search_graph(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  Explanation explanation = explain_in(orders_.graph(executor), judged);
  if (orders_.gave_up() && (!explanation.order || !judged.verdict.forgiven.empty())) {
    orders_.become_patient();
    const Explanation again = explain_in(orders_.graph(executor), judged);
    if (again.order || !explanation.order) explanation = again;
  }
  if (explanation.order) return;
  others_ = Orders::kAsGiven;
  if (explanation.exhausted) others_ = explanation.blocked ? Orders::kBlocked : Orders::kSearched;
  if (!orders_.enough()) {
    orders_.execute(executor, explanation.same_replies.value_or(order_of_replies(record.stamps)));
  }
  judged.verdict = judge_now(judged.report.record);
}

void Judge::explain_by_parts(Executor& executor, Judged& judged) {
  const auto execute = [&](const ConcreteInput& parts, const Order& order, int64_t shift_ns) {
    return orders_.execute_parts(executor, parts, order, shift_ns);
  };
  PartOrders::Answer answer =
      part_orders_.explain(judged.report.record, orders_.masks(), kMaxSteps, execute);
  if (!answer.forgiven.empty()) {
    judged.verdict.verdict = VerdictClass::kNone;
    judged.verdict.latent = false;
    judged.verdict.forgiven = std::move(answer.forgiven);
  } else if (!answer.exhausted && ended_otherwise(judged.verdict)) {
    leave_unjudged(judged, "requests count as several steps each, and not all orders were tried");
  }
}

Judge::Variants& Judge::cuts_short(const std::vector<FailedTask>& failed) {
  std::set<std::string> names;
  for (const FailedTask& one : failed) names.insert(one.task);
  const auto [found, is_new] = cuts_short_.try_emplace(std::move(names));
  if (!is_new) return found->second;
  for (CutInput& cut : cut_inputs(input_, failed)) {
    found->second.push_back(
        std::make_unique<Variant>(std::move(cut), orders_.base_plan(), rules_, server_));
  }
  return found->second;
}

std::optional<Verdict> Judge::verdict_as(Variant& one, Executor& executor,
                                         ExecutionRecord record) const {
  Judged judged;
  record.outcome = as_if_cut(std::move(record.outcome), one.cut.cuts);
  judged.report.record = std::move(record);
  one.orders.add_masks(orders_.masks());
  one.judge.others_ = Orders::kAsGiven;
  judged.verdict = one.judge.judge_now(judged.report.record);
  try {
    if (judged.verdict.matched.empty()) one.judge.explain(executor, judged);
  } catch (const SetupError&) {
    one.refused = true;
    return std::nullopt;
  }
  return std::move(judged.verdict);
}

Judge::Variant& Judge::rolled_back(const RequestSet& victims) {
  std::unique_ptr<Variant>& one = rolled_back_[victims];
  if (one) return *one;
  CutInput cut{input_, {}, ""};
  RequestSet any_reply = victims;
  for (const auto& [client, request] : victims) {
    std::vector<Request>& requests = cut.input.input.clients[client].requests;
    requests[request].text = cut.input.input.language->undoing();
    for (size_t next = request + 1; rules_.tells_of_last(client, next); ++next) {
      any_reply.insert({client, next});
    }
  }
  one = std::make_unique<Variant>(std::move(cut), orders_.base_plan(), rules_, server_);
  one->judge.any_reply_ = std::move(any_reply);
  return *one;
}

// Serial orders in which who was told that its transaction is undone has asked for that.
void Judge::explain_by_rollbacks(Executor& executor, Judged& judged) {
  ExecutionRecord record = judged.report.record;
  if (record.units.serial || record.ending.kind != EndingKind::kFinished) return;
  const Forgiveness forgiveness(rules_, record.stamps);
  const RequestSet tolerated = tolerated_requests(record, orders_.runs(), forgiveness);
  RequestSet victims;
  std::vector<ForgivenPlace> forgiven;
  for (size_t client = 0; client < record.units.of.size(); ++client) {
    for (const Unit& unit : record.units.of[client]) {
      const RequestId id{client, unit.last};
      if (!unit.undone || unit.first == unit.last || !tolerated.contains(id)) continue;
      Output& output = record.outcome.outputs[client][unit.last];
      const auto rules = forgiveness.tolerating(client, unit.last, output);
      if (rules.empty()) continue;  // it is undone with one of another kind
      victims.insert(id);
      forgiven.push_back({rules.front()->name, id, "",
                          fmt::format("error {}, and all else is as if it had said {}",
                                      output.error, input_.input.language->undoing())});
      output = Output{.answered = true};
    }
  }
  if (victims.empty()) return;
  Variant& one = rolled_back(victims);
  const std::optional<Verdict> verdict =
      one.refused ? std::nullopt : verdict_as(one, executor, std::move(record));
  if (!verdict || (!verdict->violation() && verdict->verdict != VerdictClass::kNone) ||
      fails_in_some(one.orders.runs(), victims)) {
    const bool by_others = std::ranges::any_of(judged.verdict.table, &OrderMatch::stands_in);
    if (by_others || ended_otherwise(judged.verdict)) {
      leave_unjudged(judged, "nobody can say what the victim of a deadlock leaves behind");
    }
    return;
  }
  if (verdict->violation()) return;
  std::ranges::copy(verdict->forgiven, std::back_inserter(forgiven));
  judged.verdict.verdict = VerdictClass::kNone;
  judged.verdict.latent = false;
  judged.verdict.forgiven = std::move(forgiven);
}

// Serial orders in which the tasks that failed in a way that a rule tolerates end early, wherever.
// What failed in another way has to do so there, too.
void Judge::explain_by_failed_tasks(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  if (!ended_otherwise(judged.verdict)) return;
  const Forgiveness forgiveness(rules_, record.stamps);
  std::vector<FailedTask> failed;
  std::vector<ForgivenPlace> forgiven;
  for (const FailedTask& one : record.outcome.failed_tasks) {
    const RulesInForce::Rules rules = forgiveness.tolerating_task(one.message);
    const bool again = std::ranges::find(failed, one) != failed.end();
    if (rules.empty() || again) continue;
    failed.push_back(one);
    forgiven.push_back({rules.front()->name, std::nullopt, "",
                        fmt::format("{} failed ({})", one.task, one.message)});
  }
  if (failed.empty()) return;
  for (const auto& one : cuts_short(failed)) {
    if (one->refused) continue;
    const std::optional<Verdict> verdict = verdict_as(*one, executor, record);
    if (!verdict || verdict->verdict != VerdictClass::kNone) continue;
    std::ranges::copy(verdict->forgiven, std::back_inserter(forgiven));
    forgiven.front().what += fmt::format(", and all else is as if {}", one->cut.done);
    judged.verdict.verdict = VerdictClass::kNone;
    judged.verdict.latent = false;
    judged.verdict.forgiven = std::move(forgiven);
    return;
  }
}

// Others may come between the steps of such a request (a procedure's statements), and a serial
// order of whole requests is not what the server promises. Two structures that disagree are damage
// all the same.
void Judge::leave_several_steps_unjudged(Judged& judged) const {
  if (!ended_otherwise(judged.verdict)) return;
  const auto& clients = input_.input.clients;
  std::vector<std::string> makes = input_.input.setup;  // procedures and tables, by whomever
  for (const InputClient& client : clients) {
    for (const Request& request : client.requests) makes.push_back(request.text);
  }
  for (size_t c = 0; c < clients.size(); ++c) {
    for (size_t r = 0; r < clients[c].requests.size(); ++r) {
      const std::string& text = clients[c].requests[r].text;
      const bool one_step = input_.input.language->is_one_step(text, makes) &&
                            !is_several_at_level(input_.input, text);
      if (one_step) continue;
      const ExecutionRecord& record = judged.report.record;
      if (!record.units.serial && !was_beside_another(record.stamps, c, r)) continue;
      return leave_to_reads(input_.input, judged);
    }
  }
}

}  // namespace esox
