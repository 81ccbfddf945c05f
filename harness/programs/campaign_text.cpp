// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/campaign_text.h"

#include <fmt/format.h>

#include "analysis/rows.h"
#include "base/statistics/confidence.h"
#include "base/text/counted.h"
#include "harness/engine/debug_symbols.h"
#include "harness/programs/schedule_text.h"
#include "harness/records/json_text.h"
#include "harness/records/lines.h"
#include "harness/records/progress.h"

namespace esox {
namespace {

constexpr size_t kMostOutputLines = 20;
constexpr size_t kMostScheduleLines = 60;

std::string per_second(const CampaignReport& report) {
  return report.seconds <= 0
             ? "0"
             : fmt::format("{:.0f}", static_cast<double>(report.executions) / report.seconds);
}

std::string indented(const std::string& text, const std::string& indent, size_t most) {
  const std::vector<std::string> lines = lines_of(text);
  std::string result;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > most && i == most) {
      return result + indent + "... " + counted(lines.size() - most, "more line") + "\n";
    }
    result += indent + printable(lines[i]) + "\n";
  }
  return result;
}

std::string output_text(const FoundFailure& found, size_t most) {
  if (found.output.empty()) return "   its output: none\n";
  return "   its output:\n" + indented(found.output, "     | ", most);
}

std::string replays_text(const FoundFailure& found) {
  if (found.replays == 0) return "not replayed";
  return fmt::format("replayed {} of {}", found.replayed, found.replays);
}

// Of a search, the executions are no sample: how many fail tells nothing of how often.
std::string head_lines(const FoundFailure& found, uint64_t executions, bool sampled) {
  std::string text = fmt::format(
      "   in {} of {} executions{}; first in execution {}\n", found.hits, executions,
      sampled ? ": " + rate_text(found.hits, executions) : std::string(), found.record.number);
  for (const std::string& line : found.standing) text += "   " + line + "\n";
  return text;
}

std::string schedule_head(const FoundFailure& found) {
  return fmt::format("   its schedule ({}, {}; strategy {}, seed {}):\n",
                     counted(found.record.trace.size(), "operation"),
                     counted(found.record.choices.size(), "switch", "switches"),
                     found.record.strategy, found.record.seed);
}

std::string title(const FoundFailure& found) {
  return fmt::format("{}: {}", failure_name(found.failure.kind), found.failure.title);
}

void tell_doubts(const CampaignReport& report, std::string& text) {
  for (const auto& [why, count] : report.doubts) {
    text += fmt::format("{} not judged: {}\n", counted(count, "execution"), why);
  }
}

OrderedJson json_of(const FoundFailure& found, uint64_t executions, bool sampled,
                    const std::string& file) {
  OrderedJson json = {{"class", failure_name(found.failure.kind)},
                      {"title", found.failure.title},
                      {"hits", found.hits}};
  if (sampled) {
    const RateInterval interval = interval_of_rate(found.hits, executions);
    json["rate"] = static_cast<double>(found.hits) / static_cast<double>(executions);
    json["rate_low"] = interval.low;
    json["rate_high"] = interval.high;
  }
  json["first_execution"] = found.record.number;
  json["seed"] = found.record.seed;
  json["operations"] = found.record.trace.size();
  json["switches"] = found.record.choices.size();
  json["replays"] = found.replays;
  json["replayed"] = found.replayed;
  json["file"] = file;
  json["output"] = found.output;
  return json;
}

// What a search can say of all schedules, and what it did beside.
std::string search_text(const exhaustive::SearchResult& search) {
  std::string text = text_of(search) + "\n";
  if (search.exhausted && search.bound == exhaustive::Bound::kNone && search.repeated == 0) {
    text += "each partial order was executed once to its end";
    if (search.cut_short != 0) {
      text += fmt::format("; {} turned out to lead to one of them",
                          counted(search.cut_short, "execution"));
    }
    text += "\n";
  }
  return text;
}

