// SPDX-License-Identifier: Apache-2.0
// Histories of a small shared object, made at random, and a checker of them that knows nothing of
// esox: what analysis/ says of an execution is held against it.
//
// The object has registers, a bag and a cache. A history is what each client asked, when it asked
// and was answered, the replies, and what the object held at the end. It is linearizable if some
// order of all calls keeps each client's own order and real time (what was answered before another
// one was asked comes first), and the sequential object, taking them in that order, gives the same
// replies and holds the same at the end. The date that a call asks for is anybody's guess, members
// of the bag come in any order, and a cache may hold less than it could. A client whose connection
// another one ends asks no more, and of the call that it was about it is not told: that may be in
// the order, with any reply, or not.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace esox::oracle {

enum class Verb { kRead, kWrite, kAdd, kTake, kPut, kMembers, kLook, kDate, kKill };

struct Call {
  Verb verb = Verb::kRead;
  int object = 0;  // register; of kKill the client whose connection it ends
  int value = 0;   // written, added, put
};

struct Reply {
  int error = 0;
  std::vector<int> values;
  bool none = false;  // it did not come, for the connection was ended
  bool operator==(const Reply&) const = default;
};

// The sequential object: one call after the other.
struct Object {
  std::array<int, 2> registers{};
  std::vector<int> bag;
  std::map<int, int> cache;  // register -> its value when it was looked at last
  int killed = -1;           // whose connection was ended

  Reply take(const Call& call, int date, size_t client);
  auto operator<=>(const Object&) const = default;  // NOLINT(modernize-use-nullptr)
};

inline constexpr uint64_t kNotAtAll = UINT64_MAX;

struct TimedCall {
  Call call;
  Reply reply;
  uint64_t asked = kNotAtAll;
  uint64_t answered = kNotAtAll;
};

struct History {
  std::vector<std::vector<TimedCall>> clients;
  Object end;
};

// Of 2 to 4 clients with 4 calls in all as a rule, at most 6; in one of four a client is killed.
// Made by taking the calls somewhere between their beginning and their end, which is linearizable;
// then every other one is corrupted, which may leave it so.
History random_history(std::mt19937_64& random);

// Whether these tell the same of the call.
bool same_reply(const Call& call, Reply seen, Reply expected);
bool same_end(const Object& seen, const Object& expected);

// By brute force: every order of all calls is tried.
struct Truth {
  size_t linearizations = 0;  // orders that give the history, each of the calls that are in it
  bool replies_fit = false;   // some order that real time allows gives the replies
};
Truth check(const History& history);
// Somebody was not told of a call.
bool is_cut_off(const History& history);

std::string text_of(const History& history);

}  // namespace esox::oracle
