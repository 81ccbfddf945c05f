// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/hold_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/counted.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

bool is_own(const Json& segment) {
  return segment.value("own", false);
}

std::string request_of(const Json& segment) {
  if (is_own(segment)) return "A thread of the server's own";
  return segment.at("client").get<std::string>() +
         std::to_string(segment.at("request").get<size_t>() + 1);
}

bool has_name(const Json& place) {
  return place.contains("function");
}

std::string held_where(const Json& segment) {
  const Json& place = segment.at("place");
  const std::string time = ordinal(segment.at("hit").get<unsigned>()) + " time";
  const bool returns = place.at("at") == "return";
  if (has_name(place)) {
    return fmt::format("as {}`{}`{} for the {}", returns ? "" : "it enters ",
                       place.at("function").get<std::string>(), returns ? " returns, called" : "",
                       time);
  }
  return fmt::format("{} `{}`, there for the {}", returns ? "at" : "before the call at",
                     place.at("text").get<std::string>(), time);
}

std::string what_becomes(const Json& segment) {
  const std::string until = segment.at("until");
  if (until == "place") return "held " + held_where(segment);
  if (until == "end") return "answered";
  if (!segment.contains("place")) return "has to wait";
  return "has to wait; once it has waited it is held " + held_where(segment);
}

bool is_held(const Json& segment) {
  return segment.contains("place");
}

// Sent and answered, as the story has it.
void add_new(std::vector<std::string>& requests, const Json& segment) {
  const std::string name = request_of(segment);
  if (std::ranges::find(requests, name) == requests.end()) requests.push_back(name);
}

std::string gdb_command(const Json& segment) {
  const Json& place = segment.at("place");
  const auto hit = segment.at("hit").get<unsigned>();
  std::string command = fmt::format(
      "gdb -q -nx -batch -iex 'set debuginfod enabled off' -p PID \\\n    -ex 'tbreak {}'",
      place.at("function").get<std::string>());
  if (hit > 1) command += fmt::format(" -ex 'ignore 1 {}'", hit - 1);
  command += " -ex continue";
  if (place.at("at") == "return") command += " -ex finish";
  return command +
         fmt::format(" -ex bt -ex 'call (unsigned)sleep({})' -ex detach", kGdbHoldSeconds);
}

}  // namespace

std::vector<std::string> hold_story(const Json& plan) {
  std::vector<std::string> story;
  std::set<std::string> sent;
  for (const Json& segment : plan.at("segments")) {
    const std::string name = request_of(segment);
    const bool fresh = sent.insert(name).second;
    const std::string becomes = what_becomes(segment);
    if (is_own(segment) && !is_held(segment)) {
      story.push_back(name + " goes on until it sleeps.");
      continue;
    }
    const char* const begun = is_own(segment) ? "comes by, and" : "is sent, and";
    story.push_back(fmt::format("{} {} {}{}.", name, fresh ? begun : "goes on, and",
                                becomes.starts_with("has ") ? "" : "is ", becomes));
  }
  return story;
}

GdbHold gdb_hold(const Json& plan) {
  GdbHold hold;
  const Json* held = nullptr;
  for (const Json& segment : plan.at("segments")) {
    if (is_own(segment)) return {};
    if (is_held(segment)) {
      const bool fits =
          held == nullptr && segment.at("until") == "place" && has_name(segment.at("place"));
      if (!fits) return {};
      held = &segment;
    } else if (held == nullptr) {
      if (segment.at("until") != "end") return {};
      add_new(hold.before, segment);
    } else if (segment.at("client") != held->at("client")) {
      add_new(hold.during, segment);
    }
  }
  if (held == nullptr) return {};
  hold.request = request_of(*held);
  hold.command = gdb_command(*held);
  return hold;
}

}  // namespace esox
