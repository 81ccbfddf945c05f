// SPDX-License-Identifier: Apache-2.0
// esox grammar: does a grammar make sense, and what does it make?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/engine/known_servers.h"
#include "harness/generate/grammar_sample.h"
#include "harness/records/json_text.h"
#include "inputs/generation/grammar.h"
#include "inputs/generation/grammar_reader.h"
#include "inputs/writer.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr size_t kMostShown = 500'000;

constexpr const char* kGrammarExamples = R"(
Examples:
  esox grammar my.yaml                            is it sound? Ten inputs that it makes
  esox grammar my.yaml --inputs 200 > some.yaml   a file of inputs, for esox hunt some.yaml
  esox grammar                                    the one that comes with esox for MariaDB

Setups are executed, since names are those that the server has after them; nothing else is.
How a grammar is written: docs/grammars.md.

Exit status: 0 the grammar makes inputs, 2 it does not, or makes no sense.)";

struct GrammarOptions {
  CommonOptions common;
  std::string file;
  size_t inputs = 10;
  std::string seed;
};

std::string json_of(const GrammarSample& sample) {
  nlohmann::ordered_json json;
  json["inputs"] = nlohmann::json::array();
  for (const Input& input : sample.inputs) {
    nlohmann::ordered_json clients = nlohmann::json::array();
    for (const InputClient& client : input.clients) {
      nlohmann::json requests = nlohmann::json::array();
      for (const Request& request : client.requests) requests.push_back(request.text);
      clients.push_back({{"setup", client.setup}, {"requests", requests}});
    }
    json["inputs"].push_back({{"id", input.id},
                              {"server_options", input.server_options},
                              {"setup", input.setup},
                              {"clients", clients}});
  }
  json["fruitless_setups"] = sample.fruitless;
  return json_text(json);
}

std::filesystem::path file_of(const GrammarOptions& options) {
  if (!options.file.empty()) return options.file;
  const Target& target = target_of(options.common.server);
  if (const auto shipped = target.grammar_file()) return *shipped;
  throw UsageError(fmt::format("esox has no grammar for {}; name a file of one (docs/grammars.md)",
                               target.name()));
}

int grammar(const GrammarOptions& options) {
  const std::filesystem::path file = file_of(options);
  const std::shared_ptr<const Grammar> grammar = read_grammar(file, languages());
  const uint64_t seed = seed_of(options.seed);
  const StopSignals signals;
  const Workbench bench = make_workbench(options.common, std::string(grammar->language->server()));
  const auto executor = server_executors(*bench.server, bench.executor)({});
  Maker maker(grammar);
  const GrammarSample sample = sample_of(maker, *executor, seed, options.inputs, signals.stop());
  for (const std::string& why : sample.fruitless) {
    fmt::print(stderr, "esox: {}: nothing comes of some setups: {}\n", file.string(), why);
  }
  if (sample.inputs.empty()) {
    if (sample.fruitless.empty())
      fmt::print(stderr, "esox: interrupted before anything was made\n");
    return kBadInput;
  }
  put_report(options.common.json, to_yaml(sample.inputs), json_of(sample));
  fmt::print(stderr, "{}: {}, {}, {}; seed {}\n", file.string(),
             counted(grammar->requests.size(), "request"), counted(grammar->setups.size(), "setup"),
             counted(grammar->rules.size(), "rule"), seed);
  return kNothingFound;
}

}  // namespace

void add_grammar_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<GrammarOptions>(
      app, chosen,
      {"grammar", "does a grammar make sense, and what does it make?", kGrammarExamples}, grammar);
  command.add_option("FILE", options.file, "the grammar (default: the one that comes with esox)");
  command.add_defaulted("--inputs", options.inputs, "how many inputs of it are shown",
                        within(size_t{1}, kMostShown));
  command.add_option("--seed", options.seed, "they follow from it (default: drawn)");
  add_common_options(command, options.common);
  add_isolation_option(command, options.common);
}

}  // namespace esox
