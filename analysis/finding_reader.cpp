// SPDX-License-Identifier: Apache-2.0
// finding.yaml, read. Strict: an unknown or missing key, a wrong type or a file that was cut off is
// an error with file and line; nothing is guessed, for a replay must be of exactly what was found.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <sstream>
#include <string_view>

#include "analysis/finding.h"
#include "base/text/input_error.h"
#include "filters/known_servers.h"
#include "inputs/summary_parts.h"
#include "preload/protocol/layout.h"

namespace esox {
namespace {

using YAML::Node;

constexpr const char* kRemedy = "restore the file from where it was written, or hunt again";

class Reader {
 public:
  Reader(std::string file, const KnownServers& servers)
      : file_(std::move(file)), servers_(servers) {}

  Finding read(const Node& root) {
    check_format(root);
    keys(root, {"format", "id", "class", "latent", "cause", "hits", "executions", "first_execution",
                "esox_version", "schedule", "server", "input", "ending", "outcome", "orders",
                "masks", "stamps", "filters", "end"});
    if (!root["end"] || text(root["end"]) != "finding") {
      fail(root, "the last line 'end: finding' is missing, so the file was cut off");
    }
    Finding finding;
    head(root, finding);
    schedule(need(root, "schedule"), finding);
    server(need(root, "server"), finding.server);
    finding.input = input(need(root, "input"));
    components_ = server_of(servers_, finding.input.input.server()).all_components();
    ending(need(root, "ending"), finding);
    finding.outcome = outcome(need(root, "outcome"));
    for (const Node& node : sequence(need(root, "orders"))) finding.orders.push_back(order(node));
    finding.masks = masks(need(root, "masks"));
    if (root["stamps"]) finding.stamps = stamps(root["stamps"]);
    if (root["filters"]) finding.filters = filters(root["filters"]);
    check_shape(root, finding);
    return finding;
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& what) const {
    const YAML::Mark mark = node.Mark();
    throw FindingError(
        fmt::format("{}:{}: {}; {}", file_, mark.is_null() ? 1 : mark.line + 1, what, kRemedy));
  }

  void check_format(const Node& root) const {
    if (!root.IsMap()) fail(root, "this is not a finding: expected keys such as 'format' and 'id'");
    const int format = number<int>(need(root, "format"));
    if (format != kFindingFormat) {
      fail(
          root["format"],
          fmt::format("format {} is unknown, this esox reads format {}: use the esox that wrote it",
                      format, kFindingFormat));
    }
  }

  // References between the parts that a replay relies on.
  void check_shape(const Node& root, const Finding& finding) const {
    const size_t clients = finding.input.input.clients.size();
    if (clients == 0) fail(root["input"], "the input has no clients");
    for (const FindingOrder& row : finding.orders) {
      for (uint16_t client : row.order) {
        if (client >= clients) fail(root["orders"], fmt::format("there is no client {}", client));
      }
      for (const RequestId& id : row.without) {
        const bool is_there = id.client < row.outcome.outputs.size() &&
                              id.request < row.outcome.outputs[id.client].size() &&
                              id.client < finding.outcome.outputs.size() &&
                              id.request < finding.outcome.outputs[id.client].size();
        if (row.infeasible.empty() && !is_there) {
          fail(root["orders"], fmt::format("client {} has no request {}", id.client, id.request));
        }
      }
    }
    uint32_t last = 0;
    for (const Choice& choice : finding.choices) {
      if (choice.point < last) fail(root["schedule"], "the choices' points do not ascend");
      last = choice.point;
    }
  }

  void keys(const Node& node, std::initializer_list<std::string_view> known) const {
    if (!node.IsMap()) fail(node, "expected keys and values here");
    for (const auto& entry : node) {
      const std::string name = text(entry.first);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        fail(entry.first, fmt::format("unknown key '{}'", name));
      }
    }
  }

  Node need(const Node& node, const char* key) const {
    if (!node.IsMap()) fail(node, fmt::format("expected a key '{}' here", key));
    Node value = node[key];
    if (!value) fail(node, fmt::format("the key '{}' is missing", key));
    return value;
  }

  Node sequence(const Node& node) const {  // by value: range-for keeps it alive
    if (!node.IsSequence()) fail(node, "expected a list here");
    return node;
  }

  Node item(const Node& node, size_t index, size_t size) const {
    if (!node.IsSequence() || node.size() != size) {
      fail(node, fmt::format("expected a list of {} values here", size));
    }
    return node[index];
  }

  std::string text(const Node& node) const {
    if (!node.IsScalar()) fail(node, "expected a text here");
    if (node.Tag() != "tag:yaml.org,2002:binary") return node.Scalar();
    const std::vector<unsigned char> bytes = YAML::DecodeBase64(node.Scalar());
    if (bytes.empty() && !node.Scalar().empty()) fail(node, "this is not base64");
    return {bytes.begin(), bytes.end()};
  }

