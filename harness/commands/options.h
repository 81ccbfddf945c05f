// SPDX-License-Identifier: Apache-2.0
// The options that several commands have, read and checked in one place.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "filters/rule.h"
#include "harness/commands/cli.h"
#include "harness/commands/json_option.h"
#include "harness/engine/data_choice_list.h"
#include "harness/hunt/exploration.h"
#include "harness/records/triage/store.h"
#include "inputs/input.h"

namespace esox {

// As the user wrote them.
struct CommonOptions {
  std::string server;
  std::vector<std::string> server_options;
  std::string preload;
  std::string isolation = "auto";
  std::string data_choices;  // as given; empty: as without the option
  JsonOption json;
};

struct SearchOptions {
  std::vector<std::string> engines;
  std::string strategy = "portfolio";
  std::string learn = "auto";           // on under the portfolio
  std::string background = "off";       // background.h
  std::string seed;                     // empty: drawn
  std::string summary;                  // empty: as each input says
  std::vector<std::string> structures;  // files
};

// Which filters are in force.
struct FilterOptions {
  std::vector<std::string> files;  // empty: the shipped ones
  bool none = false;
};

void add_filter_options(Command& command, FilterOptions& options);

// The rules of these files, or those shipped for this kind of server; null for none. Throws
// InputError (a file that makes no sense, a rule that has expired) and UsageError.
std::shared_ptr<const RuleSet> load_filters(const FilterOptions& options,
                                            const std::string& server_kind);

// --store, --no-store and --fail-on. `folder`: the option by which the findings' own is named.
void add_store_options(Command& command, std::string& store, bool& no_store, std::string& fail_on,
                       const char* folder);
// Whether the exit status is to say that something was found, by --fail-on.
bool fails_on(const std::string& fail_on, size_t findings, const std::vector<Filed>& filed);

// --shard and --campaign, one part of work that is divided over machines.
void add_shard_options(Command& command, std::string& shard, std::string& campaign);

// --isolation, read by make_workbench.
void add_isolation_option(Command& command, CommonOptions& options);
// --server, --server-option, --preload, --json; parts of them for commands that take no others.
void add_common_options(Command& command, CommonOptions& options);
void add_server_options(Command& command, CommonOptions& options);  // without --server-option
void add_server_option(Command& command, CommonOptions& options);
void add_report_options(Command& command, CommonOptions& options);  // --preload, --json
void add_search_options(Command& command, SearchOptions& options);
// --strategy, of commands that choose schedules. `strategy` holds the default.
void add_strategy_option(Command& command, std::string& strategy);
// --data-choices: what executions that explore may choose beside threads. `last`: the kind that
// only servers have, or programs. Read by make_workbench.
DataChoiceModes data_choices_given(const CommonOptions& options, DataChoiceUse use);
void add_data_choices_option(Command& command, CommonOptions& options, std::string_view last);
// --background, read by exploration_settings; of commands that explore.
void add_background_option(Command& command, SearchOptions& options);
// --learn, read by exploration_settings; of commands that make many executions of one input.
void add_learn_option(Command& command, SearchOptions& options);
// --structures, read by add_structures.
void add_structures_option(Command& command, SearchOptions& options);

// What `option` ("--budget") was given. Throws UsageError.
std::chrono::milliseconds duration_given(const char* option, const std::string& text);

// Where libesox_preload.so is: `wanted` if given; else beside the esox executable, in ../lib/esox
// from there, or in preload/ beside it, where a build puts it. Throws UsageError with the remedy.
std::filesystem::path find_preload(const std::filesystem::path& wanted);

// A seed as written (decimal or 0x...), or a drawn one of 32 bits: short to type, exact in JSON.
// Throws UsageError.
uint64_t seed_of(const std::string& text);

// Strategy, its canonical text, seed, clock. Throws UsageError.
ExplorationSettings exploration_settings(const SearchOptions& options);

// Adds the descriptions of --structures to each input, and looks at all that they have by then.
// Throws InputError.
void add_structures(std::vector<Input>& inputs, const SearchOptions& options);

// Each input on each of its engines, in the inputs' order, with the summary asked for. `left_out`
// gets the ids of those that are not meant for any of the engines asked for. Throws InputError;
// UsageError if nothing is left.
std::vector<ConcreteInput> instantiate_all(const std::vector<Input>& inputs,
                                           const SearchOptions& options,
                                           std::vector<std::string>* left_out);

}  // namespace esox
