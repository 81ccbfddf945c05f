// SPDX-License-Identifier: Apache-2.0
// See export_folder.h.
#include "harness/findings/export/export_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <regex>
#include <system_error>

#include "analysis/report/taken_choices.h"
#include "analysis/verdict.h"
#include "base/process/log_file.h"
#include "filters/reader.h"
#include "harness/engine/known_servers.h"
#include "harness/findings/export/steps.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "harness/records/rate_text.h"
#include "harness/records/synopsis.h"
#include "inputs/writer.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// Files of a finding's folder that are taken along; each may be missing.
constexpr const char* kTexts[] = {"comparison.txt", "elements.txt", "trace.txt",     "stack.txt",
                                  "diagnosis.txt",  "reproduce.py", "reproduce.json"};
constexpr uintmax_t kMostTextBytes = 16u << 20;

std::string text_of(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  return error || size > kMostTextBytes ? "" : text_of_file(file);
}

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

std::vector<std::string> all_options(const Finding& finding) {
  std::vector<std::string> options = finding.input.input.server_options;
  options.insert(options.end(), finding.server.options.begin(), finding.server.options.end());
  return options;
}

std::string fenced(const std::string& text, const std::string& language = "") {
  return fmt::format("```{}\n{}{}```\n\n", language, text,
                     text.empty() || text.back() == '\n' ? "" : "\n");
}

// Expected and seen, judged anew from what the finding keeps.
std::vector<std::string> what_is_wrong(const Finding& finding) {
  const auto rules = std::make_shared<RuleSet>(parse_rules(finding.filters, known_servers()));
  const RulesInForce in_force(
      rules, circumstances_of(finding.input, {finding.server.version, finding.server.options}));
  const ExecutionRecord record = record_of(finding);
  const std::vector<SerialRun> runs = serial_runs_of(finding);
  const Verdict verdict =
      judge(record, runs, finding.masks, Orders::kAsGiven, Forgiveness(in_force, record.stamps));
  if (!verdict.violation()) return {};
  return explanation_lines(finding.input.input, record, verdict);
}

class Readme {
 public:
  Readme(const Finding& finding, const FindingCompany& company, const ExportPieces& pieces)
      : finding_(finding), input_(finding.input.input), company_(company), pieces_(pieces) {}

  std::string text() const {
    return head() + statements() + wrong() + diagnosis() + with_esox() + by_hand() + minimised() +
           files();
  }

 private:
  std::string in_notation(const std::vector<std::string>& requests) const {
    return fenced(lines_of(requests, pieces_.statement_end), pieces_.notation);
  }

  std::string head() const {
    const std::string conditions = conditions_of(finding_.input);
    std::string text = fmt::format("# {}: {}\n\n{}\n\n", class_name(finding_.verdict),
                                   input_.title.empty() ? input_.id : input_.title,
                                   class_in_words(finding_.verdict, finding_.latent));
    text += "Two or more clients at once get what no serial order of their requests gives.\n\n";
    text += fmt::format("| | |\n|---|---|\n| server | {} {} |\n| options | {} |\n", input_.server(),
                        finding_.server.version,
                        all_options(finding_).empty()
                            ? "the usual ones"
                            : fmt::format("`{}`", fmt::join(all_options(finding_), " ")));
    if (!conditions.empty()) text += fmt::format("| engine, setting | {} |\n", conditions);
    const HitCounts counts = {finding_.first_execution, finding_.executions, finding_.draws,
                              finding_.drawn_hits};
    text += fmt::format("| how often | {} |\n| its schedule is by | `{}` |\n", rate_text(counts),
                        finding_.strategy);
    const std::string choices = taken_choices(finding_.values);
    if (!choices.empty()) text += fmt::format("| unusual results of calls | {} |\n", choices);
    text +=
        fmt::format("| found by | esox {}, finding {} |\n\n", finding_.esox_version, finding_.id);
    return text;
  }

  std::string statements() const {
    std::string text = "## Setup\n\n" + in_notation(input_.setup);
    text += "## Requests, each client's in their order\n\n";
    for (const InputClient& client : input_.clients) {
      text += fmt::format("Client {}:\n\n", client.name) + in_notation(texts_of(client));
    }
    return text;
  }

