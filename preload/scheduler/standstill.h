// SPDX-License-Identifier: Apache-2.0
// Notices that only time goes on: threads wait with a deadline, look again, and wait again, and
// nothing that they do is new. A server may mean to do so for a day (MariaDB waits for a lock of
// metadata a second at a time, for lock_wait_timeout), which is 86,400 rests of everybody; to end
// at the limit of scheduling points instead takes 25,000 of them, seven seconds of real time.
//
// New is an operation (thread, kind, call site, object) that is not in the table; watched from the
// first timer on that ends a wait. Where more different ones come than there is room for, the table
// begins anew, and so does the count: a loop of more than kEntries operations ends at the limit of
// points. A request that sleeps longer than kLongest_ns, for which another one waits in short
// rounds, is taken for one that never ends.
#pragma once

#include <cstdint>
#include <cstring>

#include "preload/protocol/trace_event.h"

namespace esox {

class Standstill {
 public:
  // Both must be exceeded. Far more time than a server's shorter patience (InnoDB: 50 s for a row),
  // for that ends in an error, which is something new; and so many rounds that a single long sleep
  // is none.
  static constexpr uint32_t kMostFirings = 1000;
  static constexpr int64_t kLongest_ns = 1'000'000'000'000;
  static constexpr uint32_t kEntries = 64;
  static constexpr uint32_t kFewFirings = 16;
  static constexpr uint32_t kRoundsPerLook = 8;

  void begin() {
    watches_ = false;
    start_anew(0);
  }

  // A deadline has ended a wait at this virtual time.
  void timer_fired(int64_t now_ns) {
    if (!watches_) start_anew(now_ns);
    watches_ = true;
    now_ns_ = now_ns;
    ++firings_;
  }

  // True if it is new, or nothing is watched yet.
  bool operation(ThreadId thread, OpKind kind, uint64_t object, uint64_t site) {
    if (!watches_) return true;
    const uint64_t key = key_of(thread, kind, object, site);
    uint32_t place = static_cast<uint32_t>(key % kEntries);
    for (uint32_t i = 0; i < kEntries && keys_[place] != 0; ++i) {
      if (keys_[place] == key) return false;
      place = (place + 1) % kEntries;
    }
    if (++used_ >= kEntries) start_anew(now_ns_);
    keys_[place] = key;
    firings_ = 0;
    since_ns_ = now_ns_;
    return true;
  }

  // Nothing new for some time: what is outside need not be looked at each time, which costs more
  // than all else that is done in such a round.
  bool may_skip_look() const { return firings_ > kFewFirings && firings_ % kRoundsPerLook != 0; }

  bool lasts() const { return firings_ > kMostFirings && now_ns_ - since_ns_ > kLongest_ns; }

 private:
  static uint64_t key_of(ThreadId thread, OpKind kind, uint64_t object, uint64_t site) {
    uint64_t key = (site * 0x9e3779b97f4a7c15u) ^ (object * 0xc2b2ae3d27d4eb4fu);
    key = (key ^ (uint64_t{thread} << 8) ^ static_cast<uint64_t>(kind)) * 0x9e3779b97f4a7c15u;
    key ^= key >> 32;
    return key != 0 ? key : 1;  // 0: no entry
  }

  void start_anew(int64_t now_ns) {
    std::memset(keys_, 0, sizeof keys_);
    used_ = 0;
    firings_ = 0;
    now_ns_ = since_ns_ = now_ns;
  }

  bool watches_ = false;
  uint32_t used_ = 0;
  uint32_t firings_ = 0;  // since something was new
  int64_t since_ns_ = 0;
  int64_t now_ns_ = 0;
  uint64_t keys_[kEntries]{};
};

}  // namespace esox
