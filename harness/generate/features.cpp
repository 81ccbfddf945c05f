// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/features.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/comparison.h"
#include "analysis/held_locks.h"
#include "analysis/stable_sites.h"
#include "base/text/enum_names.h"

namespace esox {
namespace {

constexpr unsigned kKindShift = 56;
// By kind. A pair is what everything is measured by. Kinds of requests make many of one, and a lock
// order or a trouble is rare and close to what goes wrong.
constexpr std::array<double, kFeatureKinds> kWeights = {1, 0.2, 2, 10, 1, 3};

uint64_t hash_of_numbers(std::initializer_list<uint64_t> numbers) {
  return XXH3_64bits(numbers.begin(), numbers.size() * sizeof(uint64_t));
}

uint64_t hash_of_text(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

void tidy(Features& features) {
  std::ranges::sort(features);
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

// The kinds of an input's requests, as hashes: by client and request.
std::vector<std::vector<uint64_t>> kinds_of_requests(const Input& input) {
  std::vector<std::vector<uint64_t>> kinds;
  for (const InputClient& client : input.clients) {
    std::vector<uint64_t>& own = kinds.emplace_back();
    for (const Request& request : client.requests) {
      own.push_back(hash_of_text(input.language->kind(request.text)));
    }
  }
  return kinds;
}

using Shown = std::vector<ShownFeature>;

void add_pairs(const Input& input, std::span<const Meeting> meetings, Shown& shown) {
  const std::vector<std::vector<uint64_t>> kinds = kinds_of_requests(input);
  const auto kind_of_request = [&](const RequestId& id) {
    if (id.client >= kinds.size() || kinds[id.client].empty()) return uint64_t{0};
    return kinds[id.client][std::min(id.request, kinds[id.client].size() - 1)];
  };
  for (const Meeting& meeting : meetings) {
    const RequestId one{meeting.requests.thread, meeting.requests.request};
    const RequestId other{meeting.requests.other_thread, meeting.requests.other_request};
    const uint64_t first = kind_of_request(one);
    const uint64_t second = kind_of_request(other);
    shown.push_back(
        {make_feature(FeatureKind::kPair, hash_of_numbers({meeting.sites})), one, other});
    shown.push_back({make_feature(FeatureKind::kPairOfKinds,
                                  hash_of_numbers({meeting.sites, std::min(first, second),
                                                   std::max(first, second)})),
                     one, other});
  }
}

void add_lock_orders(const ExecutionRecord& record, size_t clients, Shown& shown) {
  StableSites sites(record.modules);
  for (size_t client = 0; client < clients; ++client) {
    LockWalk walk(record.trace, static_cast<ThreadId>(client));
    size_t begun = 0;
    for (; walk.ahead() != nullptr; walk.pass()) {
      const TraceEvent& event = *walk.ahead();
      begun += event.kind == OpKind::kRequestBegin ? 1 : 0;
      if (!asks_for_lock(event)) continue;
      const RequestId id{client, begun - std::min<size_t>(begun, 1)};
      for (const HeldLock& held : walk.held()) {
        if (held.object == event.object) continue;  // recursive
        shown.push_back(
            {make_feature(FeatureKind::kLockOrder,
                          hash_of_numbers({sites.hash(held.site), sites.hash(event.site)})),
             id, id});
      }
    }
  }
}

void add_errors(const ExecutionRecord& record, const Input& input, Shown& shown) {
  const auto& outputs = record.outcome.outputs;
  for (size_t c = 0; c < outputs.size() && c < input.clients.size(); ++c) {
    const std::vector<Request>& requests = input.clients[c].requests;
    for (size_t r = 0; r < outputs[c].size() && r < requests.size(); ++r) {
      if (outputs[c][r].error == 0) continue;
      const uint64_t kind = hash_of_text(input.language->kind(requests[r].text));
      const RequestId id{c, r};
      shown.push_back(
          {make_feature(FeatureKind::kError, hash_of_numbers({kind, outputs[c][r].error})), id,
           id});
    }
  }
}

// The kinds of all requests in some order that no other input's clients change.
uint64_t kinds_in_all(const Input& input) {
  std::vector<uint64_t> all;
  for (const std::vector<uint64_t>& client : kinds_of_requests(input)) {
    all.insert(all.end(), client.begin(), client.end());
  }
  std::ranges::sort(all);
  return XXH3_64bits(all.data(), all.size() * sizeof(uint64_t));
}

bool all_succeed(const Outcome& outcome) {
  return std::ranges::all_of(outcome.outputs, [](const auto& client) {
    return std::ranges::all_of(client, [](const Output& output) { return output.error == 0; });
  });
}

// "rows" of "rows:t1": a part of the state without the name of what is in it.
std::string_view family_of(std::string_view component) {
  return component.substr(0, component.find(':'));
}

}  // namespace

const char* feature_name(FeatureKind kind) {
  static constexpr const char* kNames[] = {"pairs",    "pairs of kinds", "lock orders",
                                           "troubles", "errors",         "sensitivities"};
  return name_in(kNames, kind);
}

Feature make_feature(FeatureKind kind, uint64_t hash) {
  constexpr uint64_t kHashBits = (uint64_t{1} << kKindShift) - 1;
  return (hash & kHashBits) | static_cast<uint64_t>(kind) << kKindShift;
}

FeatureKind kind_of(Feature feature) {
  return static_cast<FeatureKind>(feature >> kKindShift);
}

double weight_of(Feature feature) {
  const auto kind = static_cast<size_t>(feature >> kKindShift);
  return kind < kFeatureKinds ? kWeights[kind] : 0;
}

std::vector<ShownFeature> features_shown(const ExecutionRecord& record, const Input& input,
                                         std::span<const Meeting> meetings) {
  Shown shown;
  add_pairs(input, meetings, shown);
  add_lock_orders(record, input.clients.size(), shown);
  add_errors(record, input, shown);
  return shown;
}

Features features_of(std::span<const ShownFeature> shown) {
  Features features;
  features.reserve(shown.size());
  for (const ShownFeature& one : shown) features.push_back(one.feature);
  tidy(features);
  return features;
}

// Those that showed in few places first: they leave the least choice.
RequestSet requests_behind(const Features& wanted, std::span<const ShownFeature> shown) {
  std::map<Feature, std::set<std::pair<RequestId, RequestId>>> places;
  for (const ShownFeature& one : shown) {
    if (std::ranges::binary_search(wanted, one.feature)) {
      places[one.feature].emplace(one.one, one.other);
    }
  }
  std::vector<const std::set<std::pair<RequestId, RequestId>>*> order;
  order.reserve(places.size());
  for (const auto& [feature, in] : places) order.push_back(&in);
  std::ranges::stable_sort(order,
                           [](const auto* a, const auto* b) { return a->size() < b->size(); });
  RequestSet behind;
  for (const auto* in : order) {
    const bool had = std::ranges::any_of(*in, [&](const auto& pair) {
      return behind.contains(pair.first) && behind.contains(pair.second);
    });
    if (had) continue;
    behind.insert(in->begin()->first);
    behind.insert(in->begin()->second);
  }
  return behind;
}

Features features_of(std::span<const Prediction> predictions) {
  Features features;
  for (const Prediction& one : predictions) {
    features.push_back(make_feature(FeatureKind::kTrouble, hash_of_text(one.id)));
  }
  tidy(features);
  return features;
}

Features features_of(std::span<const SerialRun> runs, const Input& input) {
  Features features;
  if (runs.size() < 2 || !runs[0].infeasible.empty() || !runs[1].infeasible.empty()) return {};
  const Outcome& one = runs[0].first;
  const Outcome& other = runs[1].first;
  if (!all_succeed(one) || !all_succeed(other)) return {};
  const uint64_t kinds = kinds_in_all(input);
  const Comparison comparison = compare(other, one, {});
  const auto add = [&](std::string_view part) {
    features.push_back(
        make_feature(FeatureKind::kSensitivity, hash_of_numbers({kinds, hash_of_text(part)})));
  };
  for (const RequestComparison& request : comparison.requests) {
    if (!request.equal()) add("reply");
  }
  for (const ComponentComparison& component : comparison.components) {
    if (component.match == ComponentMatch::kDifferent) add(family_of(component.name));
  }
  tidy(features);
  return features;
}

double weight_of(const Features& features) {
  double sum = 0;
  for (const Feature feature : features) sum += weight_of(feature);
  return sum;
}

void add_features(Features& to, const Features& more) {
  Features all;
  std::ranges::set_union(to, more, std::back_inserter(all));
  to = std::move(all);
}

Features features_beside(const Features& all, const Features& known) {
  Features rest;
  std::ranges::set_difference(all, known, std::back_inserter(rest));
  return rest;
}

}  // namespace esox
