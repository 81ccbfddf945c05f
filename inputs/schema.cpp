// SPDX-License-Identifier: Apache-2.0
// From checked fields to inputs and generators.
#include "inputs/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>

#include "inputs/engine.h"
#include "inputs/fields.h"
#include "inputs/file_text.h"
#include "inputs/input_error.h"
#include "inputs/limits.h"
#include "inputs/memcached_request.h"
#include "base/text/spelling.h"
#include "inputs/statement.h"
#include "inputs/summary_parts.h"

namespace esox {
namespace {

constexpr std::array<std::string_view, 10> kInputKeys = {
    "id",    "title",   "server",       "engines",    "server_options",
    "setup", "clients", "observations", "structures", "summary"};
constexpr std::array<std::string_view, 3> kClientKeys = {"name", "setup", "requests"};
constexpr std::array<std::string_view, 2> kRequestKeys = {"sql", "ordered"};
constexpr std::array<std::string_view, 1> kListKeys = {"inputs"};
constexpr std::array<std::string_view, 10> kGeneratorKeys = {
    "generate", "id",     "server",       "engines",    "server_options",
    "setup",    "shapes", "observations", "structures", "summary"};
constexpr std::array<std::string_view, 2> kStructureKeys = {"file", "text"};
constexpr std::array<std::string_view, 5> kShapeKeys = {"name", "sql", "writes", "ordered",
                                                        "setup"};

// The value behind `key` if it is a text, for naming the object in messages before it is checked.
std::string peek(const Node& node, std::string_view key) {
  for (const Field& field : node.fields) {
    if (field.key == key && field.value->kind == Node::Kind::kText) return field.value->text;
  }
  return "";
}

bool has_key(const Node& node, std::string_view key) {
  return std::any_of(node.fields.begin(), node.fields.end(),
                     [&](const Field& field) { return field.key == key; });
}

std::string object_name(const std::string& kind, const std::string& name) {
  return name.empty() ? kind : fmt::format("{} {}", kind, in_quotes(name));
}

Request request_of(const Node& node, const Fields& client, const std::string& file) {
  if (node.kind != Node::Kind::kMapping) {
    const std::string text = client.statement(node, "'requests'");
    return {text, orders_rows(text)};
  }
  const bool is_request = has_key(node, "sql") || has_key(node, "ordered");
  if (!is_request) {
    client.fail(node.line,
                fmt::format("a request of {} must be a text or a mapping with the keys sql and "
                            "ordered; put quotes around a statement that holds ': '",
                            client.object()));
  }
  const Fields fields(node, file, fmt::format("a request of {}", client.object()), kRequestKeys);
  Request request;
  request.text =
      fields.statement(fields.require("sql", "add the statement as 'sql: ...'"), "'sql'");
  const Node* ordered = fields.find("ordered");
  request.ordered = ordered ? fields.boolean(*ordered, "ordered") : orders_rows(request.text);
  return request;
}

std::vector<Request> requests_of(const Fields& client, const std::string& file) {
  constexpr std::string_view kRemedy = "add at least one statement under 'requests:'";
  const Node& node = client.require("requests", kRemedy);
  const auto& items = client.list(node, "requests");
  if (items.empty()) {
    client.fail(node.line, fmt::format("{} has no requests; {}", client.object(), kRemedy));
  }
  if (items.size() > kMaxRequestsPerClient) {
    client.fail(items[kMaxRequestsPerClient]->line,
                fmt::format("{} has more than {} requests; move what need not run concurrently "
                            "to 'setup'",
                            client.object(), kMaxRequestsPerClient));
  }
  std::vector<Request> requests;
  for (const NodePtr& item : items) requests.push_back(request_of(*item, client, file));
  return requests;
}

InputClient client_of(const Node& node, size_t index, const std::string& file) {
  const std::string default_name(1, static_cast<char>('A' + index));
  const std::string shown = peek(node, "name");
  const Fields fields(node, file, object_name("client", shown.empty() ? default_name : shown),
                      kClientKeys);
  InputClient client;
  const Node* name = fields.find("name");
  client.name = name ? fields.name(*name, "name") : default_name;
  client.setup = fields.statements("setup");
  client.requests = requests_of(fields, file);
  return client;
}

void check_client_name(const std::vector<InputClient>& clients, const InputClient& added,
                       const Fields& input, int line) {
  for (const InputClient& client : clients) {
    if (client.name != added.name) continue;
    input.fail(line, fmt::format("{} has two clients named {}; rename one", input.object(),
                                 in_quotes(added.name)));
  }
}

std::vector<InputClient> clients_of(const Fields& input, const std::string& file) {
  constexpr std::string_view kRemedy = "add at least one under 'clients:', two to test concurrency";
  const Node& node = input.require("clients", kRemedy);
  const auto& items = input.list(node, "clients");
  if (items.empty()) {
    input.fail(node.line, fmt::format("{} has no clients; {}", input.object(), kRemedy));
  }
  if (items.size() > kMaxInputClients) {
    input.fail(items[kMaxInputClients]->line,
               fmt::format("{} has more than {} clients; give their requests to fewer",
                           input.object(), kMaxInputClients));
  }
  std::vector<InputClient> clients;
  for (const NodePtr& item : items) {
    InputClient client = client_of(*item, clients.size(), file);
    check_client_name(clients, client, input, item->line);
    clients.push_back(std::move(client));
  }
  return clients;
}

// A description's file, beside the input's own; or, as esox writes it, its text with its name.
StructureText structure_of(const Node& node, const Fields& fields, const std::string& file) {
  if (node.kind == Node::Kind::kMapping) {
    const Fields whole(node, file, "a description of " + fields.object(), kStructureKeys);
    return {whole.text(whole.require("file", "name it"), "'file'"),
            whole.text(whole.require("text", "add its text"), "'text'")};
  }
  const std::filesystem::path name = fields.text(node, "'structures'");
  const std::filesystem::path path =
      name.is_absolute() ? name : std::filesystem::path(file).parent_path() / name;
  return {path.string(), file_text(path)};
}

std::vector<StructureText> structures_of(const Fields& fields, const std::string& file) {
  std::vector<StructureText> structures;
  const Node* node = fields.find("structures");
  if (node == nullptr) return structures;
  for (const NodePtr& item : fields.list(*node, "structures")) {
    if (structures.size() == kMaxStructures) {
      fields.fail(item->line, fmt::format("more than {} descriptions in 'structures' of {}",
                                          kMaxStructures, fields.object()));
    }
    structures.push_back(structure_of(*item, fields, file));
  }
  return structures;
}

void check_engines(const Fields& fields, bool has_placeholder) {
  const Node* engines = fields.find("engines");
  if (engines == nullptr || has_placeholder) return;
  fields.fail(engines->line,
              fmt::format("{} lists engines, but ${{engine}} stands nowhere in it; write "
                          "'ENGINE=${{engine}}' in its CREATE TABLE or remove 'engines'",
                          fields.object()));
}

std::string server_of(const Fields& fields) {
  constexpr std::array<std::string_view, 2> kKinds = {kMariadb, kMemcached};
  const Node* node = fields.find("server");
  if (node == nullptr) return kMariadb;
  std::string kind = fields.name(*node, "server");
  if (std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end()) return kind;
  fields.fail(node->line,
              fmt::format("unknown server {} in {}{}; it is mariadb or memcached", in_quotes(kind),
                          fields.object(), spelling_hint(kind, kKinds)));
}

std::string summary_of(const Fields& fields, const std::string& server) {
  const Node* node = fields.find("summary");
  if (node == nullptr) return {};
  const std::string& text = fields.text(*node, "summary");
  if (server != kMariadb) fields.fail(node->line, "'summary' is for mariadb only; leave it out");
  const std::string complaint = summary_complaint(text);
  if (!complaint.empty()) fields.fail(node->line, "'summary': " + complaint);
  return text;
}

void check_memcached_text(const std::string& text, const Fields& fields) {
  const std::string complaint = memcached_complaint(text);
  if (complaint.empty()) return;
  fields.fail(fields.line(),
              fmt::format("{}: {}: {}", fields.object(), in_quotes(text), complaint));
}

// Replies of memcached come in the order asked for.
void finish_memcached(Input& input, const Fields& fields) {
  if (input.server != kMemcached) return;
  for (const std::string& text : input.setup) check_memcached_text(text, fields);
  for (const std::string& text : input.observations) check_memcached_text(text, fields);
  for (InputClient& client : input.clients) {
    for (const std::string& text : client.setup) check_memcached_text(text, fields);
    for (Request& request : client.requests) {
      check_memcached_text(request.text, fields);
      request.ordered = true;
    }
  }
}

void finish_memcached(PairGenerator& generator, const Fields& fields) {
  if (generator.server != kMemcached) return;
  for (const std::string& text : generator.setup) check_memcached_text(text, fields);
  for (const std::string& text : generator.observations) check_memcached_text(text, fields);
  for (Shape& shape : generator.shapes) {
    for (const std::string& text : shape.setup) check_memcached_text(text, fields);
    check_memcached_text(shape.sql, fields);
    shape.ordered = true;
  }
}

// A shape's name takes part in "a--b", which must be told apart again by people and tools.
std::string shape_name(const Fields& fields, const Node& node) {
  std::string name = fields.name(node, "name");
  const auto is_plain = [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '-';
  };
  if (!std::all_of(name.begin(), name.end(), is_plain) || name.ends_with('-') ||
      name.find("--") != std::string::npos || name.size() > kMaxShapeNameBytes) {
    fields.fail(node.line, fmt::format("name {} of a shape becomes part of ids; use up to {} lower "
                                       "case letters, digits and single '-'",
                                       in_quotes(name), kMaxShapeNameBytes));
  }
  return name;
}

Shape shape_of(const Node& node, const std::string& file) {
  const Fields fields(node, file, object_name("shape", peek(node, "name")), kShapeKeys);
  Shape shape;
  shape.name = shape_name(fields, fields.require("name", "add 'name: ...'"));
  shape.sql = fields.statement(fields.require("sql", "add the statement as 'sql: ...'"), "'sql'");
  shape.writes =
      fields.boolean(fields.require("writes", "say 'writes: true' or 'writes: false'"), "writes");
  const Node* ordered = fields.find("ordered");
  shape.ordered = ordered ? fields.boolean(*ordered, "ordered") : orders_rows(shape.sql);
  shape.setup = fields.statements("setup");
  shape.origin = fields.origin();
  return shape;
}

std::vector<Shape> shapes_of(const Fields& generator, const std::string& file) {
  const Node& node = generator.require("shapes", "add the list of statement shapes");
  const auto& items = generator.list(node, "shapes");
  if (items.size() > kMaxShapes) {
    generator.fail(items[kMaxShapes]->line,
                   fmt::format("more than {} shapes; split the generator", kMaxShapes));
  }
  std::vector<Shape> shapes;
  for (const NodePtr& item : items) {
    Shape shape = shape_of(*item, file);
    for (const Shape& other : shapes) {
      if (other.name != shape.name) continue;
      generator.fail(item->line, fmt::format("two shapes are named {}, the other at {}; rename one",
                                             in_quotes(shape.name), other.origin));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

void check_generator(const Fields& fields, const PairGenerator& generator) {
  if (pair_count(generator) == 0) {
    fields.fail(fields.line(),
                "the generator makes no pair: no shape writes; mark the writers "
                "with 'writes: true'");
  }
  if (pair_text_bytes(generator) > kMaxPairsBytes) {
    fields.fail(fields.line(),
                fmt::format("the pairs would take more than {} MB; shorten the setup "
                            "or split the generator",
                            kMaxPairsBytes >> 20));
  }
}

std::vector<Input> inputs_of_list(const Node& document, const std::string& file) {
  const Fields fields(document, file, "a file with 'inputs'", kListKeys);
  const Node& node = fields.require("inputs", "add at least one input");
  std::vector<Input> inputs;
  for (const NodePtr& item : fields.list(node, "inputs")) inputs.push_back(input_of(*item, file));
  if (inputs.empty()) fields.fail(node.line, "'inputs' is empty; add at least one input");
  return inputs;
}

}  // namespace

Input input_of(const Node& node, const std::string& file) {
  const std::string object = object_name("input", peek(node, "id"));
  const Fields fields(node, file, object, kInputKeys);
  Input input;
  input.id = fields.id(fields.require("id", "add 'id: some/stable-name'"), "id");
  const Node* title = fields.find("title");
  input.title = title ? fields.title(*title) : input.id;
  input.origin = fields.origin();
  input.server = server_of(fields);
  input.engines = fields.engines();
  input.server_options = fields.server_options();
  input.setup = fields.statements("setup");
  input.clients = clients_of(fields, file);
  input.observations = fields.statements("observations");
  input.structures = structures_of(fields, file);
  input.summary = summary_of(fields, input.server);
  check_engines(fields, has_engine_placeholder(input));
  finish_memcached(input, fields);
  return input;
}

PairGenerator generator_of(const Node& node, const std::string& file) {
  const Fields fields(node, file, "the generator", kGeneratorKeys);
  const Node& kind = fields.require("generate", "say 'generate: pairs'");
  if (kind.kind != Node::Kind::kText || kind.text != "pairs") {
    fields.fail(kind.line, fmt::format("'generate' must be 'pairs', not {}",
                                       kind.kind == Node::Kind::kText ? in_quotes(kind.text)
                                                                      : kind_name(kind.kind)));
  }
  PairGenerator generator;
  const Node* id = fields.find("id");
  generator.id = id ? fields.name(*id, "id") : "pairs";
  generator.server = server_of(fields);
  generator.engines = fields.engines();
  generator.server_options = fields.server_options();
  generator.setup = fields.statements("setup");
  generator.shapes = shapes_of(fields, file);
  generator.observations = fields.statements("observations");
  generator.structures = structures_of(fields, file);
  generator.summary = summary_of(fields, generator.server);
  check_generator(fields, generator);
  finish_memcached(generator, fields);
  const std::vector<Input> inputs = expand(generator);
  const bool placeholder = std::any_of(inputs.begin(), inputs.end(), [](const Input& input) {
    return has_engine_placeholder(input);
  });
  check_engines(fields, placeholder);
  return generator;
}

std::vector<Input> inputs_of_document(const Node& document, const std::string& file) {
  if (has_key(document, "generate")) return expand(generator_of(document, file));
  if (has_key(document, "inputs")) return inputs_of_list(document, file);
  return {input_of(document, file)};
}

}  // namespace esox