  std::string wrong() const {
    std::string text = "## Expected and seen\n\n" + fenced(lines_of(what_is_wrong(finding_), "\n"));
    if (finding_.ending != EndingKind::kFinished) {
      text += fmt::format("The execution ended in: {}. See stack.txt.\n\n",
                          ending_name(finding_.ending));
    }
    text += "The whole comparison with each serial order is in comparison.txt.\n\n";
    return text;
  }

  std::string diagnosis() const {
    if (!company_.critical) return "";
    return "## What decides\n\n" + company_.critical->sentence +
           "\n\nThe pair of operations, and both stacks, are in diagnosis.txt.\n\n";
  }

  std::string with_esox() const {
    return "## With esox\n\n" +
           fenced(
               "esox replay finding.yaml --times 10\n"
               "esox diagnose finding.yaml\n"
               "esox verify finding.yaml --old-server OLD --server PATCHED\n"
               "esox hunt input.yaml\n") +
           "Another server is named by `--server`; the schedule is re-aligned where it "
           "differs.\n\n";
  }

  static std::string interleaving(const Finding& finding) {
    std::string text;
    for (const auto& [point, words] : switches_in_words(finding)) text += words + "\n";
    return text;
  }

  std::string by_hand() const {
    return "## By hand\n\nBy mere repetition it comes rarely. A debugger can force it: the threads "
           "have to be switched at these places, in this order (trace.txt shows all):\n\n" +
           fenced(interleaving(finding_)) + pieces_.by_hand;
  }

  std::string minimised() const {
    if (!company_.minimised) return "";
    const Input& small = company_.minimised->input.input;
    std::string text =
        "## Minimised\n\nThe same violation comes with less (minimised.yaml, for esox "
        "replay):\n\n";
    text += in_notation(small.setup);
    for (const InputClient& client : small.clients) {
      text += fmt::format("Client {}:\n\n", client.name) + in_notation(texts_of(client));
    }
    return text;
  }

  static std::string files() {
    return "Schedules were chosen by esox, which runs one thread of the server at a time; the "
           "server "
           "itself is unmodified.\n";
  }

  const Finding& finding_;
  const Input& input_;
  const FindingCompany& company_;
  const ExportPieces& pieces_;
};

void write_all(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) write_whole_file(folder / name, text);
}

}  // namespace

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

ExportPieces pieces_of(const Finding& finding, const FindingCompany& company) {
  const ExportedFinding exported{
      finding.input.input,
      all_options(finding),
      fmt::format("finding {} ({}: {})", finding.id, class_name(finding.verdict),
                  class_in_words(finding.verdict, finding.latent)),
      finding.server.version,
      company.critical ? company.critical->sentence : "",
      export_steps(finding)};
  return target_named(finding.input.input.server()).export_pieces(exported);
}

FindingCompany company_of(const fs::path& finding_file) {
  FindingCompany company;
  const fs::path folder = finding_file.parent_path();
  for (const char* name : kTexts) {
    std::string text = text_of(folder / name);
    if (!text.empty()) company.texts[name] = std::move(text);
  }
  company.critical = critical_place(text_of(folder / "diagnosis.json"));
  std::error_code error;
  if (fs::exists(folder / "minimised.yaml", error)) {
    company.minimised = read_finding(folder / "minimised.yaml");
  }
  return company;
}

std::map<std::string, std::string> exported_files(const Finding& finding,
                                                  const FindingCompany& company) {
  const Finding clean = anonymous(finding);
  const ExportPieces pieces = pieces_of(clean, company);
  std::map<std::string, std::string> files = pieces.files;
  files["README.md"] = Readme(clean, company, pieces).text();
  files["finding.yaml"] = finding_to_yaml(clean);
  files["input.yaml"] = to_yaml(clean.input.input);
  if (company.minimised) files["minimised.yaml"] = finding_to_yaml(anonymous(*company.minimised));
  for (const auto& [name, text] : company.texts) {
    const bool reproducer = name.starts_with("reproduce.");  // names no places of this machine
    files[name] = reproducer ? text : without_machine(text);
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
