// SPDX-License-Identifier: Apache-2.0
// What the summary of a night says, in finished sentences, each one printable line: what
// summary.txt and summary.html are both made of. Names are those of page/night.html; an empty text
// is absent.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/rows.h"
#include "base/text/counted.h"
#include "harness/nights/night/night_summary_files.h"
#include "harness/nights/night/recheck_result.h"
#include "harness/records/json_text.h"
#include "harness/records/progress.h"
#include "harness/records/rate_text.h"
#include "harness/records/reports/miss_probability.h"
#include "harness/records/reports/mustache_view.h"
#include "harness/records/reports/page.h"

namespace esox {
namespace {

constexpr size_t kWhole = 20;    // findings of a section that are told whole
constexpr size_t kListed = 100;  // and those of one that is a list; changes.json has all
constexpr size_t kReasons = 5;   // of inputs not reached

// ---- what is said of a finding

std::string hits_text(const Change& change) {
  if (change.hits > 0) return repeats_text(change.hits, change.executions);
  return fmt::format("by its own schedule, tried again{}",
                     change.executions > 0
                         ? fmt::format("; in none of {} executions besides", change.executions)
                         : "");
}

std::string since_text(const Change& change) {
  return fmt::format("none in {} over {} since {}", counted(change.executions_since, "execution"),
                     counted(change.nights_since, "night"), change.last_met);
}

std::string remaining_text(const Change& change) {
  return fmt::format("with 95 % confidence what remains comes in fewer than {} of them",
                     share_text(change.remaining));
}

std::string was_gone_text(const Change& change) {
  if (change.marked_fixed) return "it was marked fixed";
  return "it was gone since " + change.gone_since;
}

std::string not_met_text(const Change& change) {
  if (change.executions == 0 && change.nights_since == 0) {
    return fmt::format(
        "not looked for since {}: its inputs had no execution that says anything new",
        change.last_met);
  }
  return fmt::format(
      "{}; that is too few to say: one that is still there comes so late with a chance of up to {} "
      "(gone is said at {}){}",
      since_text(change), share_text(change.chance), share_text(change.risk),
      change.executions == 0 ? "; not looked for tonight" : "");
}

std::string change_text(const Change& change) {
  switch (change.fate) {
    case Fate::kNew:
      return hits_text(change);
    case Fate::kRegressed:
      return fmt::format("{}; {}", hits_text(change), was_gone_text(change));
    case Fate::kStillThere:
      return hits_text(change) + (change.first_here
                                      ? "; known before, but met here for the first time"
                                      : "; last met " + change.last_met);
    case Fate::kNotMet:
      return not_met_text(change);
    case Fate::kGone:
      return fmt::format("{}; were it still there, that would have a chance of at most {}; {}",
                         since_text(change), share_text(change.chance), remaining_text(change));
    case Fate::kGoneBefore:
      break;
  }
  if (change.nights_since == 0) return was_gone_text(change) + "; not looked for since";
  return fmt::format("{}; {}; {}", was_gone_text(change), since_text(change),
                     remaining_text(change));
}

std::string recheck_text(const StoredRecheck& one) {
  const std::string why = one.why.empty() ? "" : ": " + one.why;
  if (!has_told(one.result)) return "its schedule could not be tried again" + why;
  if (came(one.result)) return fmt::format("its schedule gave it again, {}", one.result);
  return "its schedule does not give it any more" + why;
}

std::vector<std::string> told_of(const SummaryFinding& one) {
  std::vector<std::string> told;
  for (const Change& change : one.changes) {
    std::string line = fmt::format("{}: {}", change.server, change_text(change));
    for (const StoredRecheck& recheck : one.tried_again) {
      if (recheck.server_name == change.server) line += "; " + recheck_text(recheck);
    }
    told.push_back(printable(line));
  }
  return told;
}

std::vector<std::string> all_printable(std::vector<std::string> lines) {
  for (std::string& line : lines) line = printable(line);
  return lines;
}

Json finding_view(const SummaryFinding& one) {
  return {{"headline", printable(fmt::format("{}: {}", one.verdict, one.place))},
          {"id", one.id},
          {"words", one.words},
          {"synopsis", fmt::format("{}", fmt::join(all_printable(one.synopsis), "\n"))},
          {"critical", printable(one.critical)},
          {"told", told_of(one)},
          {"command", one.folder.empty() ? "" : "esox replay " + printable(one.folder.string())},
          {"note", printable(one.note)}};
}

// ---- sections

// A finding that is not told whole is its headline and what changed.
struct SectionWords {
  Fate fate;
  const char* title;
  const char* meaning;
  bool whole;
};
constexpr std::array kSections = {
    SectionWords{Fate::kNew, "New", "Never met before, on no server.", true},
    SectionWords{Fate::kRegressed, "Regressed", "Was gone or marked fixed, and is back.", true},
    SectionWords{Fate::kGone, "Gone",
                 "Not met for so long that one still there is ever called so with at most 5 %.",
                 true},
    SectionWords{Fate::kStillThere, "Still there", "Met before, and tonight.", true},
    SectionWords{Fate::kNotMet, "Not met tonight", "Which says too little to call them gone.",
                 false},
    SectionWords{Fate::kGoneBefore, "Gone before", "And not met tonight.", false}};
constexpr SectionWords kClosed = {Fate::kNotMet, "Known and false positives",
                                  "Met tonight; somebody has decided about them.", false};

Json section_view(const std::vector<const SummaryFinding*>& findings, const SectionWords& words) {
  const size_t most = words.whole ? kWhole : kListed;
  Json view = {{"title", words.title},
               {"meaning", words.meaning},
               {"whole", words.whole},
               {"findings", Json::array()},
               {"left_out", ""}};
  for (size_t i = 0; i < findings.size() && i < most; ++i) {
    view["findings"].push_back(finding_view(*findings[i]));
  }
  if (findings.size() > most) {
    view["left_out"] =
        fmt::format("and {} more, in changes.json beside this", findings.size() - most);
  }
  return view;
}

Json sections_view(const NightSummary& summary) {
  Json sections = Json::array();
  for (const SectionWords& words : kSections) {
    std::vector<const SummaryFinding*> findings;
    for (const SummaryFinding& one : summary.findings) {
      if (one.fate == words.fate) findings.push_back(&one);
    }
    if (!findings.empty()) sections.push_back(section_view(findings, words));
  }
  std::vector<const SummaryFinding*> closed;
  for (const SummaryFinding& one : summary.closed) closed.push_back(&one);
  if (!closed.empty()) sections.push_back(section_view(closed, kClosed));
  return sections;
}

// ---- stages and facts

// "300: not reached before the budget was spent; 2: setup fails: ..."
std::string why_not(const StageReport& stage) {
  std::map<std::string, uint64_t> reasons;
  for (const NotDone& one : stage.not_done) ++reasons[one.why];
  std::vector<std::pair<uint64_t, std::string>> most;
  for (const auto& [why, count] : reasons) most.emplace_back(count, why);
  std::sort(most.rbegin(), most.rend());
  std::vector<std::string> lines;
  for (const auto& [count, why] : most) {
    if (lines.size() == kReasons) break;
    lines.push_back(fmt::format("{}: {}", count, printable(why)));
  }
  if (most.size() > kReasons) {
    lines.push_back(counted(most.size() - kReasons, "more reason") + ", in night.json");
  }
  if (lines.empty() && stage.inputs_reached < stage.inputs_planned) {
    lines.push_back(
        fmt::format("{}: nobody said why", stage.inputs_planned - stage.inputs_reached));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

Json stage_view(const StageReport& stage) {
  return {
      {"name", printable(stage.name)},
      {"server", printable(stage.server_name + ", " +
                           (stage.server_version.empty() ? "not started" : stage.server_version))},
      {"time", duration_text(stage.seconds) +
                   (stage.budget_s > 0 ? " of " + duration_text(stage.budget_s) : "")},
      {"inputs", fmt::format("{} of {}", stage.inputs_reached, stage.inputs_planned)},
      {"executions",
       std::to_string(stage.executions) +
           (stage.degraded > 0 ? fmt::format(", {} not judged", stage.degraded) : "")},
      {"findings", std::to_string(stage.findings)},
      {"why_not", why_not(stage)}};
}

WorkerTime worker_time(const NightReport& night) {
  WorkerTime sum;
  for (const StageReport& stage : night.stages) add_fields(sum, stage.time);
  return sum;
}

std::string rechecks_text(const NightSummary& summary) {
  size_t all = 0;
  std::vector<std::string> parts;
  for (const auto& [result, count] : summary.rechecks) {
    all += count;
    parts.push_back(fmt::format("{} {}", count, result));
  }
  if (all == 0) return "";
  return fmt::format("{} tried again in {}: {}", counted(all, "known schedule"),
                     duration_text(summary.night.recheck_s), fmt::join(parts, ", "));
}

std::string trouble_text(const NightReport& night) {
  uint64_t restarts = 0;
  uint64_t replaced = 0;
  for (const StageReport& stage : night.stages) {
    restarts += stage.restarts;
    replaced += stage.workers_replaced;
  }
  if (restarts + replaced == 0 && night.launches <= 1) return "";
  return fmt::format("{} of the night, {} of stages, {} replaced (log.jsonl says why)",
                     counted(night.launches, "launch", "launches"), counted(restarts, "restart"),
                     counted(replaced, "stuck worker"));
}

Json facts_view(const NightSummary& summary) {
  const NightReport& night = summary.night;
  Json facts = Json::array();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back({{"name", name}, {"value", printable(value)}});
  };
  add("Began", night.started);
  add("Ended", night.ended);
  add("Time", duration_text(night.seconds) +
                  (night.budget_s ? " of " + duration_text(*night.budget_s) : ""));
  add("Shard", night.shard);
  add("Inputs, times engines",
      fmt::format("{} of {} had their turn{}", summary.inputs_reached, summary.inputs_planned,
                  night.nights_until_all > 0
                      ? "; each has it within " + counted(night.nights_until_all, "night")
                      : ""));
  add("Known findings", rechecks_text(summary));
  const WorkerTime time = worker_time(night);
  if (time.total_s() > 0) {
    add("Workers' time",
        fmt::format("{} executing, {} preparing, {} other", share_text(time.executing_share()),
                    share_text(time.preparing_s / time.total_s()),
                    share_text(time.other_s / time.total_s())));
  }
  add("Trouble", trouble_text(night));
  add("Hunt file", night.file.string());
  return facts;
}

}  // namespace

std::string night_summary_headline(const NightSummary& summary) {
  std::vector<std::string> parts;
  for (const Fate fate : kFates) {
    const size_t count = summary.count(fate);
    const bool always = fate == Fate::kNew || fate == Fate::kRegressed;
    if (count > 0 || always) parts.push_back(fmt::format("{} {}", count, fate_name(fate)));
  }
  if (!summary.closed.empty()) parts.push_back(fmt::format("{} known", summary.closed.size()));
  const std::string findings = fmt::format("{}", fmt::join(parts, ", "));
  const std::string turns =
      summary.inputs_reached < summary.inputs_planned
          ? fmt::format("; {} of {} had no turn", summary.inputs_planned - summary.inputs_reached,
                        counted(summary.inputs_planned, "input"))
          : "";
  if (summary.missing.empty()) return findings + "; nothing missing" + turns;
  return fmt::format("{} missing; {}{}", counted(summary.missing.size(), "thing"), findings, turns);
}

Json night_summary_view(const NightSummary& summary) {
  const NightReport& night = summary.night;
  Json stages =
      json_list<Json>(night.stages, [&](const StageReport& stage) { return stage_view(stage); });
  Json sections = sections_view(summary);
  return {{"title", printable(night.name.empty() ? night.id : night.name + ", " + night.id)},
          {"headline", night_summary_headline(summary)},
          {"missing", all_printable(summary.missing)},
          {"some_sections", !sections.empty()},
          {"sections", std::move(sections)},
          {"stages", std::move(stages)},
          {"facts", facts_view(summary)},
          {"version", printable(night.esox_version)}};
}

std::string night_summary_html(const NightSummary& summary) {
  Json view = night_summary_view(summary);
  view["style"] = kPageStyle;
  return mustache_page(kNightPage).render(mustache_data(view));
}

}  // namespace esox
