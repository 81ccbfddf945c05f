// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/replies.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "summaries/render.h"

namespace esox {
namespace {

// Errors that tell about the machine or the connection, not about the state being summarised:
// resources (1021, 1037, 1038, 1040, 1041, 1135, 1203), privileges (1044, 1045, 1142, 1143, 1227),
// shutdown and kill (1053, 1317, 1927), statement time-out (1969, 3024), no binary log to read
// (1220), packet too large (1153).
constexpr uint32_t kNotAboutTheState[] = {
    1021, 1037, 1038, 1040, 1041, 1135, 1203, 1044, 1045, 1142,
    1143, 1227, 1053, 1317, 1927, 1969, 3024, 1220, 1153,
};

}  // namespace

std::string unavailability(const Output& output) {
  if (!output.answered) return output.message.empty() ? "no reply" : output.message;
  const auto* const end = std::end(kNotAboutTheState);
  if (std::find(std::begin(kNotAboutTheState), end, output.error) == end) return {};
  return render_error(output);
}

bool has_rows(const Output& output, ComponentBuilder& builder) {
  if (std::string why = unavailability(output); !why.empty()) {
    builder.fail(std::move(why));
    return false;
  }
  if (output.error != 0) builder.add(Element{"", render_error(output)});
  return output.error == 0 && !output.results.empty();
}

Component component_of_rows(std::string name, ComponentKind kind, const Output& output,
                            const std::function<void(const Row&, ComponentBuilder&)>& add) {
  ComponentBuilder builder(std::move(name), kind);
  if (has_rows(output, builder)) {
    for (const Row& row : output.results[0].rows) add(row, builder);
  }
  return std::move(builder).build();
}

bool takes(const Ask& own, const std::string& statement) {
  const Output output = own(statement);
  return output.answered && output.error == 0;
}

bool has_plugin(const Ask& own, const std::string& name) {
  const Output plugins = own("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = '" +
                             name + "' AND PLUGIN_STATUS = 'ACTIVE'");
  return !plugins.results.empty() && !plugins.results[0].rows.empty();
}

void add_those_only_in(const std::vector<std::string>& there, const std::vector<std::string>& here,
                       const std::string& key, ComponentBuilder& builder) {
  std::vector<std::string> only;
  std::ranges::set_difference(there, here, std::back_inserter(only));
  for (std::string& text : only) builder.add(Element{key, std::move(text)});
}

std::string quoted_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "'";
}

std::string prepare(const Ask& own, const std::string& name, const std::string& statement) {
  const Output done = own("PREPARE " + name + " FROM " + quoted_text(statement));
  return done.answered && done.error == 0 ? "EXECUTE " + name : statement;
}

std::string cell(const Row& row, size_t index) {
  return index < row.size() && row[index] ? *row[index] : std::string();
}

}  // namespace esox
