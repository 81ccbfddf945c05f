// SPDX-License-Identifier: Apache-2.0
// From checked fields to inputs and generators.
#include "inputs/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text/input_error.h"
#include "base/yaml/file_text.h"
#include "base/yaml/limits.h"
#include "inputs/engine.h"
#include "inputs/isolation_level.h"
#include "inputs/limits.h"
#include "inputs/request_fields.h"
#include "inputs/signals.h"
#include "inputs/summary_parts.h"
#include "inputs/unique_numbers.h"

namespace esox {
namespace {

constexpr std::string_view kInputKeys[] = {
    "id",      "title",        "server",     "engines", "server_options",  "setup",
    "clients", "observations", "structures", "summary", "isolation_level", "isolation_levels"};
constexpr std::string_view kClientKeys[] = {"name", "setup", "requests"};
constexpr std::string_view kRequestKeys[] = {"sql", "ordered"};
constexpr std::string_view kListKeys[] = {"inputs"};
constexpr std::string_view kGeneratorKeys[] = {
    "generate", "id",           "server",     "engines", "server_options",  "setup",
    "shapes",   "observations", "structures", "summary", "isolation_levels"};
constexpr std::string_view kStructureKeys[] = {"file", "text"};
constexpr std::string_view kShapeKeys[] = {"name", "sql", "requests", "writes", "ordered", "setup"};

bool has_key(const Node& node, std::string_view key) {
  return std::ranges::any_of(node.fields, [&](const Field& field) { return field.key == key; });
}

Request request_in(const Fields& fields, const RequestLanguage& language) {
  Request request;
  const Node& text = fields.require("sql", "add the statement as 'sql: ...'");
  request.text = request_text(fields, text, "'sql'", language);
  const Node* ordered = fields.find("ordered");
  request.ordered =
      ordered ? fields.boolean(*ordered, "ordered") : language.orders_rows(request.text);
  return request;
}

Request request_of(const Node& node, const Fields& client, const std::string& file,
                   const RequestLanguage& language) {
  if (node.kind != Node::Kind::kMapping) {
    const std::string text = request_text(client, node, "'requests'", language);
    return {text, language.orders_rows(text)};
  }
  const bool is_request = has_key(node, "sql") || has_key(node, "ordered");
  if (!is_request) {
    client.fail(node.line,
                fmt::format("a request of {} must be a text or a mapping with the keys sql and "
                            "ordered; put quotes around a statement that holds ': '",
                            client.object()));
  }
  return request_in(
      Fields(node, file, fmt::format("a request of {}", client.object()), kRequestKeys), language);
}

std::vector<Request> requests_of(const Fields& client, const std::string& file,
                                 const RequestLanguage& language) {
  constexpr std::string_view kRemedy = "add at least one statement under 'requests:'";
  const Node& node = client.require("requests", kRemedy);
  const auto& items = client.list(node, "requests");
  if (items.empty()) {
    client.fail(node.line, fmt::format("{} has no requests; {}", client.object(), kRemedy));
  }
  if (items.size() > kMaxRequestsPerClient) {
    client.fail(
        items[kMaxRequestsPerClient]->line,
        fmt::format("{} has more than {} requests; move what need not run concurrently to 'setup'",
                    client.object(), kMaxRequestsPerClient));
  }
  std::vector<Request> requests;
  requests.reserve(items.size());
  for (const NodePtr& item : items) requests.push_back(request_of(*item, client, file, language));
  return requests;
}

void check_client_name(const std::vector<InputClient>& clients, const InputClient& added,
                       const Fields& input, int line) {
  for (const InputClient& client : clients) {
    if (client.name != added.name) continue;
    input.fail(line, fmt::format("{} has two clients named {}; rename one", input.object(),
                                 in_quotes(added.name)));
  }
}

InputClient client_of(const Node& node, size_t index, const std::string& file,
                      const RequestLanguage& language) {
  const std::string default_name(1, static_cast<char>('A' + index));
  const Fields fields(node, file, object_name(node, "client", "name", default_name), kClientKeys);
  InputClient client;
  const Node* name = fields.find("name");
  client.name = name ? fields.name(*name, "name") : default_name;
  client.setup = request_texts(fields, "setup", language);
  client.requests = requests_of(fields, file, language);
  return client;
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

const RequestLanguage& language_of(const Fields& fields, const std::string& file,
                                   const Languages& languages) {
  const Node* node = fields.find("server");
  if (node == nullptr) return *languages.front();
  return language_of(languages, fields.name(*node, "server"), file, node->line);
}

// A word that the language has something to say about; empty if it is not there.
using Complaint = std::string (*)(const std::string&, const RequestLanguage&);
std::string chosen(const Fields& fields, const char* key, const RequestLanguage& language,
                   Complaint complaint_of) {
  const Node* node = fields.find(key);
  if (node == nullptr) return {};
  const std::string& text = fields.text(*node, key);
  const std::string complaint = complaint_of(text, language);
  if (!complaint.empty()) fields.fail(node->line, fmt::format("'{}': {}", key, complaint));
  return text;
}

// What inputs and generators have in common.
void read_common(const Fields& fields, const std::string& file, const Languages& languages,
                 Input& input) {
  const RequestLanguage& language = language_of(fields, file, languages);
  input.language = &language;
  input.engines = engines_of(fields, language);
  input.server_options = server_options_of(fields, language);
  input.setup = request_texts(fields, "setup", language);
  input.observations = request_texts(fields, "observations", language);
  input.structures = structures_of(fields, file);
  input.summary = chosen(fields, "summary", language, summary_complaint);
  input.isolation_level = chosen(fields, "isolation_level", language, isolation_level_complaint);
}

// A shape's name takes part in "a--b", which must be told apart again by people and tools.
std::string shape_name(const Fields& fields, const Node& node) {
  std::string name = fields.name(node, "name");
  const auto is_plain = [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '-';
  };
  if (!std::ranges::all_of(name, is_plain) || name.ends_with('-') ||
      name.find("--") != std::string::npos || name.size() > kMaxShapeNameBytes) {
    fields.fail(node.line, fmt::format("name {} of a shape becomes part of ids; use up to {} lower "
                                       "case letters, digits and single '-'",
                                       in_quotes(name), kMaxShapeNameBytes));
  }
  return name;
}

// One statement under `sql`, or several under `requests`.
std::vector<Request> requests_of_shape(const Fields& fields, const std::string& file,
                                       const RequestLanguage& language) {
  if (fields.find("requests") != nullptr && fields.find("sql") == nullptr) {
    return requests_of(fields, file, language);
  }
  if (const Node* both = fields.find("requests")) {
    fields.fail(both->line,
                fmt::format("{} has 'sql' and 'requests'; leave one out", fields.object()));
  }
  return {request_in(fields, language)};
}

Shape shape_of(const Node& node, const std::string& file, const RequestLanguage& language) {
  const Fields fields(node, file, object_name(node, "shape"), kShapeKeys);
  Shape shape;
  shape.name = shape_name(fields, fields.require("name", "add 'name: ...'"));
  shape.requests = requests_of_shape(fields, file, language);
  shape.writes =
      fields.boolean(fields.require("writes", "say 'writes: true' or 'writes: false'"), "writes");
  shape.setup = request_texts(fields, "setup", language);
  shape.origin = fields.origin();
  return shape;
}

std::vector<Shape> shapes_of(const Fields& generator, const std::string& file,
                             const RequestLanguage& language) {
  const Node& node = generator.require("shapes", "add the list of statement shapes");
  const auto& items = generator.list(node, "shapes");
  if (items.size() > kMaxShapes) {
    generator.fail(items[kMaxShapes]->line,
                   fmt::format("more than {} shapes; split the generator", kMaxShapes));
  }
  std::vector<Shape> shapes;
  for (const NodePtr& item : items) {
    Shape shape = shape_of(*item, file, language);
    for (const Shape& other : shapes) {
      if (other.name != shape.name) continue;
      generator.fail(item->line, fmt::format("two shapes are named {}, the other at {}; rename one",
                                             in_quotes(shape.name), other.origin));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

void check_generator(const Fields& fields, const Generator& generator) {
  if (input_count(generator) == 0) {
    fields.fail(
        fields.line(),
        "the generator makes no input: no shape writes; mark the writers with 'writes: true'");
  }
  if (longest_id_bytes(generator) > kMaxIdBytes) {
    fields.fail(fields.line(), fmt::format("the generator's inputs would have ids of more than {} "
                                           "bytes; shorten its id or the names of its shapes",
                                           kMaxIdBytes));
  }
  if (text_bytes(generator) > kMaxGeneratedBytes) {
    fields.fail(fields.line(), fmt::format("the generator's inputs would take more than {} MB; "
                                           "shorten the setup or split the generator",
                                           kMaxGeneratedBytes >> 20));
  }
}

void check_engine(const Fields& fields, const char* key, const Input& input) {
  const Node* node = fields.find(key);
  const std::string engine = node != nullptr ? engine_against_level(input) : "";
  if (engine.empty()) return;
  fields.fail(node->line, fmt::format("'{}': tables of {} are of {}, which has no transactions; "
                                      "take another engine or leave the level out",
                                      key, fields.object(), engine));
}

std::vector<std::string> isolation_levels_of(const Fields& fields,
                                             const RequestLanguage& language) {
  std::vector<std::string> levels;
  const Node* node = fields.find("isolation_levels");
  if (node == nullptr) return levels;
  for (const NodePtr& item : fields.list(*node, "isolation_levels")) {
    const std::string& level = fields.text(*item, "isolation_levels");
    if (const std::string why = isolation_level_complaint(level, language); !why.empty()) {
      fields.fail(item->line, fmt::format("'isolation_levels': {}", why));
    }
    if (std::ranges::find(levels, level) != levels.end()) {
      fields.fail(item->line, fmt::format("'isolation_levels': {} stands there twice", level));
    }
    levels.push_back(level);
  }
  return levels;
}

// By what 'generate' says.
size_t clients_of_generator(const Fields& fields) {
  const Node& kind = fields.require("generate", "say 'generate: pairs'");
  const bool is_text = kind.kind == Node::Kind::kText;
  if (is_text && kind.text == "pairs") return 2;
  if (is_text && kind.text == "triples") return 3;
  fields.fail(kind.line, fmt::format("'generate' must be 'pairs' or 'triples', not {}",
                                     is_text ? in_quotes(kind.text) : kind_name(kind.kind)));
}

// One for each level that it names.
std::vector<Input> inputs_of(const Node& node, const std::string& file,
                             const Languages& languages) {
  const Fields fields(node, file, object_name(node, "input", "id"), kInputKeys);
  Input input;
  input.id = fields.id(fields.require("id", "add 'id: some/stable-name'"), "id");
  const Node* title = fields.find("title");
  input.title = title ? title_of(fields, *title) : input.id;
  input.origin = fields.origin();
  read_common(fields, file, languages, input);
  input.clients = clients_of(fields, file, *input.language);
  fill_in_unique_numbers(input.clients);
  check_engines(fields, has_engine_placeholder(input));
  check_engine(fields, "isolation_level", input);
  const Node* several = fields.find("isolation_levels");
  if (several == nullptr) return {input};
  if (!input.isolation_level.empty()) {
    fields.fail(several->line,
                fmt::format("{} has 'isolation_level' and 'isolation_levels'; leave one out",
                            fields.object()));
  }
  std::vector<Input> inputs;
  for (const std::string& level : isolation_levels_of(fields, *input.language)) {
    inputs.push_back(at_level(input, level));
    check_engine(fields, "isolation_levels", inputs.back());
    if (inputs.back().id.size() <= kMaxIdBytes) continue;
    fields.fail(several->line, fmt::format("id {} is too long; shorten that of {}",
                                           in_quotes(inputs.back().id), fields.object()));
  }
  if (inputs.empty()) fields.fail(several->line, "'isolation_levels' is empty; name some");
  return inputs;
}

std::vector<Input> inputs_of_list(const Node& document, const std::string& file,
                                  const Languages& languages, std::vector<InputError>* refused) {
  const Fields fields(document, file, "a file with 'inputs'", kListKeys);
  const Node& node = fields.require("inputs", "add at least one input");
  std::vector<Input> inputs;
  const auto& items = fields.list(node, "inputs");
  for (const NodePtr& item : items) {
    try {
      for (Input& one : inputs_of(*item, file, languages)) inputs.push_back(std::move(one));
    } catch (const InputError& error) {
      if (refused == nullptr) throw;
      refused->push_back(error);
    }
  }
  if (items.empty()) fields.fail(node.line, "'inputs' is empty; add at least one input");
  return inputs;
}

}  // namespace

std::vector<InputClient> clients_of(const Fields& input, const std::string& file,
                                    const RequestLanguage& language) {
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
    InputClient client = client_of(*item, clients.size(), file, language);
    check_client_name(clients, client, input, item->line);
    clients.push_back(std::move(client));
  }
  if (const std::string why = signals_complaint(clients); !why.empty()) {
    input.fail(node.line, fmt::format("{}: {}", input.object(), why));
  }
  return clients;
}

Generator generator_of(const Node& node, const std::string& file, const Languages& languages) {
  const Fields fields(node, file, "the generator", kGeneratorKeys);
  Generator generator;
  generator.clients = clients_of_generator(fields);
  const Node* id = fields.find("id");
  generator.id = id ? fields.name(*id, "id") : "pairs";
  read_common(fields, file, languages, generator);
  generator.isolation_levels = isolation_levels_of(fields, *generator.language);
  generator.shapes = shapes_of(fields, file, *generator.language);
  check_generator(fields, generator);
  const std::vector<Input> inputs = expand(generator);
  const bool placeholder =
      std::ranges::any_of(inputs, [](const Input& input) { return has_engine_placeholder(input); });
  check_engines(fields, placeholder);
  for (const Input& input : inputs) {
    check_engine(
        fields, generator.isolation_levels.empty() ? "isolation_level" : "isolation_levels", input);
  }
  return generator;
}

std::vector<Input> inputs_of_document(const Node& document, const std::string& file,
                                      const Languages& languages,
                                      std::vector<InputError>* refused) {
  if (has_key(document, "generate")) return expand(generator_of(document, file, languages));
  if (has_key(document, "inputs")) return inputs_of_list(document, file, languages, refused);
  return inputs_of(document, file, languages);
}

}  // namespace esox
