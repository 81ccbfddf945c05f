// SPDX-License-Identifier: Apache-2.0
// A set of preemption points: before which operations a running thread may be replaced. By classes
// of operations, and by single call sites.
#pragma once

#include <cstdint>
#include <set>

#include "preload/strategy/strategy.h"

namespace esox::exhaustive {

enum class PointClass : uint8_t {
  kLocks,     // before locks are taken, of all kinds
  kReleases,  // after they are given back
  kWaits,     // condition variables, semaphores, barriers, futexes
  kMemory,    // atomics and plain accesses, of programs that tell them
  kFiles,     // files, folders, sockets
  kOthers     // threads begin, yield, sleep, poll
};
inline constexpr int kPointClasses = 6;

PointClass class_of(OpKind kind);
const char* name_of(PointClass c);

class PointSet {
 public:
  static PointSet none() { return {}; }
  static PointSet all();
  static PointSet of(PointClass c);

  void add(PointClass c) { classes_ |= 1u << static_cast<int>(c); }
  // One call site of operations of that class.
  void add(PointClass c, uint64_t site) { sites_.insert({c, site}); }

  bool has(PointClass c) const { return (classes_ >> static_cast<int>(c) & 1) != 0; }
  bool has(PointClass c, uint64_t site) const { return has(c) || sites_.count({c, site}) != 0; }
  bool has(const Pending& operation) const { return has(class_of(operation.kind), operation.site); }
  bool contains(const PointSet& other) const;
  bool operator==(const PointSet& other) const = default;

  uint32_t classes() const { return classes_; }
  const std::set<std::pair<PointClass, uint64_t>>& sites() const { return sites_; }

 private:
  uint32_t classes_ = 0;  // bit per PointClass
  std::set<std::pair<PointClass, uint64_t>> sites_;
};

}  // namespace esox::exhaustive
