// SPDX-License-Identifier: Apache-2.0
// See exploration_memory.h.
#include "harness/records/exploration_memory.h"

#include <nlohmann/json.hpp>

namespace esox {
namespace {

using Json = nlohmann::json;
using PartialOrder = ExplorationMemory::PartialOrder;

Json json_of(const PartialOrder& one) {
  Json without = Json::array();
  for (const RequestId& id : one.first) without.push_back({id.client, id.request});
  return {without, one.second};
}

PartialOrder partial_order(const Json& json) {
  PartialOrder one;
  for (const Json& id : json.at(0)) {
    one.first.insert({id.at(0).get<size_t>(), id.at(1).get<size_t>()});
  }
  one.second = json.at(1).get<Order>();
  return one;
}

Json json_of(const std::vector<PartialOrder>& orders) {
  Json json = Json::array();
  for (const PartialOrder& one : orders) json.push_back(json_of(one));
  return json;
}

std::vector<PartialOrder> partial_orders(const Json& json) {
  std::vector<PartialOrder> orders;
  for (const Json& one : json) orders.push_back(partial_order(one));
  return orders;
}

Json json_of(const Masks& masks) {
  Json json = {{"outputs", Json::array()}, {"state", Json::array()}};
  for (const auto& [place, orders] : masks.outputs) {
    json["outputs"].push_back({place.client, place.request, static_cast<int>(place.part),
                               place.result, place.column, orders});
  }
  for (const auto& [place, orders] : masks.state) {
    json["state"].push_back(
        {place.component, place.key ? Json(*place.key) : Json(nullptr), orders});
  }
  return json;
}

Masks masks_of(const Json& json) {
  Masks masks;
  for (const Json& one : json.at("outputs")) {
    const OutputPlace place{one.at(0).get<size_t>(), one.at(1).get<size_t>(),
                            static_cast<OutputPart>(one.at(2).get<int>()), one.at(3).get<size_t>(),
                            one.at(4).get<size_t>()};
    masks.outputs[place] = one.at(5).get<uint64_t>();
  }
  for (const Json& one : json.at("state")) {
    StatePlace place{one.at(0).get<std::string>(), std::nullopt};
    if (!one.at(1).is_null()) place.key = one.at(1).get<std::string>();
    masks.state[place] = one.at(2).get<uint64_t>();
  }
  return masks;
}

Json json_of(const Lessons& lessons) {
  Json conflicts = Json::array();
  for (const ConflictSignature& one : lessons.conflicts) {
    conflicts.push_back({one.site.module, one.site.offset, one.object, one.client});
  }
  return {{"conflicts", conflicts},
          {"shares", lessons.shares},
          {"up_to", lessons.up_to},
          {"pool_shares", lessons.pool_shares}};
}

Lessons lessons_of(const Json& json) {
  Lessons lessons;
  for (const Json& one : json.at("conflicts")) {
    lessons.conflicts.insert({{one.at(0).get<uint64_t>(), one.at(1).get<uint64_t>()},
                              one.at(2).get<uint64_t>(),
                              one.at(3).get<ThreadId>()});
  }
  json.at("shares").get_to(lessons.shares);
  json.at("up_to").get_to(lessons.up_to);
  lessons.pool_shares = json.value("pool_shares", std::vector<double>());  // not in older ones
  return lessons;
}

// Things met once, and those met again.
Json json_of(const Sightings& sightings) {
  Json once = Json::array();
  Json again = Json::array();
  for (const auto& [thing, repeated] : sightings.known())
    (repeated ? again : once).push_back(thing);
  return {once, again, sightings.total(), sightings.beyond()};
}

Sightings sightings_of(const Json& json) {
  std::map<uint64_t, bool> known;
  for (const Json& thing : json.at(0)) known.emplace(thing.get<uint64_t>(), false);
  for (const Json& thing : json.at(1)) known.emplace(thing.get<uint64_t>(), true);
  return Sightings::restored(std::move(known), json.at(2).get<uint64_t>(),
                             json.at(3).get<uint64_t>());
}

Json json_of(const Coverage& coverage) {
  Json meetings = Json::array();
  for (const auto& [pair, orders] : coverage.meetings) meetings.push_back({pair, orders});
  return {json_of(coverage.classes), json_of(coverage.outcomes), meetings};
}

Coverage coverage_of(const Json& json) {
  Coverage coverage;
  coverage.classes = sightings_of(json.at(0));
  coverage.outcomes = sightings_of(json.at(1));
  for (const Json& one : json.at(2)) {
    coverage.meetings[one.at(0).get<uint64_t>()] = one.at(1).get<uint8_t>();
  }
  return coverage;
}

Json json_of(const PortfolioRecord& record) {
  Json arms = Json::array();
  for (const ArmRecord& arm : record.arms) arms.push_back({arm.executions, arm.earned});
  return arms;
}

PortfolioRecord portfolio_of(const Json& json) {
  PortfolioRecord record;
  for (size_t i = 0; i < record.arms.size(); ++i) {
    record.arms[i] = {json.at(i).at(0).get<uint64_t>(), json.at(i).at(1).get<double>()};
  }
  return record;
}

Json json_of(const Schedule& schedule) {
  Json segments = Json::array();
  for (const Segment& segment : schedule) segments.push_back({segment.thread, segment.until});
  return segments;
}

Schedule schedule_of(const Json& json) {
  Schedule schedule;
  for (const Json& segment : json) {
    schedule.push_back({segment.at(0).get<ThreadId>(), segment.at(1).get<uint32_t>()});
  }
  return schedule;
}

Json json_of(const std::vector<Exemplar>& exemplars) {
  Json list = Json::array();
  for (const Exemplar& one : exemplars) {
    list.push_back(
        {one.outcome, one.met, one.violation, json_of(one.schedule), one.lengths, one.values});
  }
  return list;
}

std::vector<Exemplar> exemplars_of(const Json& json) {
  std::vector<Exemplar> exemplars;
  for (const Json& one : json) {
    Exemplar& next = exemplars.emplace_back();
    one.at(0).get_to(next.outcome);
    one.at(1).get_to(next.met);
    one.at(2).get_to(next.violation);
    next.schedule = schedule_of(one.at(3));
    one.at(4).get_to(next.lengths);
    one.at(5).get_to(next.values);
  }
  return exemplars;
}

Json json_of(const std::vector<Foretold>& foretold) {
  Json list = Json::array();
  for (const Foretold& one : foretold) {
    Json schedules = Json::array();
    for (const Schedule& schedule : one.schedules) schedules.push_back(json_of(schedule));
    list.push_back({one.id, one.lines, schedules, one.tried, one.hits});
  }
  return list;
}

std::vector<Foretold> foretold_of(const Json& json) {
  std::vector<Foretold> foretold;
  for (const Json& one : json) {
    Foretold& next = foretold.emplace_back();
    one.at(0).get_to(next.id);
    one.at(1).get_to(next.lines);
    for (const Json& schedule : one.at(2)) next.schedules.push_back(schedule_of(schedule));
    one.at(3).get_to(next.tried);
    one.at(4).get_to(next.hits);
  }
  return foretold;
}

// An arm's earnings per execution stay what they were.
PortfolioRecord shortened(PortfolioRecord record) {
  for (ArmRecord& arm : record.arms) {
    if (arm.executions <= kRememberedExecutions) continue;
    arm.earned *= static_cast<double>(kRememberedExecutions) / static_cast<double>(arm.executions);
    arm.executions = kRememberedExecutions;
  }
  return record;
}

}  // namespace

// The numbers of executions begin anew.
Experience experience_of(const ExplorationMemory& memory) {
  Experience experience{memory.lessons, shortened(memory.portfolio), memory.exemplars};
  experience.lessons.up_to = 0;
  experience.lessons.pool_shares.clear();  // the next hunt has another pool
  return experience;
}

std::vector<uint8_t> to_bytes(const Experience& experience) {
  return Json::to_cbor({{"lessons", json_of(experience.lessons)},
                        {"portfolio", json_of(experience.portfolio)},
                        {"exemplars", json_of(experience.exemplars)}});
}

Experience experience_of(const std::vector<uint8_t>& bytes) {
  const Json json = Json::from_cbor(bytes);
  return {lessons_of(json.at("lessons")), portfolio_of(json.at("portfolio")),
          exemplars_of(json.at("exemplars"))};
}

std::vector<uint8_t> to_bytes(const ExplorationMemory& memory) {
  Json json = {
      {"executed", json_of(memory.executed)},
      {"without_luck", json_of(memory.without_luck)},
      {"repeated", json_of(memory.repeated)},
      {"steps", memory.steps},
      {"serial_endings", Json::array()},
      {"serial_crash_untold", memory.serial_crash_untold},
      {"masks", json_of(memory.masks)},
      {"expected_points", memory.expected_points},
      {"expected_points_of", memory.expected_points_of},
      {"serial_executions", memory.serial_executions},
      {"replays", memory.replays},
      {"doubts", Json::array()},
      {"causes", memory.causes},
      {"lessons", json_of(memory.lessons)},
      {"coverage", json_of(memory.coverage)},
      {"portfolio", json_of(memory.portfolio)},
      {"exemplars", json_of(memory.exemplars)},
      {"foretold", json_of(memory.foretold)},
      {"last", memory.last},
      {"search", {memory.search.left_out, memory.search.violating, memory.search.expected}}};
  for (const EndingKind kind : memory.serial_endings) {
    json["serial_endings"].push_back(static_cast<int>(kind));
  }
  for (const auto& [cause, doubt] : memory.doubts) {
    json["doubts"].push_back({cause, doubt.text, doubt.attempts});
  }
  return Json::to_cbor(json);
}

ExplorationMemory exploration_memory_of(const std::vector<uint8_t>& bytes) {
  const Json json = Json::from_cbor(bytes);
  ExplorationMemory memory;
  memory.executed = partial_orders(json.at("executed"));
  memory.without_luck = partial_orders(json.at("without_luck"));
  memory.repeated = partial_orders(json.at("repeated"));
  json.at("steps").get_to(memory.steps);
  for (const Json& kind : json.at("serial_endings")) {
    memory.serial_endings.insert(static_cast<EndingKind>(kind.get<int>()));
  }
  json.at("serial_crash_untold").get_to(memory.serial_crash_untold);
  memory.masks = masks_of(json.at("masks"));
  json.at("expected_points").get_to(memory.expected_points);
  json.at("expected_points_of").get_to(memory.expected_points_of);
  json.at("serial_executions").get_to(memory.serial_executions);
  json.at("replays").get_to(memory.replays);
  for (const Json& doubt : json.at("doubts")) {
    memory.doubts[doubt.at(0).get<std::string>()] = {doubt.at(1).get<std::string>(),
                                                     doubt.at(2).get<unsigned>()};
  }
  json.at("causes").get_to(memory.causes);
  memory.lessons = lessons_of(json.at("lessons"));
  memory.coverage = coverage_of(json.at("coverage"));
  memory.portfolio = portfolio_of(json.at("portfolio"));
  memory.exemplars = exemplars_of(json.at("exemplars"));
  memory.foretold = foretold_of(json.at("foretold"));
  json.at("last").get_to(memory.last);
  json.at("search").at(0).get_to(memory.search.left_out);
  json.at("search").at(1).get_to(memory.search.violating);
  json.at("search").at(2).get_to(memory.search.expected);
  return memory;
}

}  // namespace esox
