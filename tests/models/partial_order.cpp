// SPDX-License-Identifier: Apache-2.0
#include "tests/models/partial_order.h"

#include <algorithm>
#include <numeric>

#include "preload/strategy/conflict.h"

namespace esox::model {

std::string partial_order_of(const Program& program, const std::vector<ThreadId>& order) {
  std::vector<size_t> next(program.threads.size());
  std::vector<Pending> events;
  std::vector<size_t> layers;
  std::vector<std::string> names;  // of the layers
  for (const ThreadId thread : order) {
    const Operation& operation = program.threads[thread][next[thread]++];
    const Pending event{thread, operation.kind, operation.object, 0};
    size_t layer = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      const bool ordered = events[i].thread == thread || dependent(events[i], event);
      if (ordered) layer = std::max(layer, layers[i] + 1);
    }
    events.push_back(event);
    layers.push_back(layer);
    if (layer == names.size()) names.emplace_back(program.threads.size(), '.');
    names[layer][thread] = static_cast<char>('0' + thread);
  }
  std::string name;
  for (const std::string& layer : names) name += layer + ' ';
  return name;
}

std::map<std::string, uint64_t> partial_orders_seen(const Program& program, const char* strategy,
                                                    uint32_t runs) {
  Holder holder(strategy);
  const std::vector<uint32_t> points = points_of_threads(program);
  std::map<std::string, uint64_t> seen;
  for (uint32_t seed = 1; seed <= runs; ++seed) {
    const ExecutionInfo info{
        .seed = seed,
        .threads = static_cast<uint32_t>(program.threads.size()),
        .expected_points = std::accumulate(points.begin(), points.end(), uint64_t{0}),
        .points_of_thread = points};
    ++seen[partial_order_of(program, run(program, *holder, info, Offer::kEveryPoint).order)];
  }
  return seen;
}

}  // namespace esox::model
