// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/store.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/keyvalue/bugs.h"
#include "tests/programs/machine_facts.h"

namespace keyvalue {
namespace {

const std::string kOk = "OK";
const std::string kNone = "NONE";
const std::string kNoNumber = "ERROR not a number";

std::optional<int64_t> number_in(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::optional<std::string> sum_of(const std::string& value, const std::string& more) {
  const auto a = number_in(value);
  const auto b = number_in(more);
  int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return {};
  return std::to_string(sum);
}

std::string value_reply(const std::string& value) {
  return "VALUE " + value;
}

std::string row(const Words& words) {
  std::string line = "ROW";
  for (const std::string& word : words) line += " " + word;
  return line + "\n";
}

}  // namespace

struct Store::Request {
  std::string_view name;
  size_t least;  // words after the name
  size_t most;
  std::string (Store::*execute)(const Words&);
};

const Store::Request Store::kRequests[] = {
    {"SET", 2, 2, &Store::set},
    {"CREATE", 2, 2, &Store::create},
    {"CAS", 3, 3, &Store::compare_and_set},
    {"DEL", 1, 1, &Store::remove},
    {"GET", 1, 1, &Store::get},
    {"GETS", 1, 1, &Store::get_with_version},
    {"MGET", 1, 16, &Store::get_many},
    {"SCAN", 0, 0, &Store::scan},
    {"ADD", 2, 2, &Store::add},
    {"APPEND", 2, 2, &Store::append},
    {"MOVE", 3, 3, &Store::move},
    {"SUM", 0, 0, &Store::sum},
    {"FIND", 1, 1, &Store::find_value},
    {"COUNT", 0, 0, &Store::count},
    {"STATS", 0, 0, &Store::statistics},
    {"LOG", 1, 1, &Store::log},
    {"TAIL", 0, 0, &Store::tail},
    {"PING", 0, 0, &Store::ping},
    {"CLEAR", 0, 0, &Store::clear},
    {"DUMP", 0, 0, &Store::dump},
    {"HOLD", 0, 0, &Store::hold},
    {"MACHINE", 0, 1, &Store::machine},
};

Store::Store() {
  clear({});
}

std::string Store::execute(const Words& words) {
  const auto request = std::ranges::find_if(
      kRequests, [&](const Request& known) { return !words.empty() && known.name == words[0]; });
  if (request == std::end(kRequests)) return "ERROR unknown request";
  const size_t given = words.size() - 1;
  if (given < request->least || given > request->most) return "ERROR wrong number of words";
  return (this->*request->execute)(words);
}

std::string Store::set(const Words& words) {
  const std::shared_lock latch(latch_);
  Lock lock(bucket_of(words[1]).mutex);
  return put(lock, words[1], words[2]);
}

std::string Store::create(const Words& words) {
  const std::shared_lock latch(latch_);
  Lock lock(bucket_of(words[1]).mutex);
  if (find(words[1]) != nullptr) return "ERROR exists";
  gap(lock, "check-then-act");
  return put(lock, words[1], words[2]);
}

std::string Store::compare_and_set(const Words& words) {
  const std::shared_lock latch(latch_);
  Lock lock(bucket_of(words[1]).mutex);
  if (find(words[1]) == nullptr) return kNone;
  gap(lock, "crash");
  if (find(words[1])->value != words[2]) return "ERROR changed";
  return put(lock, words[1], words[3]);
}

std::string Store::remove(const Words& words) {
  const std::string& key = words[1];
  const std::shared_lock latch(latch_);
  Bucket& bucket = bucket_of(key);
  Lock lock(bucket.mutex);
  if (find(key) == nullptr) return kNone;
  gap(lock, "wrong-error");
  if (find(key) == nullptr) return "ERROR no such record";
  const size_t slot = bucket.slots.at(key);
  const std::string value = pool_[slot].value;
  gap(lock, "double-free");
  const bool was_there = bucket.slots.erase(key) > 0;
  give_back(slot);
  if (!was_there) return kNone;
  reindex(key, value, {});
  forget_cached(key);
  account({.writes = 1, .records = uint64_t(-1)});
  return kOk;
}

std::string Store::get(const Words& words) {
  const std::string& key = words[1];
  const std::shared_lock latch(latch_);
  Lock lock(bucket_of(key).mutex);
  if (const auto value = cached(key)) {
    account({.reads = 1, .hits = 1});
    return value_reply(*value);
  }
  account({.reads = 1});
  const auto value = read(key);
  if (!value) return kNone;
  gap(lock, "stale-cache");
  const std::lock_guard cache(cache_mutex_);
  cache_[key] = *value;
  return value_reply(*value);
}

std::string Store::get_with_version(const Words& words) {
  const std::shared_lock latch(latch_);
  Lock lock(bucket_of(words[1]).mutex);
  account({.reads = 1});
  const auto value = read(words[1]);
  gap(lock, "torn-read");
  const Record* record = find(words[1]);
  if (!value || record == nullptr) return kNone;
  return value_reply(*value + " " + std::to_string(record->version));
}

std::string Store::get_many(const Words& words) {
  const auto latch = all_to_itself("split-read");
  std::string rows;
  for (size_t i = 1; i < words.size(); ++i) {
    if (const auto value = read_alone(words[i])) rows += row({words[i], *value});
  }
  return rows + kOk;
}

std::string Store::scan(const Words&) {
  const auto latch = all_to_itself("split-read");
  std::string rows;
  for (const std::string& key : keys()) {
    if (const auto value = read_alone(key)) rows += row({key, *value});
  }
  return rows + kOk;
}

std::string Store::add(const Words& words) {
  const std::shared_lock latch(latch_);
  Lock lock(bucket_of(words[1]).mutex);
  const auto sum = sum_of(read(words[1]).value_or("0"), words[2]);
  if (!sum) return kNoNumber;
  gap(lock, "lost-update");
  const std::string reply = put(lock, words[1], *sum);
  return reply == kOk ? value_reply(*sum) : reply;
}

// Reads, makes the new value with no lock, for that may take long, and writes if the record is
// still what it was; else once more.
std::string Store::append(const Words& words) {
  const std::string& key = words[1];
  const std::shared_lock latch(latch_);
  Bucket& bucket = bucket_of(key);
  Lock lock(bucket.mutex);
  const Record* found = find(key);
  if (found == nullptr) return kNone;
  Record before = *found;
  while (true) {
    lock.unlock();
    const std::string longer = before.value + words[2];
    lock.lock();
    const Record* now = find(key);
    if (now == nullptr) return kNone;
    const bool same_making = now->stamp == before.stamp || (has("aba") && now == found);
    if (same_making && now->version == before.version) return put(lock, key, longer);
    if (has("endless-retry")) continue;
    found = now;
    before = *now;
  }
}

std::string Store::move(const Words& words) {
  const std::string& from = words[1];
  const std::string& to = words[2];
  const std::shared_lock latch(latch_);
  Bucket* buckets[] = {&bucket_of(from), &bucket_of(to)};
  Lock from_lock(buckets[0]->mutex, std::defer_lock);
  Lock to_lock(buckets[1]->mutex, std::defer_lock);
  const bool two = buckets[0] != buckets[1];
  const bool from_first = !two || buckets[0] < buckets[1] || has("lock-order");
  (from_first ? from_lock : to_lock).lock();
  if (two) (from_first ? to_lock : from_lock).lock();
  const auto held = read(from);
  const auto left = sum_of(held.value_or(""), "-" + words[3]);
  if (!left || from == to) return kNoNumber;
  if (has("dirty-read")) put(from_lock, from, *left);
  gap(from_lock, "dirty-read");
  const auto more = sum_of(read(to).value_or("0"), words[3]);
  if (!more && has("dirty-read")) put(from_lock, from, *held);
  if (!more) return kNoNumber;
  if (!has("dirty-read")) put(from_lock, from, *left);
  return put(two ? to_lock : from_lock, to, *more);
}

std::string Store::sum(const Words&) {
  const auto latch = all_to_itself("split-read");
  std::string sum = "0";
  for (const std::string& key : keys()) {
    sum = sum_of(sum, read_alone(key).value_or("0")).value_or(sum);
  }
  return value_reply(sum);
}

std::string Store::find_value(const Words& words) {
  const auto latch = all_to_itself("find-then-fetch");
  Words found;
  {
    const std::lock_guard lock(index_mutex_);
    for (auto entry = index_.lower_bound({words[1], ""});
         entry != index_.end() && entry->first == words[1]; ++entry) {
      found.push_back(entry->second);
    }
  }
  std::string rows;
  for (const std::string& key : found) {
    const Lock lock(bucket_of(key).mutex);
    const Record* record = find(key);
    if (record != nullptr) rows += row({key, std::to_string(record->version)});
  }
  return rows + kOk;
}

std::string Store::count(const Words&) {
  const std::unique_lock latch(latch_);
  const std::lock_guard lock(counters_mutex_);
  return value_reply(std::to_string(counters_.records));
}

std::string Store::statistics(const Words&) {
  const std::unique_lock latch(latch_);
  const std::lock_guard lock(counters_mutex_);
  return row({"reads", std::to_string(counters_.reads)}) +
         row({"hits", std::to_string(counters_.hits)}) +
         row({"writes", std::to_string(counters_.writes)}) +
         row({"records", std::to_string(counters_.records)}) + kOk;
}

std::string Store::log(const Words& words) {
  journal_.append(words[1]);
  return kOk;
}

std::string Store::tail(const Words&) {
  const Words lines = journal_.lines();
  return lines.empty() ? kNone : value_reply(lines.back());
}

std::string Store::ping(const Words&) {
  return kOk;
}

std::string Store::clear(const Words&) {
  const std::unique_lock latch(latch_);
  for (Bucket& bucket : buckets_) bucket.slots.clear();
  free_.resize(kSlots);
  std::iota(free_.rbegin(), free_.rend(), 0);
  index_.clear();
  cache_.clear();
  counters_ = {};
  journal_.clear();
  return kOk;
}

// Whoever needs it alone, DUMP among them, waits from then on.
std::string Store::hold(const Words&) {
  std::shared_lock(latch_).release();
  return kOk;
}

// Nothing is changed by it, and nothing left out: what of it should agree, esox looks at.
std::string Store::dump(const Words& words) {
  std::string rows;
  for (const std::string& line : journal_.lines()) rows += row({"journal", line});
  const std::string counters = statistics(words);
  const std::unique_lock latch(latch_);
  for (const Bucket& bucket : buckets_) {
    for (const auto& [key, slot] : bucket.slots) {
      const Record& record = pool_[slot];
      rows += row({"record", key, record.value, std::to_string(record.version)});
      rows += row({"slot", std::to_string(slot), key});
    }
  }
  for (const size_t slot : free_) rows += row({"slot", std::to_string(slot)});
  for (const auto& [value, key] : index_) rows += row({"index", key, value});
  for (const auto& [key, value] : cache_) rows += row({"cache", key, value});
  return rows + counters;
}

Store::Bucket& Store::bucket_of(const std::string& key) {
  return buckets_[std::accumulate(key.begin(), key.end(), size_t{0}) % kBuckets];
}

Store::Record* Store::find(const std::string& key) {
  Bucket& bucket = bucket_of(key);
  const auto found = bucket.slots.find(key);
  return found == bucket.slots.end() ? nullptr : &pool_[found->second];
}

std::optional<std::string> Store::read(const std::string& key) {
  const Record* record = find(key);
  if (record == nullptr) return {};
  return record->value;
}

std::string Store::put(Lock& lock, const std::string& key, const std::string& value) {
  const auto before = read(key);
  if (!before) {
    const auto slot = take_slot();
    if (!slot) return "ERROR full";
    bucket_of(key).slots[key] = *slot;
  }
  Record& record = *find(key);
  record.value = value;
  ++record.version;
  forget_cached(key);
  account({.writes = 1, .records = before ? 0u : 1u});
  gap(lock, "index-damage");
  reindex(key, before, value);
  return kOk;
}

void Store::reindex(const std::string& key, const std::optional<std::string>& from,
                    const std::optional<std::string>& to) {
  const std::lock_guard lock(index_mutex_);
  if (from) index_.erase({*from, key});
  if (to) index_.insert({*to, key});
}

void Store::forget_cached(const std::string& key) {
  const std::lock_guard lock(cache_mutex_);
  cache_.erase(key);
}

std::optional<std::string> Store::cached(const std::string& key) {
  const std::lock_guard lock(cache_mutex_);
  const auto found = cache_.find(key);
  if (found == cache_.end()) return {};
  return found->second;
}

// The latch is given back by the process's end alone.
void Store::keep(const std::string& file) {
  std::unique_lock latch(latch_);
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream kept(file);
  for (const std::string& key : keys()) kept << "SET " << key << ' ' << *read_alone(key) << '\n';
  kept.close();
  if (!has("early-keep")) latch.release();
}

void Store::take_on(const std::string& file) {
  std::ifstream kept(file);
  for (std::string name, key, value; kept >> name >> key >> value;) execute({name, key, value});
}

std::unique_lock<std::shared_mutex> Store::all_to_itself(std::string_view unless) {
  if (has(unless)) return {};
  return std::unique_lock(latch_);
}

Words Store::keys() {
  Words all;
  for (Bucket& bucket : buckets_) {
    const Lock lock(bucket.mutex);
    for (const auto& [key, slot] : bucket.slots) all.push_back(key);
  }
  std::ranges::sort(all);
  return all;
}

std::optional<std::string> Store::read_alone(const std::string& key) {
  const Lock lock(bucket_of(key).mutex);
  return read(key);
}

std::optional<size_t> Store::take_slot() {
  const std::lock_guard lock(pool_mutex_);
  if (free_.empty()) return {};
  const size_t slot = free_.back();
  free_.pop_back();
  pool_[slot] = Record{"", 0, ++stamps_};
  return slot;
}

void Store::give_back(size_t slot) {
  const std::lock_guard lock(pool_mutex_);
  free_.push_back(slot);
}

void Store::account(const Counters& more) {
  Lock lock(counters_mutex_);
  Counters now = counters_;
  gap(lock, "counter-drift");
  now.reads += more.reads;
  now.hits += more.hits;
  now.writes += more.writes;
  now.records += more.records;
  counters_ = now;
}

// Of one request at a time, as all that makes files of one name.
std::string Store::machine(const Words& words) {
  const std::unique_lock latch(latch_);
  if (words.size() > 1) return machine::make_files(), kOk;
  std::string rows;
  for (const auto& [name, value] : machine::all_facts()) rows += row({name, value});
  return rows + kOk;
}

}  // namespace keyvalue
