// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/merge/gather.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/process/paths.h"
#include "harness/nights/merge/joined_report.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/hunt_reader.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_copy(const fs::path& from, const fs::path& to, const std::string& why) {
  throw OutError(
      fmt::format("cannot copy {} to {}: {}; make room and merge again, or leave the "
                  "findings where they are by --copy-findings no",
                  from.string(), to.string(), why));
}

// Beside its place, then renamed.
void copy_file_whole(const fs::path& from, const fs::path& to) {
  const fs::path beside =
      to.parent_path() / fmt::format(".{}.{}", to.filename().string(), getpid());
  std::error_code error;
  fs::copy_file(from, beside, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(beside, to, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(beside, ignored);
  cannot_copy(from, to, error.message());
}

void copy_missing_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    std::error_code unknown;
    const bool plain = !entry.is_symlink(unknown) && entry.is_regular_file(unknown);
    const fs::path there = to / entry.path().filename();
    if (plain && !is_there(there)) copy_file_whole(entry.path(), there);
  }
  if (error) cannot_copy(from, to, error.message());
}

HuntReport with_findings_in(HuntReport report, const fs::path& campaign) {
  for (HuntFinding& finding : report.findings) {
    const fs::path here = campaign / "findings" / finding.id;
    if (is_there(here)) finding.folder = here;
  }
  return report;
}

}  // namespace

Gathered gather_finding(const fs::path& from, const fs::path& to) {
  if (is_there(to / "finding.yaml")) {
    copy_missing_files(from, to);
    return Gathered::kShared;
  }
  make_folder(to.parent_path());
  const fs::path beside =
      to.parent_path() / fmt::format(".{}.{}", to.filename().string(), getpid());
  std::error_code error;
  fs::remove_all(beside, error);
  fs::copy(from, beside, fs::copy_options::recursive | fs::copy_options::skip_symlinks, error);
  if (!error) fs::rename(beside, to, error);
  if (!error) return Gathered::kCopied;
  std::error_code ignored;
  fs::remove_all(beside, ignored);
  if (is_there(to / "finding.yaml")) return Gathered::kShared;  // another merge was faster
  cannot_copy(from, to, error.message());
}

fs::path campaign_folder(const fs::path& into, const std::string& campaign) {
  return into / kGathered / campaign;
}

void gather_report(const fs::path& campaign, const HuntReport& report) {
  const unsigned number = report.shard ? report.shard->shard.number : 1;
  const fs::path folder = campaign / "shards" / std::to_string(number);
  if (is_there(folder / "hunt.json") && !came_further(report, read_hunt(folder))) return;
  make_folder(folder);
  write_whole_file(folder / "hunt.json", report_json(report));
}

HuntReport join_reports(const fs::path& campaign) {
  std::vector<HuntReport> shards;
  for (const fs::path& folder : entries_of(campaign / "shards")) {
    if (is_there(folder / "hunt.json")) shards.push_back(read_hunt(folder));
  }
  if (shards.empty()) {
    throw OutError(fmt::format("{} holds no reports of shards", campaign.string()));
  }
  HuntReport all = with_findings_in(joined(std::move(shards)), campaign);
  make_folder(campaign / "findings");
  write_whole_file(campaign / "hunt.json", report_json(all));
  return all;
}

}  // namespace esox
