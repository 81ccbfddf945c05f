// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/export_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "harness/findings/export/readme.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "inputs/writer.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

std::string base_name(const std::string& path) {
  return fs::path(path).filename().string();
}

// The same finding, by names only.
Finding anonymous(Finding finding) {
  finding.server.path = base_name(finding.server.path);
  finding.input.input.origin = base_name(finding.input.input.origin);
  for (StructureText& one : finding.input.input.structures) one.file = base_name(one.file);
  for (FilterText& one : finding.filters) one.file = base_name(one.file);
  for (std::string& line : finding.ending_detail) line = without_machine(line);
  return finding;
}

void write_all(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) write_whole_file(folder / name, text);
}

}  // namespace

std::map<std::string, std::string> exported_files(const Finding& finding,
                                                  const FindingCompany& company) {
  const Finding clean = anonymous(finding);
  const ExportPieces pieces = pieces_of(clean);
  std::map<std::string, std::string> files = pieces.files;
  files["README.md"] = readme_text(clean, company, pieces);
  files["finding.yaml"] = finding_to_yaml(clean);
  files["input.yaml"] = to_yaml(clean.input.input);
  if (company.minimised) files["minimised.yaml"] = finding_to_yaml(anonymous(*company.minimised));
  for (const auto& [name, text] : company.texts) {
    // These name no places of this machine, and are run.
    const bool as_it_is = name.starts_with("reproduce.") || name.starts_with("finding.");
    files[name] = as_it_is ? text : without_machine(text);
  }
  return files;
}

void write_export(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    throw OutError(fmt::format("{} is there already; name a new folder by --to", folder.string()));
  }
  fs::path unfinished = folder;
  if (!unfinished.has_filename()) unfinished = unfinished.parent_path();
  unfinished += ".new";
  if (!fs::create_directories(unfinished, error) || error) {
    throw OutError(fmt::format("cannot make the folder {}: {}; name another one by --to",
                               unfinished.string(),
                               error ? error.message() : "it is there already"));
  }
  try {
    write_all(unfinished, files);
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
  fs::rename(unfinished, folder, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove_all(unfinished, error);
  throw OutError(fmt::format("cannot name the folder {}: {}", folder.string(), why));
}

}  // namespace esox
