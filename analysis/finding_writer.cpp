// SPDX-License-Identifier: Apache-2.0
// finding.yaml, written. Keys come in the order a person reads: what, how often, how to run it,
// what came out, what should have. All data strings are quoted, so that "null" and "1" stay text.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "analysis/finding.h"
#include "analysis/utf8.h"

namespace esox {
namespace {

using YAML::BeginMap;
using YAML::BeginSeq;
using YAML::Emitter;
using YAML::EndMap;
using YAML::EndSeq;
using YAML::Flow;
using YAML::Key;
using YAML::Value;

class Writer {
 public:
  std::string write(const Finding& finding) {
    out_ << BeginMap;
    number("format", kFindingFormat);
    head(finding);
    schedule(finding);
    server(finding);
    key("input");
    input(finding.input);
    ending(finding);
    key("outcome");
    outcome(finding.outcome);
    key("orders") << BeginSeq;
    for (const FindingOrder& row : finding.orders) order(row);
    out_ << EndSeq;
    masks(finding.masks);
    if (!finding.stamps.empty()) stamps(finding.stamps);
    if (!finding.filters.empty()) filters(finding.filters);
    key("end") << "finding";
    out_ << EndMap;
    return std::string(out_.c_str(), out_.size()) + "\n";
  }

 private:
  Emitter& key(const char* name) { return out_ << Key << name << Value; }

  void text(const std::string& value) {
    if (is_utf8(value)) {
      out_ << YAML::DoubleQuoted << value;
    } else {
      out_ << YAML::Binary(reinterpret_cast<const unsigned char*>(value.data()), value.size());
    }
  }

  void text(const char* name, const std::string& value) {
    key(name);
    text(value);
  }

  void text_unless_empty(const char* name, const std::string& value) {
    if (!value.empty()) text(name, value);
  }

  template <class T>
  void number(const char* name, T value) {
    key(name) << value;
  }

  template <class T>
  void number_unless_zero(const char* name, T value) {
    if (value != 0) number(name, value);
  }

  void flag(const char* name, bool value) { key(name) << value; }

  void texts(const char* name, const std::vector<std::string>& values, bool flow = false) {
    key(name);
    if (flow || values.empty()) out_ << Flow;
    out_ << BeginSeq;
    for (const std::string& value : values) text(value);
    out_ << EndSeq;
  }

  static std::vector<std::string> lines(const std::string& block) {
    std::vector<std::string> list;
    for (size_t begin = 0; begin < block.size();) {
      const size_t end = std::min(block.find('\n', begin), block.size());
      list.push_back(block.substr(begin, end - begin));
      begin = end + 1;
    }
    return list;
  }

  void head(const Finding& finding) {
    text("id", finding.id);
    key("class") << class_name(finding.verdict);
    flag("latent", finding.latent);
    texts("cause", lines(finding.cause));
    number("hits", finding.hits);
    number("executions", finding.executions);
    number("first_execution", finding.first_execution);
    text("esox_version", finding.esox_version);
  }

  void schedule(const Finding& finding) {
    key("schedule") << BeginMap;
    text("strategy", finding.strategy);
    number("seed", finding.seed);
    number("clock_base_ns", finding.clock_base_ns);
    key("choices") << Flow << BeginSeq;  // [point, thread]
    for (const Choice& choice : finding.choices) {
      out_ << Flow << BeginSeq << choice.point << choice.thread << EndSeq;
    }
    out_ << EndSeq;
    key("values") << Flow << BeginSeq;
    for (uint64_t value : finding.values) out_ << value;
    out_ << EndSeq;
    key("control");
    if (finding.control.empty()) out_ << Flow;
    out_ << BeginMap;
    for (const auto& [name, value] : finding.control) {
      out_ << Key;
      text(name);
      out_ << Value;
      text(value);
    }
    out_ << EndMap;
    if (!finding.operations.empty()) operations(finding.operations);
    out_ << EndMap;
  }

