// SPDX-License-Identifier: Apache-2.0
#include "analysis/trace_equality.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/operation_text.h"

namespace esox {
namespace {

// One side, read event by event.
class TraceReader {
 public:
  explicit TraceReader(const std::vector<Module>& modules) : modules_(modules) {}

  // 0 stays 0: "no object" is no name.
  size_t object_number(uint64_t object) {
    if (object == 0) return 0;
    return numbers_.try_emplace(object, numbers_.size() + 1).first->second;
  }

  std::string site(uint64_t address) {
    auto& text = sites_[address];
    if (text.empty()) text = module_relative(address);
    return text;
  }

 private:
  std::string module_relative(uint64_t address) const {
    for (const Module& module : modules_) {
      if (address < module.begin || address >= module.end) continue;
      const size_t slash = module.path.rfind('/');
      const std::string name =
          slash == std::string::npos ? module.path : module.path.substr(slash + 1);
      return fmt::format("{}+{:#x}", name, address - module.load_base);
    }
    return fmt::format("{:#x}", address);
  }

  const std::vector<Module>& modules_;
  std::unordered_map<uint64_t, size_t> numbers_;
  std::unordered_map<uint64_t, std::string> sites_;
};

std::string event_text(const TraceEvent& event, TraceReader& reader) {
  std::string object;
  if (event.object != 0) object = fmt::format(" object {}", reader.object_number(event.object));
  return fmt::format("thread {} {} {}{} at {} flags {:#x}", event.thread,
                     operation_name(event.kind), object_kind(event.kind), object,
                     reader.site(event.site), event.flags);
}

bool same_event(const TraceEvent& a, TraceReader& first, const TraceEvent& b, TraceReader& second) {
  // Both numbers are asked for in any case, so that numbering keeps step.
  const bool same_object = first.object_number(a.object) == second.object_number(b.object);
  return same_object && a.thread == b.thread && a.kind == b.kind && a.flags == b.flags &&
         first.site(a.site) == second.site(b.site);
}

}  // namespace

TraceDifference compare_traces(std::span<const TraceEvent> first,
                               const std::vector<Module>& first_modules,
                               std::span<const TraceEvent> second,
                               const std::vector<Module>& second_modules) {
  TraceReader first_reader(first_modules);
  TraceReader second_reader(second_modules);
  const size_t common = std::min(first.size(), second.size());
  for (size_t i = 0; i < common; ++i) {
    if (same_event(first[i], first_reader, second[i], second_reader)) continue;
    return {
        false, i,
        fmt::format("event {} of {} and {} differs: {} | {}", i + 1, first.size(), second.size(),
                    event_text(first[i], first_reader), event_text(second[i], second_reader))};
  }
  if (first.size() == second.size()) return {};
  const bool first_longer = first.size() > second.size();
  return {false, common,
          fmt::format("the first {} events are equal, then the {} trace goes on: {}", common,
                      first_longer ? "first" : "second",
                      first_longer ? event_text(first[common], first_reader)
                                   : event_text(second[common], second_reader))};
}

}  // namespace esox
