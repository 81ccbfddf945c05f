// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/critical_place.h"

#include <map>
#include <vector>

#include "analysis/thread_name.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

// The operation that each thread stands before when it is replaced, by the point of that.
std::map<uint64_t, const TraceEvent*> last_events(const ExecutionRecord& record) {
  std::map<uint64_t, const TraceEvent*> events;
  for (const TraceEvent& event : record.trace) events[event.point] = &event;
  return events;
}

struct CandidateSwitch {
  FoundSwitch found;
  const TraceEvent* at;
};

std::vector<CandidateSwitch> switches_of(const ExecutionRecord& record) {
  const auto events = last_events(record);
  std::vector<CandidateSwitch> all;
  for (size_t i = 1; i < record.choices.size(); ++i) {
    const Choice& choice = record.choices[i];
    const auto at = events.find(choice.point);
    if (choice.point == 0) continue;
    all.push_back({{choice.point, record.choices[i - 1].thread, choice.thread, false},
                   at == events.end() ? nullptr : at->second});
  }
  return all;
}

// 2: at the same call, 1: in the same function.
int fit(const CandidateSwitch& one, const Input& input, Symbols& symbols,
        const CriticalPlace& wanted) {
  const std::vector<std::string> names = client_names(input);
  if (thread_name(names, one.found.from) != wanted.from ||
      thread_name(names, one.found.to) != wanted.to) {
    return 0;
  }
  if (one.at == nullptr || one.at->site == 0) return 0;
  if (symbols.site(one.at->site) == wanted.site) return 2;
  return symbols.function(one.at->site) == wanted.function ? 1 : 0;
}

}  // namespace

std::optional<CriticalPlace> critical_place(const std::string& diagnosis_json) {
  const Json json = Json::parse(diagnosis_json, nullptr, /*allow_exceptions=*/false);
  try {
    if (!json.is_object() || !json.contains("critical") || json["critical"].is_null()) return {};
    const Json& critical = json.at("critical");
    const Json& at = critical.at("switch").at("at");
    return CriticalPlace{critical.at("switch").at("from"), critical.at("switch").at("to"),
                         at.at("site"), at.at("function"), critical.at("sentence")};
  } catch (const Json::exception&) {
    return {};
  }
}

std::optional<FoundSwitch> deciding_switch(const ExecutionRecord& record, const Input& input,
                                           Symbols& symbols,
                                           const std::optional<CriticalPlace>& critical) {
  const std::vector<CandidateSwitch> all = switches_of(record);
  const CandidateSwitch* best = nullptr;
  int best_fit = 0;
  for (const CandidateSwitch& one : all) {
    const int fits = critical ? fit(one, input, symbols, *critical) : 0;
    if (fits == 0 || fits < best_fit) continue;
    best = &one;  // of equals the last one
    best_fit = fits;
  }
  if (best != nullptr) {
    FoundSwitch found = best->found;
    found.critical = true;
    return found;
  }
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->at != nullptr && (one->at->flags & kTraceSwitchedAway) != 0) return one->found;
  }
  if (all.empty()) return {};
  return all.back().found;
}

}  // namespace esox
