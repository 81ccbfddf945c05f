// SPDX-License-Identifier: Apache-2.0
#include "targets/server_state.h"

#include <utility>

#include "summaries/render.h"

namespace esox {

Component observe(const Ask& own, const std::string& request, Identities* identities) {
  ComponentBuilder builder("observation:" + request, ComponentKind::kSequence);
  Output output = own(request);
  if (identities != nullptr) identities->name(output);
  if (!output.answered) builder.fail("the server gave no reply: " + output.message);
  if (output.error != 0) builder.add(output.message);
  if (!output.info.empty()) builder.add(output.info);
  for (const ResultSet& result : output.results) {
    for (const Row& row : result.rows) builder.add(render_row(row));
  }
  Component made = std::move(builder).build();
  made.meaning = ComponentMeaning::kDerived;
  return made;
}

void StateSources::begin() {
  for (auto& source : sources_) source->begin();
}

std::vector<Component> StateSources::take() {
  std::vector<Component> all;
  for (auto& source : sources_) {
    for (Component& component : source->take()) all.push_back(std::move(component));
  }
  return all;
}

std::vector<Component> Observations::take() {
  std::vector<Component> components;
  for (const std::string& request : requests_) components.push_back(observe(own_, request));
  return components;
}

Ask ask_on(Client& client) {
  return [&client](const std::string& text) { return client.run(Request{text, false}); };
}

}  // namespace esox
