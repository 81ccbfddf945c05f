// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/cut_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace esox {
namespace {

constexpr size_t kMostInputs = 16;

// All places in which a request may make a task.
template <typename Visit>
void for_each_text(Input& input, const Visit& visit) {
  for (std::string& text : input.setup) visit(text);
  for (InputClient& client : input.clients) {
    for (std::string& text : client.setup) visit(text);
    for (Request& request : client.requests) visit(request.text);
  }
}

// At how many steps it can have failed.
size_t steps_of(CutInput& whole, const std::string& task) {
  size_t steps = 0;
  for_each_text(whole.input.input, [&](const std::string& text) {
    steps = std::max(steps, whole.input.input.language->task_cuts(text, task).size());
  });
  return steps;
}

CutInput cut_at(const CutInput& whole, const std::string& task, size_t step) {
  CutInput made = whole;
  for_each_text(made.input.input, [&](std::string& text) {
    std::vector<TaskCut> cuts = made.input.input.language->task_cuts(text, task);
    if (cuts.empty()) return;
    TaskCut& cut = cuts[std::min(step, cuts.size() - 1)];
    text = cut.request;
    made.cuts.push_back(std::move(cut));
  });
  const std::string much =
      step == 0 ? "nothing" : fmt::format("its first {} step{}", step, step == 1 ? "" : "s");
  made.done += fmt::format("{}{} had done {}", made.done.empty() ? "" : ", ", task, much);
  return made;
}

// A definition stands at the end of whatever shows it: "... DO body", "...: body".
bool shows(std::string_view text, const std::string& body) {
  if (!text.ends_with(body)) return false;
  text.remove_suffix(body.size());
  const size_t before = text.size();
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  if (text.empty() || text.size() == before) return text.empty();
  return text.ends_with(":") || text.ends_with("DO") || text.ends_with("do");
}

void put_cut(std::string& text, std::span<const TaskCut> cuts) {
  for (const TaskCut& cut : cuts) {
    if (!shows(text, cut.body)) continue;
    text.replace(text.size() - cut.body.size(), cut.body.size(), cut.left);
    return;
  }
}

}  // namespace

std::vector<CutInput> cut_inputs(const ConcreteInput& input, std::span<const FailedTask> failed) {
  std::set<std::string> tasks;
  for (const FailedTask& one : failed) tasks.insert(one.task);
  std::vector<CutInput> inputs = {{input, {}, ""}};
  for (const std::string& task : tasks) {
    std::vector<CutInput> next;
    for (CutInput& one : inputs) {
      const size_t steps = steps_of(one, task);
      for (size_t step = 0; step < steps && next.size() < kMostInputs; ++step) {
        next.push_back(cut_at(one, task, step));
      }
    }
    inputs = std::move(next);
  }
  return tasks.empty() ? std::vector<CutInput>() : inputs;
}

Outcome as_if_cut(Outcome outcome, std::span<const TaskCut> cuts) {
  for (Component& component : outcome.state.components) {
    if (component.elements.size() != component.count) continue;
    std::vector<Element> elements = component.elements;
    for (Element& element : elements) put_cut(element.value, cuts);
    if (elements == component.elements) continue;
    component = remade(component, component.kind, std::move(elements));
  }
  for (auto& client : outcome.outputs) {
    for (Output& output : client) {
      for (ResultSet& result : output.results) {
        for (Row& row : result.rows) {
          for (Cell& cell : row) {
            if (cell) put_cut(*cell, cuts);
          }
        }
      }
    }
  }
  outcome.failed_tasks.clear();
  return outcome;
}

}  // namespace esox
