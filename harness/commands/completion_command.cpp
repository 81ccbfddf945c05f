// SPDX-License-Identifier: Apache-2.0
// esox completion: the script by which a shell completes esox's command lines.
// esox complete-words: what that script asks at each tab (manual/completion.h).
// esox manual: the manual pages, and both scripts, as an installation has them; for the build.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <filesystem>

#include "base/process/paths.h"
#include "base/sqlite/database.h"
#include "base/text/enum_names.h"
#include "harness/commands/command.h"
#include "harness/commands/manual/command_facts.h"
#include "harness/commands/manual/completion.h"
#include "harness/commands/manual/manual_page.h"
#include "harness/commands/output.h"
#include "harness/commands/version/build_facts.h"
#include "harness/records/out_folder.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompletionExamples = R"(
Examples:
  esox completion bash >~/.local/share/bash-completion/completions/esox
  source <(esox completion bash)                 only for this shell
  esox completion zsh >"${fpath[1]}/_esox"       a folder of your own in $fpath

It completes commands, options, what options can be, files, and the folders of findings. An
installed esox has the scripts in place.

Exit status: 0 written, 2 wrong use, 3 esox itself failed.)";

int completion(const std::string& shell) {
  put(shell == "bash" ? kBashScript : kZshScript);
  return kNothingFound;
}

// Of the store that esox triage uses by default. One that cannot be used has none.
std::vector<std::string> ids_of_findings(const std::string& typed) {
  constexpr const char* kStore = "esox-out/findings.db";
  std::vector<std::string> ids;
  if (!is_file(kStore)) return ids;
  try {
    for (const TriagedFinding& finding : Store(kStore).findings()) {
      if (finding.id.starts_with(typed)) ids.push_back(finding.id);
    }
  } catch (const DatabaseError&) {
    ids.clear();
  }
  return ids;
}

// Folders of findings of a hunt's folder, or of one in a folder, that begins with what was typed.
std::vector<std::string> folders_of_findings(const std::string& typed) {
  std::vector<std::string> folders;
  for (const char* below : {"*/findings/*/", "*/*/findings/*/"}) {
    glob_t found{};
    if (glob((typed + below).c_str(), GLOB_ONLYDIR, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) {
        const std::string folder = found.gl_pathv[i];
        folders.push_back(folder.substr(0, folder.size() - 1));
      }
    }
    globfree(&found);
  }
  return folders;
}

int complete_words(Command& root, const std::vector<std::string>& words) {
  // What the shell is to add, as completion.h tells.
  static constexpr const char* kKinds[] = {"none",      "files", "folders", "program",
                                           "arguments", "files", "none"};
  Offer offer = offer_at(root.app(), words);
  // What is of this machine.
  if (offer.fitting == Fitting::kFindings) offer.candidates = folders_of_findings(offer.typed);
  if (offer.fitting == Fitting::kIds) offer.candidates = ids_of_findings(offer.typed);
  put(fmt::format("{}\n{}{}", name_in(kKinds, offer.fitting), fmt::join(offer.candidates, "\n"),
                  offer.candidates.empty() ? "" : "\n"));
  return kNothingFound;
}

int manual(Command& root, const fs::path& folder) {
  const PageHead head{fmt::format("esox {}", build_facts().version), build_facts().date};
  std::vector<const CLI::App*> all = subcommands_of(root.app());
  all.push_back(&root.app());
  make_folder(folder / "man1");
  for (const CLI::App* command : all) {
    write_whole_file(folder / "man1" / (page_name(*command) + ".1"), manual_page(*command, head));
  }
  write_whole_file(folder / "esox.bash", kBashScript);
  write_whole_file(folder / "_esox", kZshScript);
  return kNothingFound;
}

}  // namespace

void add_completion_command(Command& root, Chosen& chosen) {
  const auto [command, shell] = define<std::string>(
      root, chosen,
      {"completion", "a script that lets a shell complete command lines of esox",
       kCompletionExamples},
      completion);
  command.add_option("SHELL", shell, "the shell")->required()->check(one_of({"bash", "zsh"}));
  const auto [asked, words] = define<std::vector<std::string>>(
      root, chosen, {"complete-words", "what fits a line at the cursor"},
      [&root](const std::vector<std::string>& line) { return complete_words(root, line); });
  asked.add_option("WORD", words, "after --: the line behind esox's name, up to the cursor");
  asked.group("");  // for the scripts
}

void add_manual_command(Command& root, Chosen& chosen) {
  const auto [command, folder] =
      define<std::string>(root, chosen, {"manual", "write the manual pages into a folder"},
                          [&root](const std::string& given) { return manual(root, given); });
  command.add_option("FOLDER", folder, "made if it is not there")->required();
  command.group("");  // nothing a user needs: not in --help, nor in the pages
}

}  // namespace esox
