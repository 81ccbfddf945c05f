// SPDX-License-Identifier: Apache-2.0
// The parts of finding.yaml: of each one list of its keys, from which both the writer
// (finding_writer.cpp) and the reader (finding_reader.cpp) follow. For these two only.
//
//   fields()    keys and values. `f(name, value)` is always there; `f.optional` is left out where
//               it is empty, zero or false; `f.derived` is written for people and never read;
//               `f.check` says what is wrong with what was read, or nothing
//   places()    a list of so many values
//   words_of()  a value that stands as a word
//
// Keys come in the order a person reads: what, how often, how to run it, what came out, what should
// have.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/finding.h"
#include "inputs/isolation_level.h"
#include "inputs/summary_parts.h"
#include "preload/protocol/layout.h"

namespace esox::finding_yaml {

enum LineStyle { kLines, kOneLine };  // of a list: an element a line, or all on one

template <class T>
concept FileText = std::same_as<T, FilterText> || std::same_as<T, StructureText>;

void fields(auto& f, FileText auto& one) {
  f("file", one.file);
  f("text", one.text);
}

void places(auto& f, Choice& choice) {
  f(choice.point, choice.thread);
}

void places(auto& f, OperationName& name) {
  f(name.kind, name.object, name.function, name.site);
}

void places(auto& f, Warning& warning) {
  f(warning.level, warning.code, warning.message);
}

void places(auto& f, Column& column) {
  f(column.name, column.type);
}

void places(auto& f, RequestId& id) {
  f(id.client, id.request);
}

void places(auto& f, Stamp& stamp) {
  f(stamp.invocation, stamp.response);
}

void places(auto& f, Unit& unit) {
  f(unit.first, unit.last, unit.undone);
}

inline const char* wrong_with(const std::vector<std::vector<Unit>>& units, const Stamps& stamps) {
  if (units.empty()) return "";
  if (units.size() != stamps.size()) return "there are not as many clients as in 'stamps'";
  for (size_t c = 0; c < units.size(); ++c) {
    size_t next = 0;  // each request is in one
    for (const Unit& unit : units[c]) {
      if (unit.first != next || unit.last < unit.first) return "these are no units in their order";
      next = unit.last + 1;
    }
    if (next != stamps[c].size()) return "they do not hold each request of a client once";
  }
  return "";
}

inline const char* wrong_with(const Operations& all) {
  if (all.of.size() > kMaxSlots) return "more threads than an execution can have";
  for (const std::vector<uint32_t>& thread : all.of) {
    for (const uint32_t name : thread) {
      if (name >= all.names.size()) return "this is no list of operations by their names' places";
    }
  }
  return "";
}

void fields(auto& f, Operations& all) {
  f("names", all.names);
  f("of", all.of);  // by thread: its operations, by their places among the names
  f.check("of", [&] { return wrong_with(all); });
}

void fields(auto& f, FindingServer& server) {
  f("version", server.version);
  f("path", server.path);
  f("options", server.options);
}

void fields(auto& f, Request& request) {
  f("text", request.text);
  f.optional("ordered", request.ordered);
}

void fields(auto& f, InputClient& client) {
  f("name", client.name);
  f("setup", client.setup);
  f("requests", client.requests);
}

void fields(auto& f, ConcreteInput& concrete) {
  Input& in = concrete.input;
  f("id", in.id);
  f("title", in.title);
  f("origin", in.origin);
  f.language("server", in.language);
  f.optional("summary", in.summary);
  f.check("summary", [&] { return summary_complaint(in.summary, *in.language); });
  f.optional("isolation_level", in.isolation_level);
  f.check("isolation_level",
          [&] { return isolation_level_complaint(in.isolation_level, *in.language); });
  f("engine", concrete.engine);
  f.optional("setting", concrete.setting);
  f("engines", in.engines, kOneLine);
  f("server_options", in.server_options);
  f("setup", in.setup);
  f("clients", in.clients);
  f("observations", in.observations);
  f.optional("structures", in.structures);
}

void fields(auto& f, ResultSet& result) {
  f("columns", result.columns);
  f("rows", result.rows);
}

void fields(auto& f, Output& reply) {
  f("answered", reply.answered);
  f.optional("error", reply.error);
  f.optional("sql_state", reply.sql_state);
  f.optional("message", reply.message);
  f.optional("affected_rows", reply.affected_rows);
  f.optional("insert_id", reply.insert_id);
  f.optional("info", reply.info);
  f.optional("warning_count", reply.warning_count);
  f.optional("warnings", reply.warnings);
  f.optional("ordered", reply.ordered);
  f.optional("results", reply.results);
}

void fields(auto& f, Component& part) {
  f("name", part.name);
  f("kind", part.kind);
  f.meaning("meaning", part);
  f("digest", part.digest);
  f("count", part.count);
  f.optional("unavailable", part.unavailable);
  f.optional("elements", part.elements);
}

void fields(auto& f, Outcome& outcome) {
  f("outputs", outcome.outputs);  // by client, then request
  f("state", outcome.state.components);
}

void fields(auto& f, Anomaly& anomaly) {
  f("name", anomaly.name);
  f("lines", anomaly.lines);
}

void fields(auto& f, FindingOrder& row) {
  f.derived("name", [&] { return order_name(row.order, row.without); });
  f("clients", row.order, kOneLine);
  f.optional("without", row.without, kOneLine);
  f("allowed", row.allowed);
  f.optional("infeasible", row.infeasible);
  f("differing_requests", row.differing_requests, kOneLine);
  f("differing_components", row.differing_components, kOneLine);
  f("unavailable_components", row.unavailable_components, kOneLine);
  f("outcome", row.outcome);
}

void fields(auto& f, std::pair<OutputPlace, uint64_t>& mask) {
  OutputPlace& place = mask.first;
  f("client", place.client);
  f("request", place.request);
  f("part", place.part);
  f("result", place.result);
  f("column", place.column);
  f("orders", mask.second);
}

void fields(auto& f, std::pair<StatePlace, uint64_t>& mask) {
  f("component", mask.first.component);
  f.optional("key", mask.first.key);
  f("orders", mask.second);
}

void fields(auto& f, Masks& masks) {
  f("outputs", masks.outputs);
  f("state", masks.state);
}

void fields(auto& f, Finding& finding) {
  f.derived("format", [] { return kFindingFormat; });
  f("id", finding.id);
  f("class", finding.verdict);
  f("latent", finding.latent);
  f.lines("cause", finding.cause);
  f("hits", finding.hits);
  f("executions", finding.executions);
  f.optional("draws", finding.draws);
  f.optional("drawn_hits", finding.drawn_hits);
  f("first_execution", finding.first_execution);
  f("esox_version", finding.esox_version);
  f.group("schedule", [&](auto& schedule) {
    schedule("strategy", finding.strategy);
    schedule("seed", finding.seed);
    schedule("clock_base_ns", finding.clock_base_ns);
    schedule("choices", finding.choices, kOneLine);
    schedule("values", finding.values, kOneLine);
    schedule("control", finding.control);
    schedule.optional("operations", finding.operations);
  });
  f("server", finding.server);
  f("input", finding.input);
  f.group("ending", [&](auto& ending) {
    ending("kind", finding.ending);
    ending.optional("signal", finding.signal);
    ending("detail", finding.ending_detail);
  });
  f.optional("anomaly", finding.anomaly);
  f("outcome", finding.outcome);
  f("orders", finding.orders);
  f("masks", finding.masks);
  f.optional("stamps", finding.stamps);
  f.optional("units", finding.units);
  f.check("units", [&] { return wrong_with(finding.units, finding.stamps); });
  f.optional("filters", finding.filters);
  f.derived("end", [] { return "finding"; });
}

// Values that stand as a word: how they are called, and the last of them.
template <class E>
struct Words {
  const char* what;
  const char* (*name)(E);
  E last;
};
constexpr Words<VerdictClass> words_of(VerdictClass) {
  return {"class '{}'", class_name, VerdictClass::kSerial};
}
constexpr Words<EndingKind> words_of(EndingKind) {
  return {"ending '{}'", ending_name, EndingKind::kDegraded};
}
constexpr Words<ComponentKind> words_of(ComponentKind) {
  return {"kind '{}'", name_of, ComponentKind::kCache};
}
constexpr Words<ComponentMeaning> words_of(ComponentMeaning) {
  return {"meaning '{}'", name_of, ComponentMeaning::kHeld};
}
constexpr Words<OutputPart> words_of(OutputPart) {
  return {"part '{}' of a reply", part_name, OutputPart::kWarnings};
}

struct Probe {
  void operator()(auto&...) const {}
};
template <class T>
concept Places = requires(Probe probe, T& value) {
  places(probe, value);
};
template <class T>
concept Mapping = requires(Probe probe, T& value) {
  fields(probe, value);
};
template <class T>
concept Word = requires(T value) {
  words_of(value);
};
using Packed = std::vector<uint32_t>;
template <class T>
concept List = std::same_as<T, std::vector<typename T::value_type>> && !std::same_as<T, Packed>;
template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool>;

}  // namespace esox::finding_yaml