  void operations(const Operations& all) {
    key("operations") << BeginMap;
    key("names") << BeginSeq;  // [kind, object, function, site]
    for (const OperationName& name : all.names) {
      out_ << Flow << BeginSeq;
      for (const std::string& part :
           {kind_text(name.kind), name.object, name.function, name.site}) {
        text(part);
      }
      out_ << EndSeq;
    }
    out_ << EndSeq;
    key("of") << BeginSeq;  // by thread: its operations, by their places among the names
    for (const std::vector<uint32_t>& thread : all.of) text(packed(thread));
    out_ << EndSeq << EndMap;
  }

  void server(const Finding& finding) {
    key("server") << BeginMap;
    text("version", finding.server.version);
    text("path", finding.server.path);
    texts("options", finding.server.options);
    out_ << EndMap;
  }

  void input(const ConcreteInput& concrete) {
    const Input& in = concrete.input;
    out_ << BeginMap;
    text("id", in.id);
    text("title", in.title);
    text("origin", in.origin);
    text_unless_empty("server", in.server());
    text_unless_empty("summary", in.summary);
    text("engine", concrete.engine);
    text_unless_empty("setting", concrete.setting);
    texts("engines", in.engines, true);
    texts("server_options", in.server_options);
    texts("setup", in.setup);
    key("clients") << BeginSeq;
    for (const InputClient& client : in.clients) {
      out_ << BeginMap;
      text("name", client.name);
      texts("setup", client.setup);
      key("requests") << BeginSeq;
      for (const Request& request : client.requests) {
        out_ << BeginMap;
        text("text", request.text);
        if (request.ordered) flag("ordered", true);
        out_ << EndMap;
      }
      out_ << EndSeq << EndMap;
    }
    out_ << EndSeq;
    texts("observations", in.observations);
    structures(in.structures);
    out_ << EndMap;
  }

  void structures(const std::vector<StructureText>& all) {
    if (all.empty()) return;
    key("structures") << BeginSeq;
    for (const StructureText& one : all) {
      out_ << BeginMap;
      text("file", one.file);
      text("text", one.text);
      out_ << EndMap;
    }
    out_ << EndSeq;
  }

  void ending(const Finding& finding) {
    key("ending") << BeginMap;
    key("kind") << ending_name(finding.ending);
    number_unless_zero("signal", finding.signal);
    texts("detail", finding.ending_detail);
    out_ << EndMap;
  }

  void outcome(const Outcome& value) {
    out_ << BeginMap;
    key("outputs") << BeginSeq;  // by client, then request
    for (const auto& client : value.outputs) {
      out_ << BeginSeq;
      for (const Output& reply : client) output(reply);
      out_ << EndSeq;
    }
    out_ << EndSeq;
    key("state") << BeginSeq;
    for (const Component& part : value.state.components) component(part);
    out_ << EndSeq << EndMap;
  }

  void output(const Output& reply) {
    out_ << BeginMap;
    flag("answered", reply.answered);
    number_unless_zero("error", reply.error);
    text_unless_empty("sql_state", reply.sql_state);
    text_unless_empty("message", reply.message);
    number_unless_zero("affected_rows", reply.affected_rows);
    number_unless_zero("insert_id", reply.insert_id);
    text_unless_empty("info", reply.info);
    number_unless_zero("warning_count", reply.warning_count);
    if (!reply.warnings.empty()) warnings(reply.warnings);
    if (reply.ordered) flag("ordered", true);
    if (!reply.results.empty()) results(reply.results);
    out_ << EndMap;
  }

  void warnings(const std::vector<Warning>& list) {
    key("warnings") << BeginSeq;  // [level, code, message]
    for (const Warning& warning : list) {
      out_ << Flow << BeginSeq;
      text(warning.level);
      out_ << warning.code;
      text(warning.message);
      out_ << EndSeq;
    }
    out_ << EndSeq;
  }

