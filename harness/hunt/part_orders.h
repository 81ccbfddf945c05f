// SPDX-License-Identifier: Apache-2.0
// Executions that no serial order of whole requests explains, and a serial order of their parts
// does (filters, kind `split`; inputs/request_language.h).
//
// Some statements are several by design: CHECK TABLE t1, t2 holds nothing from one table to the
// next; INSERT ... SELECT without a binary log reads as a SELECT does, beside insertions. A rule
// that says so lets others come between the parts. What then may happen is not modelled, it is
// executed: an input in which the parts are requests of their own, from the same setup, in the
// serial orders that real time allows. All replies, put together, and the whole state must be those
// of one such order. So what is not a matter of who came between, a wrong count or a lost row,
// stays a violation.
//
// Only requests are split that a rule is for and that were answered without an error. The orders of
// the parts are searched as a graph, as those of inputs with many requests are (serial_graph.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/masks.h"
#include "analysis/serial_run.h"
#include "analysis/verdict.h"
#include "filters/rule.h"
#include "filters/rules_in_force.h"
#include "harness/hunt/prefix_stepper.h"
#include "inputs/input.h"

namespace esox {

class PartOrders {
 public:
  // Executes the beginning of a serial order of the requests of this input.
  using Execute =
      std::function<SerialExecution(const ConcreteInput&, const Order&, int64_t shift_ns)>;

  // `input` and `rules` must outlive it. `shift_ns` is between the two dates of each execution.
  PartOrders(const ConcreteInput& input, const RulesInForce& rules, ServerFacts server,
             int64_t shift_ns);
  ~PartOrders();

  struct Answer {
    std::vector<ForgivenPlace> forgiven;  // if a serial order of parts explains the execution
    // None does, and none was left out. If false and nothing is forgiven, nobody can say.
    bool exhausted = false;
  };
  // After at most `max_steps` executions. `masks`: what is known to differ between equal runs.
  Answer explain(const ExecutionRecord& record, const Masks& masks, uint64_t max_steps,
                 const Execute& execute);

 private:
  struct Variant;
  // The requests that count as several, and the rule that says so.
  using Chosen = std::map<RequestId, const Rule*>;

  Chosen chosen(const ExecutionRecord& record) const;
  Variant& variant_of(const Chosen& chosen);

  const ConcreteInput& input_;
  const RulesInForce& rules_;
  ServerFacts server_;
  int64_t shift_ns_;
  std::map<Chosen, std::unique_ptr<Variant>> variants_;
};

}  // namespace esox
