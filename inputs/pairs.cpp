// SPDX-License-Identifier: Apache-2.0
// Expanding shapes into inputs.
#include "inputs/pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/unique_numbers.h"

namespace esox {
namespace {

using Chosen = std::vector<const Shape*>;

size_t bytes_of(const std::vector<std::string>& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + sizeof(std::string);
  return bytes;
}

void add_missing(std::vector<std::string>& setup, const std::vector<std::string>& more) {
  for (const std::string& statement : more) {
    if (std::ranges::find(setup, statement) == setup.end()) {
      setup.push_back(statement);
    }
  }
}

std::vector<std::string> setup_of(const Generator& generator, const Chosen& chosen) {
  std::vector<std::string> own = chosen.front()->setup;
  for (const Shape* shape : chosen) add_missing(own, shape->setup);
  std::vector<std::string> setup = generator.setup;
  setup.insert(setup.end(), own.begin(), own.end());
  return setup;
}

std::string joined(const Chosen& chosen, std::string_view by) {
  std::string names;
  for (const Shape* shape : chosen) {
    if (!names.empty()) names += by;
    names += shape->name;
  }
  return names;
}

Input input_of(const Generator& generator, const std::string& level, const Chosen& chosen) {
  Input input = generator;
  input.id =
      fmt::format("{}{}{}/{}", generator.id, level.empty() ? "" : "-", level, joined(chosen, "--"));
  input.title = joined(chosen, " || ");
  input.origin = chosen.front()->origin;
  input.setup = setup_of(generator, chosen);
  if (!level.empty()) input.isolation_level = level;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const std::string name(1, static_cast<char>('A' + i));
    input.clients.push_back({name, {}, chosen[i]->requests});
  }
  fill_in_unique_numbers(input.clients);
  return input;
}

// Of n things with repetition.
size_t choices(size_t n, size_t clients) {
  return clients == 2 ? n * (n + 1) / 2 : n * (n + 1) * (n + 2) / 6;
}

// All choices that begin with `chosen` and go on with shapes from `from` on.
void choose(const Generator& generator, const std::string& level, const Chosen& shapes, size_t from,
            Chosen& chosen, std::vector<Input>& inputs) {
  if (chosen.size() == generator.clients) {
    const auto writes = [](const Shape* shape) { return shape->writes; };
    if (std::ranges::none_of(chosen, writes)) return;
    inputs.push_back(input_of(generator, level, chosen));
    return;
  }
  for (size_t i = from; i < shapes.size(); ++i) {
    chosen.push_back(shapes[i]);
    choose(generator, level, shapes, i, chosen, inputs);
    chosen.pop_back();
  }
}

}  // namespace

size_t input_count(const Generator& generator) {
  const auto readers = static_cast<size_t>(
      std::ranges::count_if(generator.shapes, [](const Shape& s) { return !s.writes; }));
  const size_t of_one_level =
      choices(generator.shapes.size(), generator.clients) - choices(readers, generator.clients);
  return of_one_level * std::max<size_t>(generator.isolation_levels.size(), 1);
}

size_t text_bytes(const Generator& generator) {
  size_t each = bytes_of(generator.setup) + bytes_of(generator.observations) +
                bytes_of(generator.server_options) + sizeof(Input);
  for (const StructureText& one : generator.structures) each += one.text.size();
  size_t largest = 0;
  for (const Shape& shape : generator.shapes) {
    size_t bytes = bytes_of(shape.setup);
    for (const Request& request : shape.requests) bytes += request.text.size() + sizeof(Request);
    largest = std::max(largest, bytes);
  }
  return input_count(generator) * (each + generator.clients * largest);
}

size_t longest_id_bytes(const Generator& generator) {
  size_t name = 0;
  for (const Shape& shape : generator.shapes) name = std::max(name, shape.name.size());
  size_t level = 0;
  for (const std::string& one : generator.isolation_levels) level = std::max(level, one.size() + 1);
  return generator.id.size() + level + generator.clients * (name + 2) - 1;
}

std::vector<Input> expand(const Generator& generator) {
  Chosen shapes;
  for (const Shape& shape : generator.shapes) shapes.push_back(&shape);
  std::ranges::sort(shapes, [](const Shape* a, const Shape* b) { return a->name < b->name; });
  std::vector<Input> inputs;
  inputs.reserve(input_count(generator));
  std::vector<std::string> levels = generator.isolation_levels;
  if (levels.empty()) levels.emplace_back();
  for (const std::string& level : levels) {
    Chosen chosen;
    choose(generator, level, shapes, 0, chosen, inputs);
  }
  return inputs;
}

}  // namespace esox