// What a search leaves out of a program's orders, and how to have it.
std::string start_order_text(const CampaignPlan& plan, const CampaignReport& report) {
  if (report.threads < 2 || plan.target.control.data_choices.start_order != DataChoiceMode::kOff) {
    return "";
  }
  return "left out: that a thread begins before its creator's next scheduling point "
         "(--data-choices start-order=on)\n";
}

OrderedJson json_of(const exhaustive::SearchResult& search) {
  return {{"exhausted", search.exhausted},
          {"said", text_of(search)},
          {"partial_orders", search.partial_orders},
          {"violating", search.violating},
          {"divided", search.divided},
          {"executions", search.executions},
          {"cut_short", search.cut_short},
          {"repeated", search.repeated},
          {"unusable", search.unusable},
          {"ended_early", search.ended_early},
          {"beyond_bound", search.beyond_bound},
          {"share", search.share}};
}

// Which strategies the executions had, and what came of them.
std::string arms_text(const std::vector<ProgramArm>& arms) {
  std::string text = "the portfolio's executions:";
  for (const ProgramArm& arm : arms) {
    text += fmt::format("{} {} {}", &arm == &arms.front() ? "" : ",", arm.strategy, arm.executions);
    if (arm.failed != 0) text += fmt::format(" ({} failed)", arm.failed);
  }
  return text + "\n";
}

OrderedJson arms_json(const std::vector<ProgramArm>& arms) {
  return json_list(arms, [&](const ProgramArm& arm) -> OrderedJson {
    return {{"strategy", arm.strategy}, {"executions", arm.executions}, {"failed", arm.failed}};
  });
}

