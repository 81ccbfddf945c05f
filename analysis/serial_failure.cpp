// SPDX-License-Identifier: Apache-2.0
#include "analysis/serial_failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/cause.h"
#include "analysis/finding.h"
#include "inputs/request_language.h"
#include "summaries/garbled.h"

namespace esox {
namespace {

bool gave_no_reply_that_is_one(const ExecutionRecord& record) {
  const auto& all = record.outcome.outputs;
  return std::ranges::any_of(all, [](const std::vector<Output>& replies) {
    return std::ranges::any_of(replies, is_garbled);
  });
}

bool has_ended(const ExecutionRecord& record, size_t client) {
  const auto& stamps = record.stamps[client];
  return std::ranges::all_of(stamps, [](const Stamp& stamp) { return stamp.response != kNever; });
}

bool may_hold_something(const Input& input, const InputClient& client) {
  const auto holds = [&](const std::string& text) {
    const SessionEffect effect = input.language->session_effect(text);
    return effect == SessionEffect::kOpens || effect == SessionEffect::kLasting;
  };
  return std::ranges::any_of(client.setup, holds) ||
         std::ranges::any_of(client.requests,
                             [&](const Request& request) { return holds(request.text); });
}

}  // namespace

bool may_wait_for_session(const Input& input, const ExecutionRecord& record) {
  for (size_t waiting = 0; waiting < record.stamps.size(); ++waiting) {
    if (has_ended(record, waiting)) continue;
    for (size_t other = 0; other < input.clients.size(); ++other) {
      if (other != waiting && may_hold_something(input, input.clients[other])) return true;
    }
  }
  return false;
}

std::optional<SerialFailure> serial_failure(const Input& input, const ExecutionRecord& record,
                                            Symbols& symbols) {
  const EndingKind kind = record.ending.kind;
  if (kind == EndingKind::kDegraded || !record.degraded_reasons.empty()) return std::nullopt;
  if (kind == EndingKind::kFinished && !gave_no_reply_that_is_one(record)) return std::nullopt;
  const bool stuck = kind == EndingKind::kDeadlock || kind == EndingKind::kHang;
  const std::string facts = fmt::format("ending {}\n{}", ending_name(kind),
                                        ending_facts(record, symbols, client_names(input)));
  return SerialFailure{kind, facts, stuck && may_wait_for_session(input, record)};
}

const SerialFailure* failure_like(const std::vector<SerialFailure>& failures, const Input& input,
                                  const ExecutionRecord& record, Symbols& symbols) {
  if (failures.empty()) return nullptr;
  const std::optional<SerialFailure> mine = serial_failure(input, record, symbols);
  if (!mine) return nullptr;
  for (const SerialFailure& one : failures) {
    if (one.ending != mine->ending) continue;
    if (one.ending != EndingKind::kCrash || one.facts == mine->facts) return &one;
  }
  return nullptr;
}

}  // namespace esox
