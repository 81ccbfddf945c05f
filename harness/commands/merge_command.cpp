// SPDX-License-Identifier: Apache-2.0
// esox merge: several machines' stores and hunts become one (harness/nights/merge/merge.h).

#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/nights/merge/merge.h"

namespace esox {
namespace {

constexpr const char* kMergeExamples = R"(
Examples:
  esox merge all shard-*/                 the OUT folders of a hunt's shards, into the folder all
  esox merge esox-out other/esox-out      what another machine found, to what this one did
  esox merge all.db a/findings.db b/findings.db     stores alone, without the findings' folders
  esox merge all shard-7 --json           ... again, when a shard that was missing has come

INTO is a store (a file), or a folder: findings.db in it is the store, and INTO/hunts gets the
findings' folders and each hunt's report. FROM is a store, the OUT of a hunt, or a folder of these.
In any order and as often as you like: each hunt counts once, and FROM stays as it is.

Exit status: 0 done, 2 wrong use or something that cannot be read or written.)";

struct MergeArguments {
  std::string into;
  std::vector<std::string> from;
  std::string copy_findings = "yes";
  JsonOption json;
};

int run(const MergeArguments& arguments) {
  MergeOptions options;
  options.into = arguments.into;
  options.from.assign(arguments.from.begin(), arguments.from.end());
  options.copy_findings = arguments.copy_findings == "yes";
  const MergeResult result = merge(options);
  put_report(arguments.json, merge_text(result), merge_json(result));
  return kNothingFound;
}

}  // namespace

void add_merge_command(Command& app, Chosen& chosen) {
  const auto [command, arguments] = define<MergeArguments>(
      app, chosen, {"merge", "what several machines or nights found, in one store", kMergeExamples},
      run);
  command.add_option("INTO", arguments.into, "a store, or a folder; made if it is not there")
      ->required();
  command.add_option("FROM", arguments.from, "stores, folders of hunts, folders of those")
      ->required();
  command.add_defaulted("--copy-findings", arguments.copy_findings,
                        "whether INTO, a folder, gets the findings' folders and the hunts' reports",
                        one_of({"yes", "no"}));
  add_json_option(command, arguments.json);
}

}  // namespace esox
