// SPDX-License-Identifier: Apache-2.0
#include "harness/records/tally.h"

namespace esox {

static void each_field(auto& f, Of<Tally>) {
  each_field(f, Of<ExecutionCounts>());
  f("verdicts", &Tally::verdicts);
  f("forgiven", &Tally::forgiven);
  f("findings", &Tally::findings);
  f("unconfirmed", &Tally::unconfirmed);
  f("search", &Tally::search);
  f("left_out", &Tally::left_out);
}

void note_forgiven(Tally& tally, const ConcreteInput& input, const ExecutionRecord& record,
                   const Verdict& verdict) {
  for (const ForgivenPlace& place : verdict.forgiven) {
    FilterAccount rule(1);
    rule.front().name = place.rule;
    add_value(tally.forgiven, rule);
  }
  note_forgiven(tally.forgiven, input, record, verdict);
}

void add_counts(HuntReport& report, const Tally& tally) {
  add_fields<ExecutionCounts>(report, tally);
  add_value(report.filters, tally.forgiven);
}

std::vector<uint8_t> to_bytes(const Tally& tally) {
  return to_cbor(tally);
}

Tally tally_of(const std::vector<uint8_t>& bytes) {
  return from_cbor<Tally>(bytes);
}

}  // namespace esox
