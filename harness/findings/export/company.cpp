// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/company.h"

#include <unistd.h>

#include <regex>
#include <system_error>

#include "base/process/log_file.h"
#include "harness/records/finding_file.h"
#include "harness/records/synopsis.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// Files of a finding's folder that are taken along; each may be missing.
constexpr const char* kTexts[] = {
    "comparison.txt", "elements.txt",   "trace.txt",    "stack.txt",    "diagnosis.txt",
    "reproduce.py",   "reproduce.json", "affected.txt", "finding.test", "finding.result",
    "finding.opt",    "finding.patch",  "finding.txt"};
constexpr uintmax_t kMostTextBytes = 16u << 20;

std::string text_of(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  return error || size > kMostTextBytes ? "" : text_of_file(file);
}

}  // namespace

std::vector<std::string> all_options(const Finding& finding) {
  std::vector<std::string> options = finding.input.input.server_options;
  options.insert(options.end(), finding.server.options.begin(), finding.server.options.end());
  return options;
}

std::string without_machine(const std::string& text) {
  static const std::regex kPath(R"((^|[\s"'(=:\[,])/(?:[\w.@+%~-]+/)+([\w.@+%~-]*))");
  std::string clean = std::regex_replace(text, kPath, "$1$2");
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return clean;
  const std::string name = host;
  if (name == "localhost" || name.size() < 3) return clean;
  for (size_t at = 0; (at = clean.find(name, at)) != std::string::npos;) {
    clean.replace(at, name.size(), "HOST");
    at += 4;
  }
  return clean;
}

ExportPieces pieces_of(const Finding& finding) {
  const Input& input = finding.input.input;
  return target_named(input.server()).export_pieces({input, all_options(finding)});
}

FindingCompany company_of(const fs::path& finding_file) {
  FindingCompany company;
  const fs::path folder = finding_file.parent_path();
  for (const char* name : kTexts) {
    std::string text = text_of(folder / name);
    if (!text.empty()) company.texts[name] = std::move(text);
  }
  company.critical = critical_place(text_of(folder / "diagnosis.json"));
  company.plan = nlohmann::json::parse(text_of(folder / "reproduce.json"), nullptr, false);
  company.reproducer = read_reproducer_record(folder);
  company.affected = read_affected(folder);
  std::error_code error;
  if (fs::exists(folder / "minimised.yaml", error)) {
    company.minimised = read_finding(folder / "minimised.yaml");
  }
  return company;
}

}  // namespace esox