  template <class T>
  T number(const Node& node) const {
    const std::string digits = text(node);
    T value{};
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (digits.empty() || result.ec != std::errc() || result.ptr != end) {
      fail(node, fmt::format("'{}' is not a number that fits here", digits));
    }
    return value;
  }

  bool flag(const Node& node) const {
    const std::string word = text(node);
    if (word != "true" && word != "false") {
      fail(node, fmt::format("expected true or false, not '{}'", word));
    }
    return word == "true";
  }

  // Optional keys: absent means the type's default.
  void read_text(const Node& node, const char* key, std::string& to) const {
    if (node[key]) to = text(node[key]);
  }
  template <class T>
  void read_number(const Node& node, const char* key, T& to) const {
    if (node[key]) to = number<T>(node[key]);
  }
  void read_flag(const Node& node, const char* key, bool& to) const {
    if (node[key]) to = flag(node[key]);
  }

  std::vector<std::string> texts(const Node& node) const {
    std::vector<std::string> values;
    for (const Node& value : sequence(node)) values.push_back(text(value));
    return values;
  }

  void head(const Node& root, Finding& finding) const {
    finding.id = text(need(root, "id"));
    const Node verdict = need(root, "class");
    const auto known = class_from_name(text(verdict));
    if (!known) fail(verdict, fmt::format("unknown class '{}'", text(verdict)));
    finding.verdict = *known;
    finding.latent = flag(need(root, "latent"));
    for (const std::string& line : texts(need(root, "cause"))) finding.cause += line + '\n';
    finding.hits = number<uint64_t>(need(root, "hits"));
    finding.executions = number<uint64_t>(need(root, "executions"));
    finding.first_execution = number<uint64_t>(need(root, "first_execution"));
    finding.esox_version = text(need(root, "esox_version"));
  }

  void schedule(const Node& node, Finding& finding) const {
    keys(node, {"strategy", "seed", "clock_base_ns", "choices", "values", "control", "operations"});
    finding.strategy = text(need(node, "strategy"));
    finding.seed = number<uint64_t>(need(node, "seed"));
    finding.clock_base_ns = number<uint64_t>(need(node, "clock_base_ns"));
    for (const Node& choice : sequence(need(node, "choices"))) {
      finding.choices.push_back(
          {number<uint32_t>(item(choice, 0, 2)), number<ThreadId>(item(choice, 1, 2)), 0});
    }
    for (const Node& value : sequence(need(node, "values"))) {
      finding.values.push_back(number<uint64_t>(value));
    }
    const Node control = need(node, "control");
    if (!control.IsMap()) fail(control, "expected keys and values here");
    for (const auto& entry : control) finding.control[text(entry.first)] = text(entry.second);
    if (node["operations"]) finding.operations = operations(node["operations"]);
  }

  Operations operations(const Node& node) const {
    keys(node, {"names", "of"});
    Operations to;
    for (const Node& one : sequence(need(node, "names"))) {
      OperationName name;
      name.kind = kind_from_text(text(item(one, 0, 4)));
      name.object = text(item(one, 1, 4));
      name.function = text(item(one, 2, 4));
      name.site = text(item(one, 3, 4));
      to.names.push_back(std::move(name));
    }
    for (const Node& one : sequence(need(node, "of"))) {
      std::vector<uint32_t>& thread = to.of.emplace_back();
      const bool sense = unpack(text(one), kMaxKeptOperations, thread);
      const bool known = std::all_of(thread.begin(), thread.end(),
                                     [&](uint32_t name) { return name < to.names.size(); });
      if (!sense || !known) fail(one, "this is no list of operations by their names' places");
    }
    if (to.of.size() > kMaxSlots) fail(node, "more threads than an execution can have");
    return to;
  }

  void server(const Node& node, FindingServer& to) const {
    keys(node, {"version", "path", "options"});
    to.version = text(need(node, "version"));
    to.path = text(need(node, "path"));
    to.options = texts(need(node, "options"));
  }

  ConcreteInput input(const Node& node) const {
    keys(node, {"id", "title", "origin", "server", "engine", "setting", "engines", "server_options",
                "setup", "clients", "observations", "structures", "summary"});
    ConcreteInput concrete;
    concrete.engine = text(need(node, "engine"));
    if (node["setting"]) concrete.setting = text(node["setting"]);
    Input& in = concrete.input;
    in.id = text(need(node, "id"));
    in.title = text(need(node, "title"));
    in.origin = text(need(node, "origin"));
    in.language = language(node);
    if (node["summary"]) in.summary = text(node["summary"]);
    if (const std::string why = summary_complaint(in.summary, *in.language); !why.empty()) {
      fail(node["summary"], why);
    }
    in.engines = texts(need(node, "engines"));
    in.server_options = texts(need(node, "server_options"));
    in.setup = texts(need(node, "setup"));
    for (const Node& one : sequence(need(node, "clients"))) in.clients.push_back(client(one));
    in.observations = texts(need(node, "observations"));
    if (node["structures"]) {
      for (const Node& one : sequence(node["structures"])) {
        keys(one, {"file", "text"});
        in.structures.push_back({text(need(one, "file")), text(need(one, "text"))});
      }
    }
    return concrete;
  }

