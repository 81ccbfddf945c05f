// SPDX-License-Identifier: Apache-2.0
// A smaller input told to people and to programs.
#include <fmt/format.h>

#include "analysis/linearization.h"
#include "harness/findings/minimise/minimise.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

std::string line(const char* what, size_t before, size_t after) {
  if (before == 0) return "";
  return fmt::format("  {:<18}{:>7}{:>8}\n", what, before, after);
}

std::string sizes_text(const InputSize& before, const InputSize& after) {
  return fmt::format("{:<20}{:>7}{:>8}\n", "", "before", "after") +
         line("clients", before.clients, after.clients) +
         line("requests", before.requests, after.requests) +
         line("setup statements", before.setup, after.setup) +
         line("observations", before.observations, after.observations) +
         line("rows in VALUES", before.rows, after.rows) + line("bytes", before.bytes, after.bytes);
}

std::string input_text(const Input& input) {
  std::string text;
  for (const std::string& statement : input.setup) text += "  setup: " + statement + "\n";
  for (size_t client = 0; client < input.clients.size(); ++client) {
    for (const std::string& statement : input.clients[client].setup) {
      text += fmt::format("  setup of {}: {}\n", input.clients[client].name, statement);
    }
    for (size_t i = 0; i < input.clients[client].requests.size(); ++i) {
      text += fmt::format("  {}: {}\n", request_name(client, i, client_names(input)),
                          input.clients[client].requests[i].text);
    }
  }
  for (const std::string& statement : input.observations) text += "  observed: " + statement + "\n";
  return text;
}

std::string verified_text(const Minimised& minimised) {
  std::string text =
      minimised.verified
          ? fmt::format(
                "Verified: executed {} times on a server started for it, it came each time.\n",
                kVerifications)
          : "NOT VERIFIED: on a server started for it the finding itself did not come.\n";
  if (minimised.undone > 0) {
    text += fmt::format(
        "{} of {} steps were undone, since on a server started for it their result did not come.\n",
        minimised.undone, minimised.steps);
  }
  return text;
}

OrderedJson size_json(const InputSize& size) {
  return {{"clients", size.clients},
          {"requests", size.requests},
          {"setup_statements", size.setup},
          {"observations", size.observations},
          {"rows", size.rows},
          {"bytes", size.bytes}};
}

}  // namespace

std::string minimised_text(const Minimised& minimised, const Finding& finding) {
  const ConcreteInput& input = finding.input;
  const std::string conditions = conditions_of(input);
  std::string text =
      fmt::format("Finding {} made smaller: {}{}{}\n{}: {}\n\n", finding.id, input.input.id,
                  conditions.empty() ? "" : " on ", conditions, class_name(finding.verdict),
                  class_in_words(finding.verdict, finding.latent));
  if (!minimised.came) {
    return text +
           fmt::format("Its schedule did not give its violation here: {}\n", minimised.why_not);
  }
  text += sizes_text(minimised.before, minimised.after) + "\n" +
          input_text(minimised.finding.input.input) + "\n" + verified_text(minimised);
  if (!minimised.to_the_end) {
    text += "The budget was spent before nothing more could be taken away.\n";
  }
  return text + fmt::format("It took {} executions.\n", minimised.executions);
}

std::string minimised_json(const Minimised& minimised, const Finding& finding) {
  const OrderedJson json = {{"finding", finding.id},
                            {"input", finding.input.input.id},
                            {"engine", finding.input.engine},
                            {"setting", finding.input.setting},
                            {"class", class_name(finding.verdict)},
                            {"came", minimised.came},
                            {"why_not", minimised.why_not},
                            {"before", size_json(minimised.before)},
                            {"after", size_json(minimised.after)},
                            {"steps", minimised.steps},
                            {"steps_undone", minimised.undone},
                            {"verified", minimised.verified},
                            {"to_the_end", minimised.to_the_end},
                            {"executions", minimised.executions},
                            {"seconds", minimised.seconds}};
  return json_text(json);
}

void write_minimised(const std::filesystem::path& folder, const Minimised& minimised,
                     const Finding& finding) {
  write_finding(minimised.finding, folder / "minimised.yaml");
  write_whole_file(folder / "minimised.txt", minimised_text(minimised, finding));
}

}  // namespace esox
