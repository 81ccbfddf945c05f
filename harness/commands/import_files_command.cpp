// SPDX-License-Identifier: Apache-2.0
// See import_files_command.h. The table of counts goes to the standard output.
#include "harness/commands/import_files_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/file_text.h"
#include "harness/commands/import_trials.h"
#include "harness/commands/stop_signals.h"
#include "harness/engine/known_servers.h"
#include "harness/import/corpus.h"
#include "harness/import/corpus_reader.h"
#include "harness/records/out_folder.h"
#include "targets/memcached/text_import.h"
#include "targets/memcached/text_script.h"
#include "targets/sql/import/sql_import.h"
#include "targets/sql/import/sql_script.h"

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

The tables that statements use are those that their texts name. Each input is then tried: those whose
setup fails, or whose replies differ from run to run, are rejected. What is left out is counted, by
reason. More: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or bad input, 3 esox itself failed.)";

constexpr const char* kTextExamples = R"(
A file holds the requests of one session, of memcached's text protocol, as one would send them: a
command line, and after a storage command a line with its data. One file is cut into pairs of
requests that share a key and into short sessions; several files are sessions that go on at the same
time. A line "# esox: setup" begins a part that runs before all clients, "# esox: requests" ends it.

Examples:
  esox import text session.txt --out corpus
  esox import text a.txt b.txt --setup fill.txt --out corpus
  esox hunt corpus --server /usr/bin/memcached

Each input is then tried. What is left out is counted, by reason. More: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or bad input, 3 esox itself failed.)";

struct FilesOptions {
  std::vector<std::string> files;
  std::vector<std::string> setup;
  std::string out;
  CommonOptions common;
  unsigned jobs = kImportJobs;
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

int keep(FilesImport result, const FilesOptions& options, const std::string& kind) {
  if (result.inputs.empty()) {
    std::string reasons;
    for (const auto& [name, number] : result.counts.rejected) {
      reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : ", ", name, number);
    }
    throw UsageError(fmt::format(
        "no input can be made of these files: {}",
        reasons.empty() ? "no two requests share something that one of them changes" : reasons));
  }
  for (ImportedInput& one : result.inputs) one.errors.clear();  // nobody has run them yet
  const Workbench bench = make_workbench(options.common, kind);
  const StopSignals signals;
  Corpus corpus(options.out);
  if (!corpus.best(1).empty()) {
    throw OutError(fmt::format("{} holds inputs already; name a new folder by --out", options.out));
  }
  const bool tried = try_and_keep(std::move(result.inputs), std::move(result.counts), corpus, bench,
                                  options.jobs, signals.stop());
  return tried ? kNothingFound : stopped_import();
}

int import_sql_files(const FilesOptions& options) {
  if (!is_corpus(options.out)) check_out(options.out);
  return keep(import_sql(read_files<SqlFile>(options, kMaxScriptBytes, "a file of SQL"),
                         options.limits, language_of(languages(), "mariadb")),
              options, "mariadb");
}

int import_text_files(const FilesOptions& options) {
  if (!is_corpus(options.out)) check_out(options.out);
  return keep(import_text(read_files<TextFile>(options, kMaxTextScriptBytes, "a file of requests"),
                          options.limits),
              options, "memcached");
}

void add_command(Command& import, const char* name, const char* what, const char* footer,
                 int (*run)(const FilesOptions&), Chosen& chosen) {
  Command* command = import.add_subcommand(name, what);
  auto options = std::make_shared<FilesOptions>();
  command->add_option("files", options->files, "one file per session")->required();
  command
      ->add_option("--out", options->out,
                   "the corpus: a new folder, or one whose import was stopped")
      ->required();
  command->add_option("--setup", options->setup, "a file that is setup only; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--per-test", options->limits.per_test_and_form,
                   "at most so many inputs of each form of a file, or of two files")
      ->capture_default_str()
      ->check(within(1, 100000));
  command
      ->add_option("--per-kinds", options->limits.per_kinds,
                   "at most so many of the same kinds of request")
      ->capture_default_str()
      ->check(within(1, 100000));
  add_import_jobs(*command, options->jobs);
  add_server_options(*command, options->common);
  add_isolation_option(*command, options->common);
  command->footer(footer);
  command->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
}

}  // namespace

void add_import_files_commands(Command& import, Chosen& chosen) {
  add_command(import, "sql", "of files of SQL", kSqlExamples, import_sql_files, chosen);
  add_command(import, "text", "of files of memcached's requests", kTextExamples, import_text_files,
              chosen);
  import.footer(kImportExamples);
}

}  // namespace esox