  const RequestLanguage* language(const Node& node) const {
    if (!node["server"]) return servers_.front().language;
    try {
      return server_of(servers_, text(node["server"])).language;
    } catch (const InputError& unknown) {
      fail(node["server"], unknown.message());
    }
  }

  InputClient client(const Node& node) const {
    keys(node, {"name", "setup", "requests"});
    InputClient to;
    to.name = text(need(node, "name"));
    to.setup = texts(need(node, "setup"));
    for (const Node& one : sequence(need(node, "requests"))) {
      keys(one, {"text", "ordered"});
      Request request;
      request.text = text(need(one, "text"));
      read_flag(one, "ordered", request.ordered);
      to.requests.push_back(std::move(request));
    }
    return to;
  }

  void ending(const Node& node, Finding& finding) const {
    keys(node, {"kind", "signal", "detail"});
    const Node kind = need(node, "kind");
    const std::string name = text(kind);
    static constexpr EndingKind kKinds[] = {EndingKind::kFinished, EndingKind::kCrash,
                                            EndingKind::kDeadlock, EndingKind::kHang,
                                            EndingKind::kDegraded};
    const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](EndingKind known) { return name == ending_name(known); });
    if (found == std::end(kKinds)) fail(kind, fmt::format("unknown ending '{}'", name));
    finding.ending = *found;
    read_number(node, "signal", finding.signal);
    finding.ending_detail = texts(need(node, "detail"));
  }

  Outcome outcome(const Node& node) const {
    keys(node, {"outputs", "state"});
    Outcome to;
    for (const Node& requests : sequence(need(node, "outputs"))) {
      auto& outputs = to.outputs.emplace_back();
      for (const Node& one : sequence(requests)) outputs.push_back(output(one));
    }
    for (const Node& one : sequence(need(node, "state"))) {
      to.state.components.push_back(component(one));
    }
    return to;
  }

  Output output(const Node& node) const {
    keys(node, {"answered", "error", "sql_state", "message", "affected_rows", "insert_id", "info",
                "warning_count", "warnings", "ordered", "results"});
    Output to;
    to.answered = flag(need(node, "answered"));
    read_number(node, "error", to.error);
    read_text(node, "sql_state", to.sql_state);
    read_text(node, "message", to.message);
    read_number(node, "affected_rows", to.affected_rows);
    read_number(node, "insert_id", to.insert_id);
    read_text(node, "info", to.info);
    read_number(node, "warning_count", to.warning_count);
    read_flag(node, "ordered", to.ordered);
    if (node["warnings"]) {
      for (const Node& one : sequence(node["warnings"])) {
        to.warnings.push_back(
            {text(item(one, 0, 3)), number<uint32_t>(item(one, 1, 3)), text(item(one, 2, 3))});
      }
    }
    if (node["results"]) {
      for (const Node& one : sequence(node["results"])) to.results.push_back(result(one));
    }
    return to;
  }

  ResultSet result(const Node& node) const {
    keys(node, {"columns", "rows"});
    ResultSet to;
    for (const Node& one : sequence(need(node, "columns"))) {
      to.columns.push_back({text(item(one, 0, 2)), text(item(one, 1, 2))});
    }
    for (const Node& one : sequence(need(node, "rows"))) {
      Row& row = to.rows.emplace_back();
      for (const Node& cell : sequence(one)) {
        row.push_back(cell.IsNull() ? Cell{} : Cell{text(cell)});
      }
    }
    return to;
  }

  Digest digest(const Node& node) const {
    const std::string digits = text(node);
    Digest to;
    const char* middle = digits.data() + 16;
    if (digits.size() != 32 || std::from_chars(digits.data(), middle, to.high, 16).ptr != middle ||
        std::from_chars(middle, middle + 16, to.low, 16).ptr != middle + 16) {
      fail(node, fmt::format("'{}' is not a digest of 32 hexadecimal digits", digits));
    }
    return to;
  }

  Component component(const Node& node) const {
    keys(node, {"name", "kind", "meaning", "digest", "count", "unavailable", "elements"});
    Component to;
    to.name = text(need(node, "name"));
    to.meaning = meaning(node, to.name);
    const Node kind = need(node, "kind");
    static constexpr ComponentKind kKinds[] = {ComponentKind::kSet, ComponentKind::kMultiset,
                                               ComponentKind::kMap, ComponentKind::kSequence,
                                               ComponentKind::kCache};
    const std::string name = text(kind);
    const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](ComponentKind known) { return name == name_of(known); });
    if (found == std::end(kKinds)) fail(kind, fmt::format("unknown kind '{}'", name));
    to.kind = *found;
    to.digest = digest(need(node, "digest"));
    to.count = number<uint64_t>(need(node, "count"));
    read_text(node, "unavailable", to.unavailable);
    if (node["elements"]) {
      for (const Node& one : sequence(node["elements"])) to.elements.push_back(element(one));
    }
    return to;
  }

  ComponentMeaning meaning(const Node& node, const std::string& component) const {
    if (!node["meaning"]) return meaning_of(component, components_);
    const std::string name = text(node["meaning"]);
    for (const ComponentMeaning known :
         {ComponentMeaning::kContent, ComponentMeaning::kDamage, ComponentMeaning::kDerived}) {
      if (name == name_of(known)) return known;
    }
    fail(node["meaning"], fmt::format("unknown meaning '{}'", name));
  }

  Element element(const Node& node) const {
    if (!node.IsSequence() || node.size() < 1 || node.size() > 2) {
      fail(node, "expected [value] or [key, value] here");
    }
    if (node.size() == 1) return {"", text(node[0])};
    return {text(node[0]), text(node[1])};
  }

  FindingOrder order(const Node& node) const {
    keys(node, {"name", "clients", "without", "allowed", "infeasible", "differing_requests",
                "differing_components", "unavailable_components", "outcome"});
    FindingOrder to;
    for (const Node& one : sequence(need(node, "clients"))) {
      to.order.push_back(number<uint16_t>(one));
    }
    if (node["without"]) {
      for (const Node& one : sequence(node["without"])) {
        to.without.insert({number<size_t>(item(one, 0, 2)), number<size_t>(item(one, 1, 2))});
      }
    }
    to.allowed = flag(need(node, "allowed"));
    read_text(node, "infeasible", to.infeasible);
    to.differing_requests = texts(need(node, "differing_requests"));
    to.differing_components = texts(need(node, "differing_components"));
    to.unavailable_components = texts(need(node, "unavailable_components"));
    to.outcome = outcome(need(node, "outcome"));
    return to;
  }

  Stamps stamps(const Node& node) const {
    Stamps to;
    for (const Node& client : sequence(node)) {
      auto& requests = to.emplace_back();
      for (const Node& one : sequence(client)) {
        requests.push_back({number<uint64_t>(item(one, 0, 2)), number<uint64_t>(item(one, 1, 2))});
      }
    }
    return to;
  }

  std::vector<FilterText> filters(const Node& node) const {
    std::vector<FilterText> to;
    for (const Node& one : sequence(node)) {
      keys(one, {"file", "text"});
      to.push_back({text(need(one, "file")), text(need(one, "text"))});
    }
    return to;
  }

  Masks masks(const Node& node) const {
    keys(node, {"outputs", "state"});
    Masks to;
    for (const Node& one : sequence(need(node, "outputs"))) {
      keys(one, {"client", "request", "part", "result", "column", "orders"});
      OutputPlace place;
      place.client = number<size_t>(need(one, "client"));
      place.request = number<size_t>(need(one, "request"));
      const Node part = need(one, "part");
      const auto known = part_from_name(text(part));
      if (!known) fail(part, fmt::format("unknown part '{}' of a reply", text(part)));
      place.part = *known;
      place.result = number<size_t>(need(one, "result"));
      place.column = number<size_t>(need(one, "column"));
      to.outputs[place] = number<uint64_t>(need(one, "orders"));
    }
    for (const Node& one : sequence(need(node, "state"))) {
      keys(one, {"component", "key", "orders"});
      StatePlace place{text(need(one, "component")), std::nullopt};
      if (one["key"]) place.key = text(one["key"]);
      to.state[place] = number<uint64_t>(need(one, "orders"));
    }
    return to;
  }

  std::string file_;
  const KnownServers& servers_;
  std::vector<ComponentFacts> components_;  // of the input's server
};

}  // namespace

Finding finding_from_yaml(const std::string& text, const std::string& file,
                          const KnownServers& servers) {
  Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    throw FindingError(
        fmt::format("{}:{}: this is not valid YAML: {}; {}", file, line, error.msg, kRemedy));
  }
  try {
    return Reader(file, servers).read(root);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    throw FindingError(fmt::format("{}:{}: {}; {}", file, line, error.msg, kRemedy));
  }
}

}  // namespace esox
