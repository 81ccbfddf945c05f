// SPDX-License-Identifier: Apache-2.0
// Which kinds of request were tried beside each other, how much of the server they showed together,
// and what was found there: the union over inputs, so that what many inputs do alike counts once.
//
// A cell is of two kinds, in the order of their names. An input counts in the cell of every two
// kinds that requests of different clients are of. Call sites are of one build of the server: only
// matrices of one build may be added.
//
// Plain; whoever shares one locks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/coverage.h"
#include "base/record/record.h"
#include "inputs/input.h"

namespace esox {

inline constexpr size_t kMostKindCells = 10'000;
inline constexpr size_t kMostOfKindCell = 20'000;  // meetings

// Pairs of conflicting call sites that followed each other.
struct Meetings {
  std::set<OrderedContact> sites;

  size_t pairs() const;
  size_t pairs_both_ways() const;
};

// As one text, eight hexadecimal digits each.
void write_value(ValueWriter& out, const Meetings& meetings);
void read_value(const ValueReader& in, Meetings& meetings);
void add_value(Meetings& all, const Meetings& more);

struct KindCell {
  std::string first;
  std::string second;
  uint64_t inputs = 0;      // times engines, with at least one execution
  uint64_t executions = 0;  // concurrent ones
  uint64_t findings = 0;    // of these inputs
  Meetings met;             // between requests of these kinds
};

void each_field(auto& f, Of<KindCell>) {
  f("first", &KindCell::first, kRequired);
  f("second", &KindCell::second, kRequired);
  f("inputs", &KindCell::inputs, kSum);
  f("executions", &KindCell::executions, kSum);
  f("findings", &KindCell::findings, kSum);
  f.derived("pairs", [](const KindCell& it) { return it.met.pairs(); });
  f("met", &KindCell::met, kSum);
}

// Ascending by both kinds.
using KindMatrix = std::vector<KindCell>;

void add_value(KindMatrix& all, const KindMatrix& more);

// What has been added to an input since it was last told of.
struct InputNews {
  bool first = false;  // time
  uint64_t executions = 0;
  uint64_t findings = 0;
};

void note_input(KindMatrix& all, const Input& input, const InputNews& news,
                const Coverage& coverage);

// Of all cells, each once.
Meetings meetings_of(const KindMatrix& all);

}  // namespace esox
