// SPDX-License-Identifier: Apache-2.0
#include "harness/search/search_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace esox {
namespace {

using exhaustive::JobState;

constexpr size_t kMostJobsShown = 30;

std::string job_text(const SearchJob& job) {
  if (job.state == JobState::kCancelled) {
    return fmt::format("cancelled: all of it is in that of {}", job.covered_by);
  }
  if (job.state == JobState::kPending) return "not begun";
  const std::string text = text_of(job.result);
  return job.state == JobState::kSuspended ? "suspended: " + text : text;
}

}  // namespace

std::string text_of(const exhaustive::PointSet& points, Symbols& symbols) {
  std::vector<std::string> names;
  for (int c = 0; c < exhaustive::kPointClasses; ++c) {
    const auto of_class = static_cast<exhaustive::PointClass>(c);
    if (points.has(of_class)) names.emplace_back(name_of(of_class));
  }
  for (const auto& [of_class, site] : points.sites()) {
    if (!points.has(of_class)) names.push_back(symbols.site(site));
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::vector<SearchJob> told_jobs(const exhaustive::IterativeSearch& search, Symbols& symbols) {
  std::vector<SearchJob> jobs;
  for (const exhaustive::Job& job : search.jobs()) {
    const bool now = &job == search.current();
    jobs.push_back(
        {text_of(job.points, symbols), job.state, now ? search.current_result() : job.result, ""});
    if (job.covered_by) {
      jobs.back().covered_by = text_of(search.jobs()[*job.covered_by].points, symbols);
    }
  }
  return jobs;
}

std::string jobs_text(const std::vector<SearchJob>& jobs, bool exhausted) {
  std::string text =
      "jobs of the search, by the points at which a thread was replaced though it could go on:\n";
  size_t shown = 0;
  for (const SearchJob& job : jobs) {
    if (++shown > kMostJobsShown) break;
    text += fmt::format("  {}: {}\n", job.points, job_text(job));
  }
  if (jobs.size() > kMostJobsShown) {
    text += fmt::format("  ... {} more\n", jobs.size() - kMostJobsShown);
  }
  return text + (exhausted ? "exhausted: a job with all points that occur was\n"
                           : "not exhausted: no job with all points that occur was\n");
}

}  // namespace esox
