// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/find_sync_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "base/process/server_error.h"
#include "base/text/counted.h"
#include "targets/mariadb/sync/patched_build.h"
#include "targets/mariadb/sync/sync_search.h"
#include "targets/mariadb/sync/test_programs.h"

namespace esox {
namespace {

constexpr unsigned kFirstTestRounds = 10;  // with all lines

std::vector<std::string> functions_of(const std::vector<SyncSegment>& segments) {
  std::vector<std::string> functions;
  for (const SyncSegment& segment : segments) {
    for (const std::string& name : segment.functions) {
      if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
        functions.push_back(name);
      }
    }
  }
  return functions;
}

std::set<std::string> names_of(const AddedPoints& points) {
  std::set<std::string> names;
  for (const auto& [file, added] : points) {
    for (const AddedPoint& point : added) names.insert(point.name);
  }
  return names;
}

AddedPoints only(AddedPoints points, const std::vector<SyncPoint>& chosen) {
  for (auto& [file, added] : points) {
    std::erase_if(added, [&](const AddedPoint& one) {
      return std::none_of(chosen.begin(), chosen.end(),
                          [&](const SyncPoint& point) { return point.name == one.name; });
    });
  }
  std::erase_if(points, [](const auto& one) { return one.second.empty(); });
  return points;
}

// Where it fails, why, in `why_not`.
SyncTest at_added_points(const SyncTestRequest& request, const MakeServer& make) {
  SyncTest none;
  const std::vector<std::string> functions = functions_of(request.segments);
  PatchedBuild build(request.program, test_programs_of(request.program).suite.parent_path(),
                     request.stop);
  AddedPoints points = build.points_in(functions);
  if (points.empty()) {
    none.why_not = fmt::format("no file of its source defines {}", fmt::join(functions, ", "));
    return none;
  }
  // What it is started with goes with it.
  const auto made = [&](AddedPoints& added, PatchedBuild::Refused refused) {
    const std::filesystem::path program = build.build(added, refused);
    return make(program, program.parent_path() / "cache");
  };
  const auto server = made(points, PatchedBuild::Refused::kTakenOut);
  const std::set<std::string> names = names_of(points);
  FoundSyncTest first = search_sync_test(
      *server, request,
      {.only = {}, .one_of = names, .test_rounds = kFirstTestRounds, .by_runner = false});
  if (!first.why_not.empty()) {
    none.why_not = fmt::format("with {} added in {}: {}", counted(names.size(), "line"),
                               fmt::join(functions, ", "), first.why_not);
    return none;
  }
  AddedPoints kept = only(points, first.chosen);
  const auto patched = made(kept, PatchedBuild::Refused::kAnError);
  SyncTest done = search_sync_test(*patched, request, {.only = first.chosen, .one_of = {}});
  done.trials += first.trials;
  done.points = first.points;
  if (done.why_not.empty()) done.files["finding.patch"] = build.patch(kept);
  return done;
}

}  // namespace

SyncTest find_sync_test(const SyncTestRequest& request, const MakeServer& make) {
  const auto started = std::chrono::steady_clock::now();
  const auto server = make(request.program, {});
  SyncTest test = search_sync_test(*server, request, {});
  if (!test.why_not.empty() && !functions_of(request.segments).empty() && !request.stop.load()) {
    SyncTest added;
    try {
      added = at_added_points(request, make);
    } catch (const ServerError& error) {
      added.why_not = error.what();
    }
    added.trials += test.trials;
    if (!added.why_not.empty()) {
      added.why_not = fmt::format("{}; and {}", test.why_not, added.why_not);
    }
    test = std::move(added);
  }
  test.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return test;
}

}  // namespace esox
