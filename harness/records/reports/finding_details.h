// SPDX-License-Identifier: Apache-2.0
// A finding as a report shows it: its line of hunt.json with what its folder holds, in words.
//
// The folder's finding.yaml is judged again, without a server, which gives the differences from
// each serial order; trace.txt is the interleaving; diagnosis.json, minimised.yaml, affected.json
// and reproduce.json are taken if they are there. A folder that lacks finding.yaml, or whose files
// are damaged, leaves a finding with `damage`: what hunt.json says of it is still there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/dependency_svg.h"
#include "analysis/report/timeline.h"
#include "harness/records/affected.h"
#include "harness/records/report.h"
#include "harness/records/reports/interleaving.h"

namespace esox {

// Lines of one list of differences, rows of one interleaving, lines of a text: what a report shows.
inline constexpr size_t kShownValues = 20;
inline constexpr size_t kShownRows = 240;
inline constexpr size_t kShownLines = 200;
inline constexpr size_t kShownOrders = 24;
// Bytes of one statement or value.
inline constexpr size_t kShownBytes = 2000;

struct NamedText {
  std::string name;  // "A1"
  std::string text;
};

// Where a serial order's outcome differs from the execution's.
struct PlaceDifference {
  std::string place;                 // "the reply to B1 (rows)"
  std::vector<std::string> missing;  // what the order gives and the execution did not
  std::vector<std::string> extra;    // the other way round
  size_t missing_left_out = 0;
  size_t extra_left_out = 0;
  std::string note;
};

enum class Sameness { kSame, kDiffers, kUnknown };

// One row of the table of serial orders.
struct OrderDetails {
  std::string order;  // "A1 B1"
  bool possible = false;
  std::string infeasible;            // not empty: could not be executed; nothing is compared
  std::vector<Sameness> replies;     // by request
  std::vector<Sameness> components;  // by FindingDetails::components
  std::vector<PlaceDifference> differences;
};

struct DiagnosisDetails {
  std::string sentence;  // empty: there is no critical switch
  std::string why_none;
  std::string accepted_as;
  bool confirmed = false;
  size_t recorded_switches = 0;
  size_t fewest_switches = 0;
  std::string moved, other;  // the operations of the critical pair
  // Functions at the critical switch, of the stacks' frames: the switched client's first.
  std::vector<std::string> functions;
  std::string text;  // diagnosis.txt
};

struct MinimisedDetails {
  std::vector<NamedText> requests;
  std::vector<std::string> setup;
};

struct FindingDetails {
  HuntFinding line;
  std::string damage;  // not empty: what is missing or wrong; the fields below may be empty

  std::string origin;   // "file.yaml:12", of the input
  std::string server;   // of the input
  std::string program;  // of the server, its file's name
  std::string strategy;
  std::vector<NamedText> requests;
  std::vector<std::string> setup;
  std::vector<std::string> observations;
  std::string headline;               // what is wrong, in one line (synopsis.h)
  std::string wrong, expected, seen;  // the first difference from the nearest order

  std::vector<std::string> request_names;
  std::vector<std::string> components;  // that differ from some order
  size_t equal_components = 0;
  std::vector<OrderDetails> orders;
  size_t orders_left_out = 0;
  std::vector<std::string> ending;  // of a crash, a deadlock, a hang

  std::string anomaly;  // between transactions: its name; empty: there is none
  Timeline timeline;    // of these
  DependencyPicture picture;

  Interleaving interleaving;
  std::optional<DiagnosisDetails> diagnosis;
  std::optional<MinimisedDetails> minimised;
  std::optional<AffectedTable> affected;
  std::optional<ReproducerRecord> reproducer;
  std::vector<std::string> files;  // of the folder
  // Whether functions stand in most places of the interleaving, and not "memcached+0x1b2c".
  bool names_code = true;
};

// 16 hex digits, as a finding's id is: only then it names a folder.
bool is_finding_id(const std::string& id);

// `folder` is OUT/findings/ID. Never throws for what the folder holds.
FindingDetails read_finding_details(const HuntFinding& line, const std::filesystem::path& folder);

}  // namespace esox
