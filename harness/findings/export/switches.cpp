// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/switches.h"

#include <fmt/format.h>

#include "analysis/schedule.h"
#include "analysis/thread_name.h"

namespace esox {
namespace {

// A switch more would not help a reader.
constexpr size_t kMostSwitches = 60;

}  // namespace

std::map<uint64_t, std::string> switches_in_words(const Finding& finding) {
  const std::vector<std::string> names = client_names(finding.input.input);
  const auto client = [&](ThreadId thread) { return thread_name(names, thread); };
  std::map<uint64_t, std::string> words;
  std::map<ThreadId, uint32_t> passed;
  const std::vector<Choice>& choices = finding.choices;
  for (size_t i = 0; i + 1 < choices.size() && words.size() < kMostSwitches; ++i) {
    const ThreadId from = choices[i].thread;
    uint32_t& own = passed[from];
    own += choices[i + 1].point - choices[i].point;
    std::string text = fmt::format("{} -> {}", client(from), client(choices[i + 1].thread));
    const Operations& operations = finding.operations;
    if (from < operations.of.size() && own > 0 && own <= operations.of[from].size()) {
      const OperationName& name = operations.names[operations.of[from][own - 1]];
      text += fmt::format(": {} stands at '{}{}{}'", client(from), kind_text(name.kind),
                          name.object.empty() ? "" : " ", name.object);
      if (!name.function.empty()) text += fmt::format(" in {} ({})", name.function, name.site);
    }
    words[choices[i + 1].point] = text;
  }
  return words;
}

}  // namespace esox
