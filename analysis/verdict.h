// SPDX-License-Identifier: Apache-2.0
// The verdict on one concurrent execution (P. Fonseca, PhD thesis 2015, section 5.2.1, table 5.2).
//
// An execution is accepted if one serial order that real time allows gives the same replies AND the
// same state, component by component. Otherwise its class says what a user would see:
//   error     some request returned an error that it returns in no serial order
//   semantic  the replies fit no serial order, without such an error
//   latent    the replies fit a serial order, but the state fits none of the orders they fit
//   crash, deadlock, hang   it did not end; no order is asked
//   serial    a serial order of the same requests goes wrong in that way, too: no concurrency is
//             needed for it (serial_failure.h). Decided by who executes the orders
//   degraded  never judged: control was lost, or there is nothing sound to compare with
// Beside the class, `latent` says whether the damage stays behind: true for class latent, and for
// semantic and error if the state is wrong in every order.
//
// Soundness rules, so that silence and alarm are both earned:
// - An order that could not be executed explains nothing; if none could, the execution is degraded.
//   Where one that real time allows could not, an execution that another order explains but that
//   sessions hold less (ComponentMeaning::kHeld) is degraded: what that order leaves held is not
//   known.
// - An order that real time allows but that was not handed in may be the explanation: unless
//   another one matches, the execution is degraded, not a violation.
// - An unavailable component is neither equal nor different. It blocks acceptance; if the class
//   depends on it, the execution is degraded and says for which component.
// - What the tester's rules forgive is asked only if no order explains the execution without them.
//   Each order is compared under the rules by itself (forgiving.h). An order without tolerated
//   requests (tolerance.h) can explain, and counts for nothing else; if some of those are missing,
//   or nobody can say, the execution is degraded. Only where no order of all requests could be
//   executed (two transactions wait for each other in all of them) do these say what the rest
//   should have given: else nothing that goes wrong at a deadlock would be seen.
// - A reply that was cut off (cut_off.h) is any that an order gives.
// - Where whole transactions are judged (transactions.h), every order is one of those that were not
//   undone.
// - A forbidden anomaly between transactions (dependency_graph.h) is semantic whatever order
//   explains it: the same server has executed the orders.
// - A crash is a crash even where control was lost. A deadlock or a hang is not: a lost thread may
//   be the one that was waited for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/execution_record.h"
#include "analysis/serial_run.h"

namespace esox {

// Their numbers are in files of before they were kept by name.
enum class VerdictClass {
  kNone,
  kSemantic,
  kError,
  kLatent,
  kCrash,
  kDeadlock,
  kHang,
  kDegraded,
  kSerial
};

const char* class_name(VerdictClass c);  // "none", "semantic", ...
std::optional<VerdictClass> class_from_name(const std::string& name);
// True for the classes that make a finding.
constexpr bool is_violation(VerdictClass c) {
  return c != VerdictClass::kNone && c != VerdictClass::kDegraded;
}

// One row of the table: how the execution compares with one serial order.
struct OrderMatch {
  Order order;
  RequestSet without;      // requests that are not in it: undone with their transaction, tolerated
  bool tolerates = false;  // some of them are tolerated
  bool stands_in = false;  // they are, and no order with all requests could be executed
  bool allowed = false;    // real time allows this order; others are compared for the reader only
  std::string infeasible;  // not empty: could not be executed; no comparison
  Comparison comparison;

  // Without what is tolerated: a request that then failed may have let go of what its session held
  // (DROP TABLE closes MySQL's HANDLERs, and waits).
  bool explains() const {
    const Comparison& c = comparison;
    return allowed && infeasible.empty() && c.outputs_match() &&
           (c.state_match() || (tolerates && c.holds_no_more()));
  }
  // Whether it says what the requests should have given.
  bool usable() const { return allowed && infeasible.empty() && (!tolerates || stands_in); }
};

// What a rule hid of an execution that is accepted for it.
struct ForgivenPlace {
  std::string rule;
  std::optional<RequestId> request;
  std::string component;  // of the state; empty, without a request: of neither
  std::string what;
};

struct Verdict {
  VerdictClass verdict = VerdictClass::kNone;
  bool latent = false;
  std::vector<OrderMatch> table;  // one per serial run, in the order given
  std::vector<size_t> matched;    // indices into `table` of the orders that explain the execution
  std::vector<std::string> degraded_reasons;
  // Not empty: no order explains it without rules. Of the order that takes the fewest.
  std::vector<ForgivenPlace> forgiven;

  bool violation() const { return is_violation(verdict); }
  // The index of the order the execution is nearest to: most replies, then most components equal,
  // and for class latent among those whose replies match. -1 if no order is usable.
  int nearest() const;
};

// What is known of the serial orders that are not among the runs handed in.
enum class Orders {
  kAsGiven,   // nothing: one of them may be the explanation
  kSearched,  // a search (serial_graph.h) has shown that none of them is
  kBlocked,   // the same, but for such as could not be executed
};

Verdict judge(const ExecutionRecord& record, std::span<const SerialRun> serial_runs,
              const Masks& masks, Orders others = Orders::kAsGiven,
              const Forgiveness& forgiveness = {});

// What rules hid in one comparison, replies first.
std::vector<ForgivenPlace> forgiven_in(const Comparison& comparison);

// "the reply to B1: rows: lacks 't1'", "the state of tables: ...".
std::string place_name(const ForgivenPlace& place,
                       const std::vector<std::string>& client_names = {});

}  // namespace esox
