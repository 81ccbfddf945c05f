// SPDX-License-Identifier: Apache-2.0
// Statements are written in double quotes, whatever they hold: one rule that cannot go wrong. Keys
// with nothing to say are left out.
#include "inputs/writer.h"

#include <yaml-cpp/emitter.h>

#include "inputs/request_language.h"

namespace esox {
namespace {

void write_text(YAML::Emitter& out, const std::string& text) {
  out << YAML::DoubleQuoted << text;
}

void write_field(YAML::Emitter& out, const char* key, const std::string& text) {
  out << YAML::Key << key << YAML::Value;
  write_text(out, text);
}

void write_list(YAML::Emitter& out, const char* key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out << YAML::Key << key << YAML::Value << YAML::BeginSeq;
  for (const std::string& text : texts) write_text(out, text);
  out << YAML::EndSeq;
}

void write_request(YAML::Emitter& out, const Request& request, const RequestLanguage& language) {
  if (request.ordered == language.orders_rows(request.text)) {
    write_text(out, request.text);
    return;
  }
  out << YAML::BeginMap;
  write_field(out, "sql", request.text);
  out << YAML::Key << "ordered" << YAML::Value << request.ordered << YAML::EndMap;
}

void write_client(YAML::Emitter& out, const InputClient& client, const RequestLanguage& language) {
  out << YAML::BeginMap;
  write_field(out, "name", client.name);
  write_list(out, "setup", client.setup);
  out << YAML::Key << "requests" << YAML::Value << YAML::BeginSeq;
  for (const Request& request : client.requests) write_request(out, request, language);
  out << YAML::EndSeq << YAML::EndMap;
}

void write_structures(YAML::Emitter& out, const std::vector<StructureText>& structures) {
  if (structures.empty()) return;
  out << YAML::Key << "structures" << YAML::Value << YAML::BeginSeq;
  for (const StructureText& one : structures) {
    out << YAML::BeginMap;
    write_field(out, "file", one.file);
    write_field(out, "text", one.text);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

void write_input(YAML::Emitter& out, const Input& input) {
  out << YAML::BeginMap;
  write_field(out, "id", input.id);
  write_field(out, "title", input.title);
  if (!input.server().empty()) write_field(out, "server", input.server());
  write_list(out, "engines", input.engines);
  write_list(out, "server_options", input.server_options);
  write_list(out, "setup", input.setup);
  out << YAML::Key << "clients" << YAML::Value << YAML::BeginSeq;
  for (const InputClient& client : input.clients) write_client(out, client, *input.language);
  out << YAML::EndSeq;
  write_list(out, "observations", input.observations);
  write_structures(out, input.structures);
  if (!input.summary.empty()) write_field(out, "summary", input.summary);
  if (!input.isolation_level.empty()) write_field(out, "isolation_level", input.isolation_level);
  out << YAML::EndMap;
}

}  // namespace

std::string to_yaml(const Input& input) {
  YAML::Emitter out;
  write_input(out, input);
  return std::string(out.c_str()) + "\n";
}

std::string to_yaml(const std::vector<Input>& inputs) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "inputs" << YAML::Value << YAML::BeginSeq;
  for (const Input& input : inputs) write_input(out, input);
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace esox
