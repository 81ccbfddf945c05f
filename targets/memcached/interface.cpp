// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/interface.h"

#include <algorithm>
#include <utility>

#include "summaries/render.h"
#include "targets/memcached/meta_flags.h"
#include "targets/memcached/request.h"
#include "targets/server_state.h"

namespace esox {
namespace {

constexpr ComponentFacts kComponents[] = {
    {.name = "items", .has_keys = true},
    {.name = "lifetimes", .has_keys = true},
    {.name = "counters", .meaning = ComponentMeaning::kDerived, .has_keys = true},
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

constexpr std::string_view kMiss = "EN";  // of a meta command

std::string meta_get(const std::string& key, const std::string& flags) {
  if (is_plain_key(key)) return "mg " + key + " " + flags;
  return "mg " + to_base64(key) + " b " + flags;
}

std::string shown_key(const std::string& key) {
  return is_plain_key(key) ? key : "base64 " + to_base64(key);
}

// Of a reply to `mg KEY t u`: code, when it expires, marks. Empty: nothing limits it.
std::string limit_of(const Row& row) {
  std::string limit;
  const auto add = [&](const std::string& what) { limit += (limit.empty() ? "" : ", ") + what; };
  const std::string seconds = text_at(row, 1);
  const std::string marks = text_at(row, 2);
  if (!seconds.empty() && seconds != "-1") add("expires in " + seconds + " s");
  if (marks.find('X') != std::string::npos) add("stale");
  if (marks.find('Z') != std::string::npos) add("a client is to recache it");
  return limit;
}

}  // namespace

std::span<const ComponentFacts> memcached_components() {
  return kComponents;
}

MemcachedSubject subject_of(const Input& input) {
  MemcachedSubject subject;
  const auto add = [&](const std::string& text) {
    const MemcachedRequest request = memcached_request(text);
    subject.keys.insert(subject.keys.end(), request.keys.begin(), request.keys.end());
    subject.lifetimes = subject.lifetimes || limits_lifetime(request);
  };
  for (const std::string& text : input.setup) add(text);
  for (const InputClient& client : input.clients) {
    for (const std::string& text : client.setup) add(text);
    for (const Request& request : client.requests) add(request.text);
  }
  subject.observations = input.observations;
  return subject;
}

MemcachedInterface::MemcachedInterface(Ask own, MemcachedSubject subject, Identities& identities)
    : own_(std::move(own)), subject_(std::move(subject)), identities_(identities) {
  std::vector<std::string>& keys = subject_.keys;
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::vector<Component> MemcachedInterface::take() {
  std::vector<Component> components = {items()};
  if (std::optional<Component> limits = lifetimes()) components.push_back(std::move(*limits));
  components.push_back(counters());
  for (const std::string& request : subject_.observations)
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
      const auto wanted = std::ranges::find(kCounters, name);
      if (wanted != std::end(kCounters)) builder.add(Element{name, text_at(row, 1)});
    }
  }
  return std::move(builder).build();
}

// By key, so that unique numbers are named in an order that does not depend on the execution.
Component MemcachedInterface::items() {
  ComponentBuilder builder("items", ComponentKind::kMap);
  for (const std::string& key : subject_.keys) {
    const Output output = own_(is_plain_key(key) ? "gets " + key : meta_get(key, "f v c"));
    if (std::string why = unavailability(output); !why.empty()) builder.fail(std::move(why));
    for (const ResultSet& result : output.results) {
      for (const Row& row : result.rows) {
        if (text_at(row, 0) == kMiss) continue;
        const bool plain = is_plain_key(key);  // else the row is code, value, flags, unique
        const Row shown = {text_at(row, plain ? 1 : 2), text_at(row, plain ? 2 : 1)};
        builder.add(Element{shown_key(key),
                            render_row(shown) + ", unique " + identities_.name(text_at(row, 3))});
      }
    }
  }
  return std::move(builder).build();
}

// After the items: who asks by `mg` for one that is stale becomes the one to recache it.
std::optional<Component> MemcachedInterface::lifetimes() {
  if (!subject_.lifetimes) return {};
  ComponentBuilder builder("lifetimes", ComponentKind::kMap);
  for (const std::string& key : subject_.keys) {
    const Output output = own_(meta_get(key, "t u"));
    if (output.answered && output.error != 0) return {};  // an old one, without meta commands
    if (std::string why = unavailability(output); !why.empty()) builder.fail(std::move(why));
    for (const ResultSet& result : output.results) {
      for (const Row& row : result.rows) {
        const std::string limit = limit_of(row);
        if (!limit.empty()) builder.add(Element{shown_key(key), limit});
      }
    }
  }
  return std::move(builder).build();
}

}  // namespace esox
