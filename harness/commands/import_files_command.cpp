// SPDX-License-Identifier: Apache-2.0
// See import_files_command.h. The table of counts goes to the standard output.
#include "harness/commands/import_files_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/hunt/out_folder.h"
#include "harness/import/corpus.h"
#include "inputs/file_text.h"
#include "inputs/import/sql_import.h"
#include "inputs/import/sql_script.h"
#include "inputs/import/text_import.h"
#include "inputs/import/text_script.h"
#include "inputs/limits.h"
#include "inputs/writer.h"

namespace esox {
namespace {

constexpr const char* kImportExamples = R"(
Examples:
  esox import mtr --suite main --out corpus        MariaDB's own regression suite
  esox import sql session.sql --out corpus         one session, cut into pairs and short sessions
  esox import sql a.sql b.sql --out corpus         two sessions that go on at the same time
  esox import text a.txt b.txt --out corpus        the same with memcached's requests

Each has its own --help. More: docs/importing.md.)";

constexpr const char* kSqlExamples = R"(
One file is what one session did, one statement after the other: it is cut into pairs of statements
and short sessions that could as well have come from different clients. Several files are sessions
that go on at the same time: the input "sessions" has each as a client, and there are inputs of each
pair of statements of two files of which one changes what the other uses.

Statements end as for the mariadb client: by ; or what DELIMITER says. A line with the comment
"-- esox: setup" begins a part that runs before all clients, "-- esox: requests" ends it. Tables
have to be created by the files themselves; inputs begin in the empty database test.

Examples:
  esox import sql session.sql --out corpus
  esox import sql buy.sql sell.sql --setup schema.sql --out corpus
  esox hunt corpus

No server is asked: statements are taken to succeed, and the tables they use are those that their
texts name. A hunt over the corpus leaves out inputs whose setup fails. What is left out is counted,
by reason. More: docs/importing.md.

Exit status: 0 done, 2 wrong use or bad input, 3 esox itself failed.)";

constexpr const char* kTextExamples = R"(
A file holds the requests of one session, of memcached's text protocol, as one would send them: a
command line, and after a storage command a line with its data. One file is cut into pairs of
requests that share a key and into short sessions; several files are sessions that go on at the same
time. A line "# esox: setup" begins a part that runs before all clients, "# esox: requests" ends it.

Examples:
  esox import text session.txt --out corpus
  esox import text a.txt b.txt --setup fill.txt --out corpus
  esox hunt corpus --server /usr/bin/memcached

What is left out is counted, by reason. More: docs/importing.md.

Exit status: 0 done, 2 wrong use or bad input, 3 esox itself failed.)";

struct FilesOptions {
  std::vector<std::string> files;
  std::vector<std::string> setup;
  std::string out;
  SelectionLimits limits;
};

template <typename File>
std::vector<File> read_files(const FilesOptions& options, size_t max_bytes, const char* kind) {
  std::vector<File> files;
  for (const std::string& path : options.setup) {
    files.push_back({path, file_text(path, max_bytes, kind), true});
  }
  for (const std::string& path : options.files) {
    files.push_back({path, file_text(path, max_bytes, kind), false});
  }
  return files;
}

// Written together, inputs are indented deeper than alone.
constexpr size_t kMostYamlBytes = kMaxFileBytes / 2;

void leave_out_large_inputs(FilesImport& result) {
  const size_t gone = std::erase_if(result.inputs, [](const ImportedInput& one) {
    return to_yaml(one.input).size() > kMostYamlBytes;
  });
  if (gone > 0) result.counts.rejected["input: larger than half a file may be"] += gone;
}

// A YAML file has a limit, which many inputs with a large setup would exceed: the rest goes into
// NAME-2, NAME-3 ...
void split_large_files(std::vector<ImportedInput>& inputs) {
  std::map<std::string, std::pair<size_t, size_t>> parts;  // of each name: its part, and its bytes
  for (ImportedInput& one : inputs) {
    auto& [part, bytes] = parts[one.test];
    const size_t own = to_yaml(one.input).size();
    if (bytes > 0 && bytes + own > kMostYamlBytes) {
      ++part;
      bytes = 0;
    }
    bytes += own;
    if (part > 0) one.test += fmt::format("-{}", part + 1);
  }
}

void tell(const FilesImport& result, const Corpus& corpus) {
  std::string text;
  for (const auto& [name, number] : result.counts.stages) {
    text += fmt::format("{:>9}  {}\n", number, name);
  }
  if (!result.counts.rejected.empty()) text += "Left out:\n";
  for (const auto& [name, number] : result.counts.rejected) {
    text += fmt::format("{:>9}  {}\n", number, name);
  }
  text += fmt::format("{} inputs in {}/\n", result.inputs.size(),
                      (corpus.folder() / "inputs").string());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int keep(FilesImport result, const std::string& out) {
  leave_out_large_inputs(result);
  if (result.inputs.empty()) {
    std::string reasons;
    for (const auto& [name, number] : result.counts.rejected) {
      reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : ", ", name, number);
    }
    throw UsageError(fmt::format(
        "no input can be made of these files: {}",
        reasons.empty() ? "no two requests share something that one of them changes" : reasons));
  }
  split_large_files(result.inputs);
  Corpus corpus(out);
  std::vector<CorpusInput> inputs;
  for (const ImportedInput& one : result.inputs) inputs.push_back({one});
  corpus.replace_inputs(inputs, {}, result.counts);
  tell(result, corpus);
  return kNothingFound;
}

int import_sql_files(const FilesOptions& options) {
  check_out(options.out);
  return keep(
      import_sql(read_files<SqlFile>(options, kMaxScriptBytes, "a file of SQL"), options.limits),
      options.out);
}

int import_text_files(const FilesOptions& options) {
  check_out(options.out);
  return keep(import_text(read_files<TextFile>(options, kMaxTextScriptBytes, "a file of requests"),
                          options.limits),
              options.out);
}

void add_command(CLI::App& import, const char* name, const char* what, const char* footer,
                 int (*run)(const FilesOptions&), Chosen& chosen) {
  CLI::App* command = import.add_subcommand(name, what);
  auto options = std::make_shared<FilesOptions>();
  command->add_option("files", options->files, "one file per session")->required();
  command->add_option("--out", options->out, "the corpus: a new folder")->required();
  command->add_option("--setup", options->setup, "a file that is setup only; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--per-test", options->limits.per_test_and_form,
                   "at most so many inputs of each form of a file, or of two files")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--per-kinds", options->limits.per_kinds,
                   "at most so many of the same kinds of request")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command->footer(footer);
  command->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
}

}  // namespace

void add_import_files_commands(CLI::App& import, Chosen& chosen) {
  add_command(import, "sql", "of files of SQL", kSqlExamples, import_sql_files, chosen);
  add_command(import, "text", "of files of memcached's requests", kTextExamples, import_text_files,
              chosen);
  import.footer(kImportExamples);
}

}  // namespace esox
