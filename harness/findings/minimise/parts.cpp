// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/minimise/parts.h"

#include <algorithm>
#include <functional>
#include <set>

#include "analysis/finding.h"
#include "analysis/linearization.h"

namespace esox {
namespace {

std::vector<Part> parts(PartKind kind, size_t client, size_t count) {
  std::vector<Part> all;
  for (size_t i = 0; i < count; ++i) all.push_back({kind, client, i});
  return all;
}

void append(std::vector<Part>& all, const std::vector<Part>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <class T>
std::vector<T> left_of(const std::vector<T>& list, PartKind kind, size_t client,
                       const std::set<Part>& taken) {
  std::vector<T> left;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!taken.contains({kind, client, i})) left.push_back(list[i]);
  }
  return left;
}

// Of a setup, a session's setup, or a request.
const std::string& text_at(const Input& input, const Part& part) {
  if (part.kind == PartKind::kSetup) return input.setup[part.index];
  const InputClient& client = input.clients[part.client];
  if (part.kind == PartKind::kSessionSetup) return client.setup[part.index];
  return client.requests[part.index].text;
}

void for_each_text(const Input& input, const std::function<void(const std::string&)>& visit) {
  for (const std::string& text : input.setup) visit(text);
  for (const InputClient& client : input.clients) {
    for (const std::string& text : client.setup) visit(text);
    for (const Request& request : client.requests) visit(request.text);
  }
  for (const std::string& text : input.observations) visit(text);
}

// `kept`: places among `entries`, ascending, one at least. What stands between the first two is
// taken for what separates them all.
std::string with_entries(std::string_view text, const std::vector<TextSpan>& entries,
                         const std::vector<size_t>& kept) {
  const auto part = [&](size_t begin, size_t end) { return text.substr(begin, end - begin); };
  std::string smaller(part(0, entries.front().begin));
  for (const size_t entry : kept) {
    if (entry != kept.front()) smaller += part(entries[0].end, entries[1].begin);
    smaller += part(entries[entry].begin, entries[entry].end);
  }
  return smaller + std::string(text.substr(entries.back().end));
}

}  // namespace

SmallerInput whole(const ConcreteInput& input) {
  SmallerInput all{input, {}};
  for (size_t client = 0; client < input.input.clients.size(); ++client) {
    all.origin.emplace_back();
    for (size_t i = 0; i < input.input.clients[client].requests.size(); ++i) {
      all.origin.back().push_back({client, i});
    }
  }
  return all;
}

std::vector<Part> clients_of(const Input& input) {
  std::vector<Part> all;
  for (size_t i = 0; i < input.clients.size(); ++i) all.push_back({PartKind::kClient, i, 0});
  return all;
}

std::vector<Part> requests_of(const Input& input) {
  std::vector<Part> all;
  for (size_t i = 0; i < input.clients.size(); ++i) {
    append(all, parts(PartKind::kRequest, i, input.clients[i].requests.size()));
  }
  return all;
}

std::vector<Part> preparations_of(const Input& input) {
  std::vector<Part> all = parts(PartKind::kSetup, 0, input.setup.size());
  for (size_t i = 0; i < input.clients.size(); ++i) {
    append(all, parts(PartKind::kSessionSetup, i, input.clients[i].setup.size()));
  }
  append(all, parts(PartKind::kObservation, 0, input.observations.size()));
  return all;
}

std::vector<Part> statements_with_rows(const Input& input) {
  std::vector<Part> all = requests_of(input);
  append(all, preparations_of(input));
  std::erase_if(all, [&](const Part& part) {
    return part.kind == PartKind::kObservation || row_count(input, part) < 2;
  });
  std::ranges::stable_sort(
      all, [&](const Part& a, const Part& b) { return row_count(input, a) > row_count(input, b); });
  return all;
}

SmallerInput without(const SmallerInput& input, const std::vector<Part>& parts) {
  const std::set<Part> taken(parts.begin(), parts.end());
  SmallerInput smaller{input.input, {}};
  Input& left = smaller.input.input;
  left.setup = left_of(left.setup, PartKind::kSetup, 0, taken);
  left.observations = left_of(left.observations, PartKind::kObservation, 0, taken);
  left.clients.clear();
  for (size_t i = 0; i < input.input.input.clients.size(); ++i) {
    InputClient client = input.input.input.clients[i];
    client.requests = left_of(client.requests, PartKind::kRequest, i, taken);
    client.setup = left_of(client.setup, PartKind::kSessionSetup, i, taken);
    if (client.requests.empty() || taken.contains({PartKind::kClient, i, 0})) continue;
    left.clients.push_back(std::move(client));
    smaller.origin.push_back(left_of(input.origin[i], PartKind::kRequest, i, taken));
  }
  return smaller;
}

size_t row_count(const Input& input, const Part& part) {
  return input.language->removable(text_at(input, part)).size();
}

SmallerInput with_rows(const SmallerInput& input, const Part& part,
                       const std::vector<size_t>& kept) {
  SmallerInput smaller = input;
  Input& changed = smaller.input.input;
  const std::string& text = text_at(input.input.input, part);
  std::string shorter = with_entries(text, input.input.input.language->removable(text), kept);
  if (part.kind == PartKind::kSetup) {
    changed.setup[part.index] = std::move(shorter);
  } else if (part.kind == PartKind::kSessionSetup) {
    changed.clients[part.client].setup[part.index] = std::move(shorter);
  } else {
    changed.clients[part.client].requests[part.index].text = std::move(shorter);
  }
  return smaller;
}

RequestNames names_in_whole(const SmallerInput& smaller, const Input& whole) {
  RequestNames names;
  const auto here = client_names(smaller.input.input);
  const auto there = client_names(whole);
  for (size_t client = 0; client < smaller.origin.size(); ++client) {
    for (size_t i = 0; i < smaller.origin[client].size(); ++i) {
      const RequestId& origin = smaller.origin[client][i];
      names.emplace(request_name(client, i, here),
                    request_name(origin.client, origin.request, there));
    }
  }
  return names;
}

Masks masks_left(const Masks& masks, const SmallerInput& smaller) {
  std::map<RequestId, RequestId> here;
  for (size_t client = 0; client < smaller.origin.size(); ++client) {
    for (size_t i = 0; i < smaller.origin[client].size(); ++i) {
      here[smaller.origin[client][i]] = {client, i};
    }
  }
  Masks left;
  left.state = masks.state;
  for (const auto& [place, orders] : masks.outputs) {
    const auto request = here.find({place.client, place.request});
    if (request == here.end()) continue;
    OutputPlace moved = place;
    moved.client = request->second.client;
    moved.request = request->second.request;
    left.outputs.emplace(moved, orders);
  }
  return left;
}

InputSize size_of(const Input& input) {
  InputSize size;
  size.clients = input.clients.size();
  size.setup = input.setup.size();
  size.observations = input.observations.size();
  for (const InputClient& client : input.clients) {
    size.requests += client.requests.size();
    size.setup += client.setup.size();
  }
  for_each_text(input, [&](const std::string& text) {
    size.bytes += text.size();
    size.rows += input.language->removable(text).size();
  });
  return size;
}

}  // namespace esox
