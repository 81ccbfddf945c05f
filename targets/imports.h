// SPDX-License-Identifier: Apache-2.0
// What a target brings to esox import, which makes inputs: of files of the server's requests, and
// of the regression tests that its makers run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/import/files_import.h"
#include "inputs/import/selection.h"

namespace esox {

// A subcommand of esox import, as its help tells of it.
struct ImportCommand {
  const char* name;  // "sql"
  const char* of;    // "of files of SQL"
  const char* help;  // what stands behind its options
};

struct FileImport {
  ImportCommand command;
  const char* kind;  // "a file of SQL", for messages
  size_t max_bytes;  // of a file
  // Throws InputError.
  FilesImport (*make)(const std::vector<ImportFile>& files, SelectionLimits limits);
};

// ---- Regression tests

struct SuiteTest {
  std::string suite;                        // "main"
  std::string name;                         // "view"
  std::string left_out;                     // why it is not captured; empty: it is
  std::vector<std::string> server_options;  // that it asks for
  std::string key() const { return suite + "/" + name; }
};

struct FinishedTest {
  enum class Ending { kPassed, kSkipped, kFailed };  // skipped: as it says itself
  std::string suite;
  std::string name;         // "view"
  std::string combination;  // ",innodb" or empty: a runner runs some tests under several settings
  Ending ending = Ending::kFailed;
  std::filesystem::path folder;  // its logs
};

// The suites, and the program that runs them. All throw ServerError.
class TestSuites {
 public:
  virtual ~TestSuites() = default;
  // All tests of the suite in the order of their names; of these, if there are any in `only`, those
  // whose name begins with one of them. There must be some.
  virtual std::vector<SuiteTest> tests_of(const std::string& suite,
                                          const std::vector<std::string>& only) const = 0;
  // Where the runner is run.
  virtual const std::filesystem::path& folder() const = 0;
  // Before it runs. `own`: a folder for all that it writes; finished tests will be in `done`.
  virtual void prepare(const std::filesystem::path& own,
                       const std::filesystem::path& done) const = 0;
  // The runner's program and arguments, without the tests.
  virtual std::vector<std::string> command(const std::filesystem::path& own,
                                           unsigned jobs) const = 0;
  // Names of a finished test's logs.
  virtual std::vector<std::string> logs() const = 0;
  // What is complete in `done` now, in the order of their names.
  virtual std::vector<FinishedTest> finished(const std::filesystem::path& done) const = 0;
  // Of each test that the runner did not even begin, by "suite/name": why, by what it says.
  virtual std::map<std::string, std::string> skipped(std::string_view runner_log) const = 0;
};

// Of a test that has run, with its logs.
struct TestLogs {
  std::string name;  // "main/view"
  std::filesystem::path folder;
  std::vector<std::string> server_options;  // that the test asks for
};

struct TestInputs {
  std::vector<ImportedInput> inputs;
  std::vector<Candidate> too_long;  // of those without a slice for its length, the earliest
};

struct SuiteImport {
  ImportCommand command;
  const char* suite;        // that is imported where nobody says which
  const char* folder_help;  // of the option with the command's name, that says where the suites are
  // An empty folder: near `server`, a program or a folder, or where they usually are. Throws
  // ServerError with the remedy.
  std::unique_ptr<TestSuites> (*open)(const std::filesystem::path& folder,
                                      const std::filesystem::path& server);
  // A command of esox import, not shown, that the runner runs in place of the suite's client
  // program, and what it does with its arguments: it gives the exit status.
  const char* client_command;
  int (*run_as_client)(const std::vector<std::string>& arguments);
  // Inputs of a test with sliced setups, and those to be made again with all that came before; in
  // the language of the target that they are for.
  TestInputs (*slice)(const RequestLanguage& language, const TestLogs& test, Selection& selection,
                      ImportCounts& counts);
  std::vector<ImportedInput> (*again)(const RequestLanguage& language, const TestLogs& test,
                                      std::vector<Candidate> candidates,
                                      const std::set<std::string>& known, Selection& selection,
                                      ImportCounts& counts);
};

}  // namespace esox