OrderedJson jobs_json(const CampaignReport& report) {
  OrderedJson json = OrderedJson::array();
  for (const SearchJob& job : report.jobs) {
    OrderedJson one = json_of(job.result);
    one["points"] = job.points;
    one["state"] = name_of(job.state);
    if (!job.covered_by.empty()) one["covered_by"] = job.covered_by;
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string rate_text(uint64_t hits, uint64_t executions) {
  if (executions == 0) return "none was judged";
  const RateInterval interval = interval_of_rate(hits, executions);
  return fmt::format("{:.3g} % (95 %: {:.3g} to {:.3g} %)",
                     100 * static_cast<double>(hits) / static_cast<double>(executions),
                     100 * interval.low, 100 * interval.high);
}

std::string failure_text(const FoundFailure& found, uint64_t executions, bool sampled) {
  Symbols symbols = debug_symbols(found.record.modules);
  std::string text =
      title(found) + "\n" + head_lines(found, executions, sampled) + schedule_head(found);
  text += indented(schedule_text(found.record, found.threads, symbols), "     ", SIZE_MAX);
  text += output_text(found, SIZE_MAX);
  if (!found.stacks.empty()) {
    text += "   the threads' stacks at its end:\n";
    for (const std::string& line : found.stacks) text += "     " + line + "\n";
  }
  return text;
}

std::string campaign_text(const CampaignPlan& plan, const CampaignReport& report,
                          const std::vector<std::string>& files) {
  std::string text;
  for (size_t i = 0; i < report.failures.size(); ++i) {
    const FoundFailure& found = report.failures[i];
    text += fmt::format("{}. {}\n{}", i + 1, title(found),
                        head_lines(found, report.judged, !plan.search));
    if (i == 0) {
      Symbols symbols = debug_symbols(found.record.modules);
      text += schedule_head(found);
      text += indented(schedule_text(found.record, found.threads, symbols), "     ",
                       kMostScheduleLines);
      text += output_text(found, kMostOutputLines);
    }
    text += fmt::format("   {}: esox exec --replay {}\n\n", replays_text(found), files[i]);
  }
  if (report.more_failures != 0) {
    text += fmt::format("{} failed in yet other ways, which were not kept\n",
                        counted(report.more_failures, "execution"));
  }
  text +=
      fmt::format("{} in {} failing of {} ({} s, {} per second); up to {} with {}\n",
                  counted(report.failures.size(), "distinct failure"), report.failed,
                  counted(report.executions, "execution"), fmt::format("{:.1f}", report.seconds),
                  per_second(report), counted(report.threads, "thread"),
                  counted(report.longest, "scheduling point"));
  if (report.search) text += search_text(*report.search);
  if (!report.jobs.empty()) text += jobs_text(report.jobs, report.jobs_exhausted);
  if (plan.search) text += start_order_text(plan, report);
  if (!report.arms.empty()) text += arms_text(report.arms);
  if (report.failed == 0 && report.judged > 0 && !plan.search) {
    text += fmt::format(
        "a failure that comes in more than {:.2g} % of such executions would have been seen (95 "
        "%)\n",
        100 * upper_bound_of_rate(0, report.judged));
  }
  tell_doubts(report, text);
  if (report.leaking != 0 && !plan.thread_leaks) {
    text += fmt::format(
        "{} left threads neither joined nor detached; --thread-leaks makes that a failure\n",
        counted(report.leaking, "execution"));
  }
  if (report.out_of_time >= kMostOutOfTime) {
    text += fmt::format("ended early: {} took longer than --timeout\n",
                        counted(report.out_of_time, "execution"));
  }
  if (plan.target.accesses.level == AccessLevel::kConflicting && report.tells_accesses) {
    text += fmt::format("plain memory accesses at {} were scheduling points\n",
                        counted(report.access_sites.size(), "call site"));
  }
  if (report.interrupted) text += "stopped before all executions were made\n";
  return text;
}

std::string campaign_json(const CampaignPlan& plan, const CampaignReport& report,
                          const std::vector<std::string>& files, const std::string& version) {
  OrderedJson json = {{"version", version},
                      {"program", plan.target.program.string()},
                      {"arguments", plan.target.arguments},
                      {"strategy", plan.strategy_text},
                      {"seed", plan.seed},
                      {"jobs", plan.jobs},
                      {"executions", report.executions},
                      {"judged", report.judged},
                      {"failed", report.failed},
                      {"thread_leaks", report.leaking},
                      {"points", report.points},
                      {"switches", report.switches},
                      {"longest", report.longest},
                      {"threads", report.threads},
                      {"seconds", report.seconds},
                      {"interrupted", report.interrupted},
                      {"begins", report.at_start ? "with the program" : "with its first thread"},
                      {"not_judged", report.doubts},
                      {"failures", OrderedJson::array()}};
  for (size_t i = 0; i < report.failures.size(); ++i) {
    json["failures"].push_back(json_of(report.failures[i], report.judged, !plan.search, files[i]));
  }
  if (!report.arms.empty()) json["arms"] = arms_json(report.arms);
  if (report.search) json["search"] = json_of(*report.search);
  if (!report.jobs.empty()) {
    json["search_jobs"] = jobs_json(report);
    json["search_jobs_exhausted"] = report.jobs_exhausted;
  }
  return json_text(json);
}

std::string campaign_progress_text(const CampaignPlan& plan, const CampaignProgress& progress) {
  const double rate =
      progress.seconds > 0 ? static_cast<double>(progress.executions) / progress.seconds : 0;
  if (plan.search) {
    return fmt::format("{}{} executions, {:.0f} per second, {} of about {:.3g}, {} in {}, {}",
                       progress.search.now.empty() ? "" : progress.search.now + ": ",
                       progress.executions, rate, exhaustive::share_text(progress.search.share),
                       progress.search.estimate, counted(progress.failures, "failure"),
                       progress.failed, duration_text(progress.seconds));
  }
  return fmt::format("{} of {} executions, {:.0f} per second, {} in {}, {}", progress.executions,
                     plan.executions, rate, counted(progress.failures, "failure"), progress.failed,
                     duration_text(progress.seconds));
}

}  // namespace esox