  void results(const std::vector<ResultSet>& list) {
    key("results") << BeginSeq;
    for (const ResultSet& result : list) {
      out_ << BeginMap;
      key("columns") << BeginSeq;  // [name, type]
      for (const Column& column : result.columns) {
        out_ << Flow << BeginSeq;
        text(column.name);
        text(column.type);
        out_ << EndSeq;
      }
      out_ << EndSeq;
      key("rows") << BeginSeq;
      for (const Row& row : result.rows) cells(row);
      out_ << EndSeq << EndMap;
    }
    out_ << EndSeq;
  }

  void cells(const Row& row) {
    out_ << Flow << BeginSeq;
    for (const Cell& cell : row) {
      if (cell) {
        text(*cell);
      } else {
        out_ << YAML::Null;
      }
    }
    out_ << EndSeq;
  }

  void component(const Component& part) {
    out_ << BeginMap;
    text("name", part.name);
    key("kind") << name_of(part.kind);
    key("meaning") << name_of(part.meaning);
    text("digest", hex(part.digest));
    number("count", part.count);
    text_unless_empty("unavailable", part.unavailable);
    if (!part.elements.empty()) elements(part.elements);
    out_ << EndMap;
  }

  void elements(const std::vector<Element>& list) {
    key("elements") << BeginSeq;  // [value], or [key, value] in a map
    for (const Element& element : list) {
      out_ << Flow << BeginSeq;
      if (!element.key.empty()) text(element.key);
      text(element.value);
      out_ << EndSeq;
    }
    out_ << EndSeq;
  }

  void without(const RequestSet& requests) {
    key("without") << Flow << BeginSeq;  // [client, request]
    for (const RequestId& id : requests) {
      out_ << BeginSeq << id.client << id.request << EndSeq;
    }
    out_ << EndSeq;
  }

  void order(const FindingOrder& row) {
    out_ << BeginMap;
    text("name", order_name(row.order, row.without));
    key("clients") << Flow << BeginSeq;
    for (uint16_t client : row.order) out_ << client;
    out_ << EndSeq;
    if (!row.without.empty()) without(row.without);
    flag("allowed", row.allowed);
    text_unless_empty("infeasible", row.infeasible);
    texts("differing_requests", row.differing_requests, true);
    texts("differing_components", row.differing_components, true);
    texts("unavailable_components", row.unavailable_components, true);
    key("outcome");
    outcome(row.outcome);
    out_ << EndMap;
  }

  void stamps(const Stamps& all) {
    key("stamps") << BeginSeq;  // by client, then request: [invocation, response]
    for (const auto& client : all) {
      out_ << Flow << BeginSeq;
      for (const Stamp& stamp : client) {
        out_ << BeginSeq << stamp.invocation << stamp.response << EndSeq;
      }
      out_ << EndSeq;
    }
    out_ << EndSeq;
  }

  void filters(const std::vector<FilterText>& all) {
    key("filters") << BeginSeq;
    for (const FilterText& one : all) {
      out_ << BeginMap;
      text("file", one.file);
      text("text", one.text);
      out_ << EndMap;
    }
    out_ << EndSeq;
  }

  void masks(const Masks& all) {
    key("masks") << BeginMap;
    key("outputs") << BeginSeq;
    for (const auto& [place, orders] : all.outputs) {
      out_ << Flow << BeginMap;
      number("client", place.client);
      number("request", place.request);
      key("part") << part_name(place.part);
      number("result", place.result);
      number("column", place.column);
      number("orders", orders);
      out_ << EndMap;
    }
    out_ << EndSeq;
    key("state") << BeginSeq;
    for (const auto& [place, orders] : all.state) {
      out_ << Flow << BeginMap;
      text("component", place.component);
      if (place.key) text("key", *place.key);
      number("orders", orders);
      out_ << EndMap;
    }
    out_ << EndSeq << EndMap;
  }

  Emitter out_;
};

}  // namespace

std::string finding_to_yaml(const Finding& finding) {
  return Writer().write(finding);
}

}  // namespace esox
