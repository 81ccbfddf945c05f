// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/finding_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

#include "analysis/report/comparison_text.h"
#include "analysis/report/elements_text.h"
#include "analysis/report/trace_text.h"
#include "harness/engine/debug_symbols.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

void write_files(const fs::path& folder, const Finding& finding, const Judged& judged,
                 const Masks& masks) {
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols = debug_symbols(record.modules);
  write_finding(finding, folder / "finding.yaml");
  write_whole_file(folder / "comparison.txt",
                   comparison_text(finding.input, record, judged.verdict, masks, symbols));
  const std::string elements = elements_text(judged.verdict, client_names(finding.input.input));
  if (!elements.empty()) write_whole_file(folder / "elements.txt", elements);
  write_whole_file(folder / "trace.txt", trace_text(record, finding.input.input, symbols));
  if (record.ending.detail.empty()) return;
  write_whole_file(folder / "stack.txt",
                   fmt::format("{}\n", fmt::join(record.ending.detail, "\n")));
}

void make_empty_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) fs::create_directory(folder, error);
  if (error) {
    throw OutError(
        fmt::format("cannot make the folder {}: {}; make room or name another one by --out",
                    folder.string(), error.message()));
  }
}

}  // namespace

fs::path write_finding_folder(const fs::path& findings, const Finding& finding,
                              const Judged& judged, const Masks& masks) {
  const fs::path unfinished = findings / ("." + finding.id + ".new");
  fs::path folder = findings / finding.id;
  make_empty_folder(unfinished);
  std::error_code error;
  try {
    write_files(unfinished, finding, judged, masks);
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
  fs::rename(unfinished, folder, error);
  if (!error) return folder;
  const std::string why = error.message();
  fs::remove_all(unfinished, error);
  throw OutError(
      fmt::format("cannot rename {} to {}: {}", unfinished.string(), folder.string(), why));
}

void update_finding_folder(const fs::path& folder, const Finding& finding) {
  write_finding(finding, folder / "finding.yaml");
}

}  // namespace esox
