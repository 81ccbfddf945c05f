// SPDX-License-Identifier: Apache-2.0
// Hunts and findings made by hand, in memory and on disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "analysis/finding.h"
#include "base/process/private_directory.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "harness/records/report.h"
#include "tests/unit/harness/records.h"

namespace esox {

inline constexpr const char* kSomeId = "0123456789abcdef";

// A reads 3: no serial order gives it.
inline Finding some_finding(const std::string& id = kSomeId) {
  ConcreteInput input{two_clients(), "Aria", ""};
  input.input.origin = "folder/some input.yaml:7";
  input.input.setup = {"CREATE TABLE t1 (a INT)"};
  const Judged judged = judged_of(record_of(outcome_of({"3"}, {"1", "2"}), 41));
  Finding finding =
      make_finding(input, judged.report.record, judged.verdict, two_orders(), {}, *judged.cause);
  finding.id = id;
  finding.hits = 3;
  finding.executions = 300;
  finding.server.version = "10.11.6-MariaDB";
  return finding;
}

// "00000000000003e7"
inline std::string id_of(int number) {
  std::ostringstream text;
  text << std::hex;
  text.width(16);
  text.fill('0');
  text << number;
  return text.str();
}

inline HuntFinding line_of(const Finding& finding) {
  HuntFinding line;
  line.id = finding.id;
  line.input = finding.input.input.id;
  line.engine = finding.input.engine;
  line.title = "reads || inserts";
  line.verdict = finding.verdict;
  line.latent = finding.latent;
  line.hits = finding.hits;
  line.draws = 200;
  line.drawn_hits = 2;
  line.executions = finding.executions;
  line.first_execution = finding.first_execution;
  line.seed = finding.seed;
  line.synopsis = {"A1: SELECT a FROM t1", "wrong:    it", "expected: 1", "seen:     3"};
  return line;
}

inline HuntReport some_hunt() {
  HuntReport hunt;
  hunt.esox_version = "0.1.0";
  hunt.server_version = "10.11.6-MariaDB";
  hunt.seed = UINT64_MAX;
  hunt.strategy = "pct:d=3";
  hunt.started = "2030-01-01T00:00:00Z";
  hunt.seconds = 50;
  hunt.ended = true;
  hunt.executions_each = 300;
  hunt.explorations = 3;
  hunt.touched = 2;
  hunt.executions = 400;
  hunt.degraded = 5;
  hunt.degraded_reasons["a thread was lost"] = 5;
  hunt.findings = {line_of(some_finding())};
  hunt.figures = {{{"some/input", "Aria", ""}, "reads || inserts", 2, 100, 300, 0, 3, 1},
                  {{"some/other", "InnoDB", ""}, "", 2, 50, 100, 5, 0, 0},
                  {{"some/third", "InnoDB", ""}, "", 2, 0, 0, 0, 0, 0}};
  hunt.skipped = {{{"some/fourth", "", ""}, "its setup fails: <no table>"}};
  hunt.nondeterminism = {{{"some/other", "InnoDB", ""}, {{"B1: affected rows", 2}}}};
  hunt.unconfirmed = {{{"some/other", "InnoDB", ""},
                       VerdictClass::kLatent,
                       {"cause"},
                       "another outcome",
                       2,
                       9,
                       77}};
  RuleAccount rule;
  rule.name = "listing";
  rule.kind = "included";
  rule.owner = "me";
  rule.reason = "by design";
  rule.executions = 4;
  rule.input = "some/other";
  rule.execution = 8;
  rule.example = "the reply to B1: rows";
  hunt.filters = {rule};
  hunt.not_summarised = "left-over metadata locks";
  hunt.gate = GateReport{3, 3, 3, {}};
  return hunt;
}

// A hunt's folder, with the finding of some_hunt().
class HuntFolder {
 public:
  explicit HuntFolder(const HuntReport& hunt = some_hunt()) {
    make_out(out());
    write("hunt.json", report_json(hunt));
    add(some_finding());
  }

  std::filesystem::path out() const { return folder_.path() / "out"; }
  std::filesystem::path finding() const { return out() / "findings" / kSomeId; }

  void add(const Finding& finding) const {
    const std::filesystem::path place = out() / "findings" / finding.id;
    std::filesystem::create_directories(place);
    write_finding(finding, place / "finding.yaml");
    std::ofstream(place / "trace.txt") << kTrace;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(out() / name, std::ios::binary) << text;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  static constexpr const char* kTrace =
      "Trace of execution 2.\n"
      "\n"
      " point  A                     B                     called by\n"
      "------------------------------------------------------------------\n"
      "     0  A1 begins\n"
      "---- switch A -> B at point 0 ------------------------------------\n"
      "     0                        B1 begins\n"
      "     1                        lock mutex#1 [!]      tdc_acquire+0x4\n"
      "---- switch B -> A at point 1: B could have gone on --------------\n"
      "     2  unlocked mutex#2                            m\xc3\xbcll+0x1\n"
      "        ... 95 operations (points 3-97)\n"
      "    98  A1 ends                                     vio_read+0x41\n"
      "---- switch A -> B at point 98: A has ended ----------------------\n"
      "    99                        B1 ends               vio_read+0x41\n"
      "\n"
      "Objects named above, in the order of their first use\n"
      "  mutex#1           LOCK_open\n";

 private:
  PrivateDirectory folder_{temporary_base()};
};

}  // namespace esox
