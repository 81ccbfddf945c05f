// SPDX-License-Identifier: Apache-2.0
// See target.h: what holds for a server of which nothing else is said.
#include "targets/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "summaries/annotation/annotated_state.h"
#include "targets/shipped.h"

namespace esox {

namespace fs = std::filesystem;

std::span<const ComponentFacts> Target::components() const {
  return {&kObservationFacts, 1};
}

std::unique_ptr<ServerState> Target::make_state(const SessionView& session) const {
  auto state = std::make_unique<StateSources>();
  state->add(std::make_unique<Observations>(ask_on(session.own), session.input.observations));
  state->add(std::make_unique<AnnotatedProcess>(session.process));
  return state;
}

std::vector<StateAnswer> Target::answer(const RowLog& /*log*/,
                                        std::span<const StateQuestion> questions,
                                        const ReplaySession& /*session*/) const {
  return std::vector<StateAnswer>(
      questions.size(), {.output = {}, .unjudged = "servers of this kind take no rows of a log"});
}

SyncTest Target::sync_test(const SyncTestRequest& /*request*/) const {
  return {.why_not = fmt::format("esox makes tests with sync points for MariaDB only, not for {}",
                                 name())};
}

fs::path Target::inputs_folder() const {
  return shipped("inputs/" + name());
}

std::vector<fs::path> Target::hunted_inputs() const {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(inputs_folder())) {
    if (entry.path() != negative_controls()) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string Target::starter_part() const {
  return fmt::format(
      "servers:\n"
      "  - name: stable\n"
      "    path: {0}                # a path, or a name in $PATH\n"
      "#  - name: tonight\n"
      "#    build: ../{0}               # a build folder\n"
      "#    share: 2                          # twice the time of a server without a share\n"
      "\n"
      "# Each server under each row.\n"
      "options:\n"
      "  - name: default\n"
      "#  - name: small\n"
      "#    server_options: [--an-option=1]\n"
      "\n",
      places().names.front());
}

std::vector<std::string> server_options(const Target& target, const Input& input) {
  std::vector<std::string> options = target.options_for(input);
  options.insert(options.end(), input.server_options.begin(), input.server_options.end());
  return options;
}

// One that says nothing else: the requests as files, a line each.
ExportPieces Target::export_pieces(const ExportedFinding& finding) const {
  ExportPieces pieces;
  pieces.server_options = finding.options;
  pieces.files["setup.txt"] = lines_of(finding.input.setup, "\n");
  for (const InputClient& client : finding.input.clients) {
    pieces.files["client-" + client.name + ".txt"] =
        lines_of(texts_of(finding.input, client), "\n");
  }
  pieces.by_hand = fmt::format(
      "The server was started by\n\n```\n{} {}\n```\n\nsetup.txt is sent first, then each "
      "client-*.txt on a connection of its own.\n\n",
      places().names.front(), fmt::join(finding.options, " "));
  return pieces;
}

}  // namespace esox
