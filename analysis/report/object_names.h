// SPDX-License-Identifier: Apache-2.0
// Short, stable names for the objects of a trace: mutex#3, file test/t1.MAD.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

class ObjectNames {
 public:
  // Numbers all objects of the record's trace by kind, in the order of first use. The record and
  // the symbols must outlive this.
  ObjectNames(const ExecutionRecord& record, const Symbols& symbols);

  // "mutex#3", "test/t1.MAD"; "" for no object.
  const std::string& name(OpKind kind, uint64_t object) const;

  struct Entry {
    std::string name;
    std::string meaning;  // "LOCK_open in the server's static data", "/full/path", "at 0x7f.."
  };
  // All objects in the order of first use.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::string meaning(uint64_t object, const ExecutionRecord& record, const Symbols& symbols) const;

  std::map<std::pair<std::string, uint64_t>, std::string> names_;  // by kind of object
  std::vector<Entry> entries_;
};

}  // namespace esox
