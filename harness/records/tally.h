// SPDX-License-Identifier: Apache-2.0
// What a hunt counted of one input on one engine: the part of the report (report.h) that a hunt
// needs to go on after it was killed. It counts whole batches when it is kept.
//
// Plain data; to and from bytes (CBOR, since names may hold any bytes).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/records/filter_account.h"
#include "harness/records/report.h"

namespace esox {

struct Tally : ExecutionCounts {
  std::map<std::string, uint64_t> verdicts;     // by class; "unconfirmed" for what did not replay
  FilterAccount forgiven;                       // only rules that forgave something
  std::map<std::string, HuntFinding> findings;  // by cause
  std::map<std::string, UnconfirmedViolation> unconfirmed;  // by cause
  SearchFigures search;
  std::string left_out;  // why it gets no further batch
};

// One execution that was accepted under rules.
void note_forgiven(Tally& tally, const ConcreteInput& input, const ExecutionRecord& record,
                   const Verdict& verdict);

// Adds what a tally counted to a report of the same hunt; findings and the like are not among it.
void add_counts(HuntReport& report, const Tally& tally);

std::vector<uint8_t> to_bytes(const Tally& tally);

// Throws RecordError if they are none of ours.
Tally tally_of(const std::vector<uint8_t>& bytes);

}  // namespace esox
