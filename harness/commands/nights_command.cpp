// SPDX-License-Identifier: Apache-2.0
// esox nights: the nights of a hunt file, a line each. Nothing is executed.
#include <fmt/format.h>

#include "analysis/rows.h"
#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/nights/night/night_report.h"
#include "harness/records/json_text.h"
#include "harness/records/progress.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxChangesBytes = uint64_t{256} << 20;

constexpr const char* kNightsExamples = R"(
Examples:
  esox nights nightly                        all nights of the hunt file whose `out` is nightly
  esox nights nightly --last 7
  esox report nightly/nights/2026-11-22T02-00-00Z    one night's summary, made anew

What the words mean: docs/night-summaries.md.

Exit status: 0 done, 2 wrong use, or no nights there.)";

struct NightsOptions {
  std::string out;
  size_t last = 0;
  JsonOption json;
};

struct NightLine {
  std::string id;
  std::string headline;  // or why there is none
  double seconds = 0;
  OrderedJson counts;
};

NightLine line_of(const fs::path& folder) {
  NightLine line;
  line.id = folder.filename().string();
  try {
    line.seconds = read_night(folder).seconds;
    const OrderedJson changes =
        OrderedJson::parse(read_report_file(folder / "changes.json", kMaxChangesBytes));
    line.headline = changes.at("headline").get<std::string>();
    line.counts = changes.at("counts");
  } catch (const ReportError&) {
    line.headline = fmt::format("no summary yet; esox report {} makes it", folder.string());
  } catch (const OrderedJson::exception&) {
    line.headline =
        fmt::format("its summary is damaged; esox report {} makes it anew", folder.string());
  }
  return line;
}

int nights(const NightsOptions& options) {
  std::vector<fs::path> folders = night_folders(options.out);
  if (folders.empty()) {
    throw UsageError(fmt::format(
        "{} holds no nights; name the `out` of a hunt file that was hunted by esox night",
        options.out));
  }
  const size_t all = folders.size();
  if (options.last > 0 && options.last < all) {
    folders.erase(folders.begin(), folders.end() - static_cast<std::ptrdiff_t>(options.last));
  }
  OrderedJson list = OrderedJson::array();
  std::string text;
  for (const fs::path& folder : folders) {
    const NightLine line = line_of(folder);
    list.push_back({{"night", line.id},
                    {"folder", fs::absolute(folder).lexically_normal().string()},
                    {"seconds", line.seconds},
                    {"headline", line.headline},
                    {"counts", line.counts}});
    text += fmt::format("{}  {:>6}  {}\n", printable(line.id), duration_text(line.seconds),
                        printable(line.headline));
  }
  put_report(options.json, text, json_text(list));
  return kNothingFound;
}

}  // namespace

void add_nights_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<NightsOptions>(
      app, chosen, {"nights", "the nights of a hunt file, a line each", kNightsExamples}, nights);
  command.add_option("OUT", options.out, "the hunt file's `out`")->required();
  command.add_option("--last", options.last, "only so many, the newest")
      ->check(within(1u, 1'000'000u));
  add_json_option(command, options.json);
}

}  // namespace esox
