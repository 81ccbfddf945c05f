// SPDX-License-Identifier: Apache-2.0
// A table in memory with a secondary index, a read cache, counters and a journal.
//
// A request is a line of words, a reply any number of lines "ROW ..." and a last line that is not
// one: "OK", "NONE" (no such key), "VALUE ...", "ERROR ...".
//
//   SET key value      CREATE key value   CAS key old new    DEL key
//   GET key            GETS key (value and version)          MGET key...     SCAN
//   ADD key number     APPEND key text    MOVE from to number                SUM
//   FIND value (keys and versions)        COUNT              STATS
//   LOG text           TAIL (last line)   PING               CLEAR
//   DUMP (all that is there, also what no other request tells)          HOLD (for good, the latch)
//   MACHINE files (makes some), MACHINE (what the machine tells: tests/programs/machine_facts.h)
//
// Locks, in the order in which they are taken: latch_ (shared by requests of one or two keys,
// alone by those of all), then the buckets' by their number, then one of the index, cache, pool,
// counters at a time. Until its last change a request keeps the latch and the buckets of its keys,
// so that each is one atomic step; that is what the bugs (bugs.h) break.
//
// Any thread may call execute().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/keyvalue/journal.h"

namespace keyvalue {

using Words = std::vector<std::string>;

class Store {
 public:
  Store();
  std::string execute(const Words& words);

  // Of a server that ends, what the next one begins with: its requests, line by line. No request is
  // served any more.
  void keep(const std::string& file);
  void take_on(const std::string& file);

 private:
  struct Record {
    std::string value;
    uint64_t version = 0;  // counts this record's changes, from 1
    uint64_t stamp = 0;    // of this making of this record: none has had it before
  };
  struct Bucket {
    std::mutex mutex;
    std::map<std::string, size_t> slots;  // by key
  };
  struct Counters {
    uint64_t reads = 0;
    uint64_t hits = 0;  // of them: in the cache
    uint64_t writes = 0;
    uint64_t records = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  std::string set(const Words& words);
  std::string create(const Words& words);
  std::string compare_and_set(const Words& words);
  std::string remove(const Words& words);
  std::string get(const Words& words);
  std::string get_with_version(const Words& words);
  std::string get_many(const Words& words);
  std::string scan(const Words& words);
  std::string add(const Words& words);
  std::string append(const Words& words);
  std::string move(const Words& words);
  std::string sum(const Words& words);
  std::string find_value(const Words& words);
  std::string count(const Words& words);
  std::string statistics(const Words& words);
  std::string log(const Words& words);
  std::string tail(const Words& words);
  std::string ping(const Words& words);
  std::string clear(const Words& words);
  std::string dump(const Words& words);
  std::string hold(const Words& words);
  std::string machine(const Words& words);
  struct Request;
  static const Request kRequests[];

  Bucket& bucket_of(const std::string& key);
  // With the key's bucket locked.
  Record* find(const std::string& key);
  std::optional<std::string> read(const std::string& key);
  std::string put(Lock& lock, const std::string& key, const std::string& value);  // the reply
  void reindex(const std::string& key, const std::optional<std::string>& from,
               const std::optional<std::string>& to);
  void forget_cached(const std::string& key);
  std::optional<std::string> cached(const std::string& key);

  // For those who have the latch alone.
  std::unique_lock<std::shared_mutex> all_to_itself(std::string_view unless);
  Words keys();
  std::optional<std::string> read_alone(const std::string& key);

  std::optional<size_t> take_slot();
  void give_back(size_t slot);
  void account(const Counters& more);

  static constexpr size_t kBuckets = 4;
  static constexpr size_t kSlots = 16;  // records at most

  std::shared_mutex latch_;
  std::array<Bucket, kBuckets> buckets_;
  std::array<Record, kSlots> pool_;
  std::mutex pool_mutex_;  // guards the next two
  std::vector<size_t> free_;
  uint64_t stamps_ = 0;
  std::mutex index_mutex_;
  std::set<std::pair<std::string, std::string>> index_;  // value and key
  std::mutex cache_mutex_;
  std::map<std::string, std::string> cache_;  // value by key
  std::mutex counters_mutex_;
  Counters counters_;
  Journal journal_;
};

}  // namespace keyvalue
