// SPDX-License-Identifier: Apache-2.0
// A small data store that clients talk to in words, each request a few steps of a simulated thread
// (tests/models/model.h): locks, reads and writes, with a scheduling point before each.
//
//   SELECT x          a register; 0 until it is written
//   UPDATE x 5        writes it; no reply but success
//   ADD x 1           adds to it and gives the sum
//   TAKE x            takes one; error 1 "nothing left" if there is none
//   INSERT l v        appends to a list, whose length is kept beside it
//   LIST l            its elements, in their order
//   LENGTH l          its length, as kept beside it
//   READ k, WRITE k v a table behind a cache that readers fill
//   BOTH a b          adds one to two registers, under a lock of each
//   AWAIT x           waits until the register is not 0
//   NOW               the date
//   MOON              0 in all serial executions but those at the fourth of four dates; in others
//                     by their seed: rare nondeterminism
//   REMEMBER x        keeps the register with the session; gives nothing
//   RECALL            what the session keeps; no state summary tells it
//   DIE               ends the server
//   MUMBLE            gives a reply that is none
//   HOLD              may hold something that others wait for; it is not said what
//   CALL p            adds one to the register p, and once more, as two steps of their own
//   CHECK a b         a row for each of the registers, looked at one after the other
//
// Correct without faults: every request is atomic but CALL and CHECK, which are not said to be.
// Each fault breaks one of them (Faults).
//
// Its state: "rows:registers" (a map), "rows:LIST" (a sequence), "check:LIST" (whether list and
// length agree), "rows:table" (a map), "cache" (a cache).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inputs/input.h"
#include "preload/protocol/trace_event.h"
#include "summaries/outcome.h"
#include "tests/models/model.h"

namespace esox::simulated {

// What somebody has done about `lost_update`.
enum class Mending {
  kNothing,
  kLogged,      // nothing either, but the program is another one
  kOnePath,     // where the number is even, it is as it should be
  kMoved,       // reads before it takes the lock under which it writes
  kNarrowed,    // reads a second time, shortly before it writes
  kWrongLock,   // one lock for both halves, of the client's own
  kNearlyRight  // what changed in between is lost only while another client is half-way
};

struct Faults {
  bool lost_update = false;  // ADD reads and writes under one lock each
  Mending mending = Mending::kNothing;
  bool overdraft = false;    // TAKE looks and takes under one lock each: fails with error 2 there
  bool stale_cache = false;  // WRITE empties the cache before it writes
  bool lost_length = false;  // INSERT counts outside the lock
  bool deadlock = false;     // BOTH locks in the order of its words
  bool crash = false;        // ADD dies if the register changed under it
  bool hang = false;         // ADD waits for ever if the register changed under it
  bool lost_moon = false;    // MOON is 1 in serial executions on fresh servers, and in no others
  std::string unknown;       // no fault, an older store: requests of this word fail with error 3
};

enum class StoreEnding { kNone, kCrash, kHang };

class Store {
 public:
  Store(const Faults& faults, int64_t date_ns, bool moon, size_t clients)
      : faults_(faults), date_ns_(date_ns), moon_(moon), kept_(clients, 0) {}

  // The steps of one request, from its beginning to its end; `output` is filled in by them, and it
  // and the store outlive them. Throws std::invalid_argument for a request it does not know.
  std::vector<model::Operation> steps(const std::string& request, size_t client, Output& output);

  StateSummary state() const;
  StoreEnding ending() const { return ending_; }

 private:
  struct Making;  // of one request's steps

  Faults faults_;
  int64_t date_ns_;
  bool moon_;
  std::vector<int64_t> kept_;  // by client
  StoreEnding ending_ = StoreEnding::kNone;
  std::map<std::string, int64_t> registers_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::map<std::string, int64_t> lengths_;
  std::map<std::string, std::string> table_;
  std::map<std::string, std::string> cache_;
  int half_way_ = 0;  // clients that have read, and not written yet
};

}  // namespace esox::simulated
