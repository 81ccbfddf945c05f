// SPDX-License-Identifier: Apache-2.0
// esox completion: the script by which a shell completes esox's command lines.
// esox manual: the manual pages, and both scripts, as an installation has them; for the build.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "harness/commands/command.h"
#include "harness/commands/manual/completion.h"
#include "harness/commands/manual/manual_page.h"
#include "harness/commands/version/build_facts.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(
Examples:
  esox completion bash >~/.local/share/bash-completion/completions/esox
  source <(esox completion bash)                 only for this shell
  esox completion zsh >"${fpath[1]}/_esox"       a folder of your own in $fpath

It completes commands, options, what options can be, files, and the folders of findings. An
installed esox has the scripts in place.

Exit status: 0 written, 2 wrong use, 3 esox itself failed.)";

int completion(Command& root, const std::string& shell) {
  const CommandFacts facts = command_facts(root.app());
  const std::string script = shell == "bash" ? bash_completion(facts) : zsh_completion(facts);
  if (std::fputs(script.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw OutError("cannot write the script to the standard output; is the disk full?");
  }
  return kNothingFound;
}

int manual(Command& root, const fs::path& folder) {
  const CommandFacts all = command_facts(root.app());
  const PageHead head{fmt::format("esox {}", build_facts().version), build_facts().date};
  make_folder(folder / "man1");
  const auto write_page = [&](const CommandFacts& command) {
    write_whole_file(folder / "man1" / (command.page_name() + ".1"),
                     manual_page(command, all, head));
  };
  write_page(all);
  for (const CommandFacts& command : all.parts) write_page(command);
  write_whole_file(folder / "esox.bash", bash_completion(all));
  write_whole_file(folder / "_esox", zsh_completion(all));
  return kNothingFound;
}

}  // namespace

void add_completion_command(Command& root, Chosen& chosen) {
  const auto [command, shell] = define<std::string>(
      root, chosen,
      {"completion", "a script that lets a shell complete command lines of esox", kExamples},
      [&root](const std::string& name) { return completion(root, name); });
  command.add_option("SHELL", shell, "the shell")->required()->check(one_of({"bash", "zsh"}));
}

void add_manual_command(Command& root, Chosen& chosen) {
  const auto [command, folder] =
      define<std::string>(root, chosen, {"manual", "write the manual pages into a folder"},
                          [&root](const std::string& given) { return manual(root, given); });
  command.add_option("FOLDER", folder, "made if it is not there")->required();
  command.group("");  // nothing a user needs: not in --help, nor in the pages
}

}  // namespace esox
