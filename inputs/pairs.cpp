// SPDX-License-Identifier: Apache-2.0
// Expanding shapes into pairs.
#include "inputs/pairs.h"

#include <fmt/format.h>

#include <algorithm>

namespace esox {
namespace {

size_t bytes_of(const std::vector<std::string>& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + sizeof(std::string);
  return bytes;
}

void add_missing(std::vector<std::string>& setup, const std::vector<std::string>& more) {
  for (const std::string& statement : more) {
    if (std::find(setup.begin(), setup.end(), statement) == setup.end()) {
      setup.push_back(statement);
    }
  }
}

std::vector<std::string> setup_of(const PairGenerator& generator, const Shape& a, const Shape& b) {
  std::vector<std::string> own = a.setup;
  add_missing(own, b.setup);
  std::vector<std::string> setup = generator.setup;
  setup.insert(setup.end(), own.begin(), own.end());
  return setup;
}

Input pair_of(const PairGenerator& generator, const Shape& a, const Shape& b) {
  Input input = generator;
  input.id = fmt::format("{}/{}--{}", generator.id, a.name, b.name);
  input.title = fmt::format("{} || {}", a.name, b.name);
  input.origin = a.origin;
  input.setup = setup_of(generator, a, b);
  input.clients = {InputClient{"A", {}, {Request{a.sql, a.ordered}}},
                   InputClient{"B", {}, {Request{b.sql, b.ordered}}}};
  return input;
}

}  // namespace

size_t pair_count(const PairGenerator& generator) {
  const size_t all = generator.shapes.size();
  const auto readers = static_cast<size_t>(std::count_if(
      generator.shapes.begin(), generator.shapes.end(), [](const Shape& s) { return !s.writes; }));
  return all * (all + 1) / 2 - readers * (readers + 1) / 2;
}

size_t pair_text_bytes(const PairGenerator& generator) {
  size_t common = bytes_of(generator.setup) + bytes_of(generator.observations) +
                  bytes_of(generator.server_options) + sizeof(Input);
  for (const StructureText& one : generator.structures) common += one.text.size();
  size_t bytes = pair_count(generator) * common;
  for (const Shape& shape : generator.shapes) {
    bytes += (generator.shapes.size() + 1) * (shape.sql.size() + bytes_of(shape.setup));
  }
  return bytes;
}

std::vector<Input> expand(const PairGenerator& generator) {
  std::vector<const Shape*> shapes;
  for (const Shape& shape : generator.shapes) shapes.push_back(&shape);
  std::sort(shapes.begin(), shapes.end(),
            [](const Shape* a, const Shape* b) { return a->name < b->name; });
  std::vector<Input> inputs;
  inputs.reserve(pair_count(generator));
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = i; j < shapes.size(); ++j) {
      if (shapes[i]->writes || shapes[j]->writes) {
        inputs.push_back(pair_of(generator, *shapes[i], *shapes[j]));
      }
    }
  }
  return inputs;
}

}  // namespace esox
