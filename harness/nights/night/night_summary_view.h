// SPDX-License-Identifier: Apache-2.0
// What the summary of a night says, in finished sentences: what summary.txt and summary.html are
// both made of. Every text is one printable line. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace esox {

struct NightSummary;

struct ShownFinding {
  std::string headline;  // "latent: some/input on Aria"
  std::string id;        // with those that are one with it
  std::string words;     // what its class means
  std::vector<std::string> synopsis;
  std::string critical;
  std::vector<std::string> told;  // per server: what changed; whether its schedule came
  std::string command;            // to replay it; empty: its folder is gone
  std::string note;
};

struct ShownSection {
  std::string title;    // "New"
  std::string meaning;  // a sentence
  bool whole = true;    // else a finding is its headline and what changed
  std::vector<ShownFinding> findings;
  std::string left_out;  // "and 12 more: ..."; empty: none
};

struct ShownStage {
  std::string name;
  std::string server;
  std::string time;    // "58m of 1h"
  std::string inputs;  // "300 of 1200"
  std::string executions;
  std::string findings;
  std::string why_not;  // of those not reached; empty: all were
};

struct NightSummaryView {
  std::string title;     // "nightly, 2026-11-22T02-00-00Z"
  std::string headline;  // "2 new, 1 regressed, ..."
  std::vector<std::string> missing;
  std::vector<ShownSection> sections;
  std::vector<ShownStage> stages;
  std::vector<std::pair<std::string, std::string>> facts;
  std::string version;
};

// "2 new, 1 regressed, 5 still there, 1 gone; nothing missing"
std::string night_summary_headline(const NightSummary& summary);

NightSummaryView night_summary_view(const NightSummary& summary);

std::string night_summary_text(const NightSummaryView& view);
std::string night_summary_html(const NightSummaryView& view);

}  // namespace esox
