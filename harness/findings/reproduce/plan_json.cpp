// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/linearization.h"
#include "analysis/thread_name.h"
#include "inputs/isolation_level.h"
#include "inputs/signals.h"

namespace esox {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* at_name(HoldPlace::At at) {
  switch (at) {
    case HoldPlace::At::kEntry:
      return "entry";
    case HoldPlace::At::kReturn:
      return "return";
    default:
      return "call";
  }
}

OrderedJson place_json(const HoldPlace& place) {
  if (!place.function.empty()) return {{"function", place.function}, {"at", at_name(place.at)}};
  return {{"module", place.module},
          {"offset", place.offset},
          {"at", at_name(place.at)},
          {"text", fmt::format("{}+0x{:x}", place.module, place.offset)}};
}

const char* until_name(HeldSegment::Until until) {
  switch (until) {
    case HeldSegment::Until::kPlace:
      return "place";
    case HeldSegment::Until::kBlocked:
      return "blocked";
    default:
      return "end";
  }
}

const char* violation_name(VerdictClass verdict) {
  switch (verdict) {
    case VerdictClass::kDeadlock:
    case VerdictClass::kHang:
      return "standstill";
    case VerdictClass::kCrash:
      return "crash";
    default:
      return "outcome";
  }
}

OrderedJson clients_json(const Input& input) {
  OrderedJson clients = OrderedJson::array();
  for (const InputClient& client : input.clients) {
    OrderedJson requests = OrderedJson::array();
    for (const Request& request : client.requests) requests.push_back(request.text);
    clients.push_back(
        {{"name", client.name}, {"setup", session_setup(input, client)}, {"requests", requests}});
  }
  if (const auto signals = signalling_client(input.clients)) clients[*signals]["signals"] = true;
  return clients;
}

// What each request read and how many rows it changed, as the script tells it: where an isolation
// level was broken, this is what it forbids.
OrderedJson wrong_json(const Finding& finding) {
  const std::vector<std::string> names = client_names(finding.input.input);
  OrderedJson wrong = OrderedJson::object();
  for (size_t client = 0; client < finding.outcome.outputs.size(); ++client) {
    const std::vector<Output>& outputs = finding.outcome.outputs[client];
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<std::vector<std::string>> read;
      for (const ResultSet& result : outputs[i].results) {
        for (const Row& row : result.rows) {
          read.push_back({"row"});
          for (const Cell& cell : row) read.back().push_back(cell.value_or("NULL"));
        }
      }
      const Output& output = outputs[i];
      if (!output.answered) continue;
      if (output.error != 0) read.push_back({fmt::format("error {}", output.error)});
      if (output.results.empty() && output.error == 0 && output.affected_rows > 0) {
        read.push_back({fmt::format("{} affected", output.affected_rows)});
      }
      std::ranges::sort(read);
      wrong[request_name(static_cast<ThreadId>(client), i, names)] = read;
    }
  }
  return wrong;
}

std::vector<std::string> ordered_requests(const Input& input) {
  std::vector<std::string> names;
  for (size_t client = 0; client < input.clients.size(); ++client) {
    const auto& requests = input.clients[client].requests;
    for (size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].ordered) {
        names.push_back(request_name(static_cast<ThreadId>(client), i, client_names(input)));
      }
    }
  }
  return names;
}

}  // namespace

OrderedJson segments_json(const Holds& holds, const Input& input) {
  OrderedJson segments = OrderedJson::array();
  for (const HeldSegment& held : holds) {
    OrderedJson segment = {{"client", thread_name(client_names(input), held.client)},
                           {"request", held.request},
                           {"until", until_name(held.until)}};
    if (held.client >= input.clients.size()) segment["own"] = true;
    if (held.place) {
      segment["place"] = place_json(*held.place);
      segment["hit"] = held.hit;
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

std::set<uint32_t> errors_seen(const Finding& finding) {
  std::set<uint32_t> errors;
  for (const auto& outputs : finding.outcome.outputs) {
    for (const Output& output : outputs) {
      if (output.error != 0) errors.insert(output.error);
    }
  }
  return errors;
}

std::vector<std::string> parts_that_differ(const Finding& finding) {
  std::set<std::string> parts;
  for (const FindingOrder& order : finding.orders) {
    if (!order.allowed) continue;
    parts.insert(order.differing_requests.begin(), order.differing_requests.end());
    for (const std::string& component : order.differing_components) {
      parts.insert(component.substr(0, component.find(':')));
    }
  }
  return {parts.begin(), parts.end()};
}

OrderedJson plan_json(const Finding& finding, const std::string& title, const FindingServer& server,
                      const std::vector<std::string>& options) {
  const Input& input = finding.input.input;
  OrderedJson plan = {{"format", kPlanFormat},
                      {"title", title},
                      {"finding", finding.id},
                      {"server",
                       {{"kind", input.server()},
                        {"program", std::filesystem::path(server.path).filename().string()},
                        {"version", server.version},
                        {"options", options}}},
                      {"setup", input.setup},
                      {"clients", clients_json(input)},
                      {"observations", input.observations},
                      {"ordered", ordered_requests(input)},
                      {"violation", violation_name(finding.verdict)},
                      {"errors", errors_seen(finding)},
                      {"compared", parts_that_differ(finding)}};
  if (!finding.anomaly.empty()) {
    plan["wrong"] = wrong_json(finding);
    plan["compared"] = OrderedJson::array();
    for (const auto& [request, read] : plan["wrong"].items()) plan["compared"].push_back(request);
  }
  return plan;
}

}  // namespace esox
