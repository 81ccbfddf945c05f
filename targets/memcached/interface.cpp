// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/interface.h"

#include <algorithm>
#include <utility>

#include "summaries/render.h"
#include "targets/server_state.h"

namespace esox {
namespace {

constexpr ComponentFacts kComponents[] = {
    {.name = "items", .has_keys = true},
    {.name = "counters", .has_keys = true},
    kObservationFacts,
};

// Left out are connections, memory of the process, time, and everything per thread of the server.
constexpr const char* const kCounters[] = {
    "curr_items",    "bytes",      "evictions",   "cmd_get",    "cmd_set",
    "cmd_flush",     "cmd_touch",  "get_hits",    "get_misses", "delete_hits",
    "delete_misses", "incr_hits",  "incr_misses", "decr_hits",  "decr_misses",
    "cas_hits",      "cas_misses", "cas_badval",  "touch_hits"};

std::string unavailability(const Output& output) {
  if (!output.answered) return "the server gave no reply: " + output.message;
  if (output.error != 0) return "the server said: " + output.message;
  return "";
}

std::string text_at(const Row& row, size_t place) {
  return place < row.size() && row[place] ? *row[place] : "";
}

}  // namespace

std::span<const ComponentFacts> memcached_components() {
  return kComponents;
}

MemcachedInterface::MemcachedInterface(Ask own, std::vector<std::string> keys,
                                       std::vector<std::string> observations,
                                       Identities& identities)
    : own_(std::move(own)),
      keys_(std::move(keys)),
      observations_(std::move(observations)),
      identities_(identities) {
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
}

std::vector<Component> MemcachedInterface::take() {
  std::vector<Component> components = {items()};
  components.push_back(counters());
  for (const std::string& request : observations_)
    components.push_back(observe(own_, request, &identities_));
  // By the time this is answered, the server is done with what came before it (a connection lets go
  // of the items it sent only after sending them); who looks into its memory finds it at rest.
  own_("version");
  set_meanings(components, memcached_components());
  return components;
}

Component MemcachedInterface::counters() {
  ComponentBuilder builder("counters", ComponentKind::kMap);
  const Output output = own_("stats");
  if (std::string why = unavailability(output); !why.empty()) builder.fail(std::move(why));
  for (const ResultSet& result : output.results) {
    for (const Row& row : result.rows) {
      const std::string name = text_at(row, 0);
      const auto wanted = std::find(std::begin(kCounters), std::end(kCounters), name);
      if (wanted != std::end(kCounters)) builder.add(Element{name, text_at(row, 1)});
    }
  }
  return std::move(builder).build();
}

// By key, so that unique numbers are named in an order that does not depend on the execution.
Component MemcachedInterface::items() {
  ComponentBuilder builder("items", ComponentKind::kMap);
  for (const std::string& key : keys_) {
    const Output output = own_("gets " + key);
    if (std::string why = unavailability(output); !why.empty()) builder.fail(std::move(why));
    for (const ResultSet& result : output.results) {
      for (const Row& row : result.rows) {
        const Row shown = {text_at(row, 1), text_at(row, 2)};
        builder.add(Element{text_at(row, 0),
                            render_row(shown) + ", unique " + identities_.name(text_at(row, 3))});
      }
    }
  }
  return std::move(builder).build();
}

}  // namespace esox
