// SPDX-License-Identifier: Apache-2.0
// Reading optional fields of the JSON files that esox itself has written.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "harness/records/worker_time.h"
#include "harness/records/reports/report_error.h"

namespace esox {

// The value of `key`, or what is there already if the key is missing or null. Throws
// nlohmann::json::exception for a value of a wrong kind.
template <class T>
void take(const nlohmann::json& json, const char* key, T& value) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_null()) value = found->get<T>();
}

// Adds to `list` what `read_one(json, element)` makes of each; nothing if the key is missing or
// null. Throws ReportError if it is no list, and what `read_one` throws.
template <class T, class ReadOne>
void take_list(const nlohmann::json& json, const char* key, std::vector<T>& list,
               ReadOne read_one) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return;
  if (!found->is_array()) throw ReportError(fmt::format("'{}' is not a list", key));
  for (const nlohmann::json& one : *found) read_one(one, list.emplace_back());
}

// "worker_seconds", as hunt.json and night.json have it.
inline void take_worker_time(const nlohmann::json& json, WorkerTime& time) {
  const auto found = json.find("worker_seconds");
  if (found == json.end()) return;
  take(*found, "executing", time.executing_s);
  take(*found, "preparing", time.preparing_s);
  take(*found, "other", time.other_s);
}

}  // namespace esox
