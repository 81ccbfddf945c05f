// SPDX-License-Identifier: Apache-2.0
// The report as SARIF 2.1.0, for code review and scanning services.
//
// One rule per class of verdict, one result per finding. Its place is the input's file; the
// server's functions at the critical switch, where a diagnosis names them, are logical locations.
// Its fingerprint is the finding's id, the same in every hunt for input, engine and cause.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/number.h"
#include "harness/records/json_text.h"
#include "harness/records/rate_text.h"
#include "harness/records/reports/reports.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

constexpr std::array kRules = {
    VerdictClass::kSemantic, VerdictClass::kError, VerdictClass::kLatent, VerdictClass::kCrash,
    VerdictClass::kDeadlock, VerdictClass::kHang,  VerdictClass::kSerial};

size_t rule_index(VerdictClass verdict) {
  return static_cast<size_t>(std::ranges::find(kRules, verdict) - kRules.begin());
}

OrderedJson rules_json() {
  return json_list(kRules, [&](const VerdictClass verdict) -> OrderedJson {
    return {{"id", class_name(verdict)},
            {"shortDescription", {{"text", class_in_words(verdict, false)}}},
            {"defaultConfiguration", {{"level", "error"}}}};
  });
}

// A path as a URI reference: what is no letter, digit or -._~/ is written in percent.
std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// "file.yaml:12" as a place; an input whose file is not known, by its id.
OrderedJson physical_location(const FindingDetails& finding) {
  std::string file = finding.origin.empty() ? finding.line.input : finding.origin;
  std::optional<uint64_t> line;
  const size_t colon = file.rfind(':');
  if (colon != std::string::npos) line = number_of<uint64_t>(file.substr(colon + 1));
  if (line) file.erase(colon);
  OrderedJson location = {{"artifactLocation", {{"uri", uri_of(file)}}}};
  if (line.value_or(0) > 0) location["region"] = {{"startLine", *line}};
  return location;
}

OrderedJson location_of(const FindingDetails& finding) {
  OrderedJson location = {{"physicalLocation", physical_location(finding)}};
  if (!finding.diagnosis || finding.diagnosis->functions.empty()) return location;
  location["logicalLocations"] =
      json_list(finding.diagnosis->functions, [&](const std::string& function) -> OrderedJson {
        return {{"fullyQualifiedName", function}, {"kind", "function"}};
      });
  return location;
}

// GitHub's code scanning goes by primaryLocationLineHash alone. Left out, it hashes the text at the
// location: all findings of one input would become one alert.
OrderedJson partial_fingerprints_of(const std::string& id) {
  return {{"esoxFinding/v1", id}, {"primaryLocationLineHash", id + ":1"}};
}

OrderedJson result_of(const ReportData& data, const FindingDetails& finding) {
  const HuntFinding& line = finding.line;
  return {{"ruleId", class_name(line.verdict)},
          {"ruleIndex", rule_index(line.verdict)},
          {"level", "error"},
          {"message",
           {{"text", class_in_words(line.verdict, line.latent) + "\n" + finding_text(finding)}}},
          {"locations", OrderedJson::array({location_of(finding)})},
          {"fingerprints", {{"esoxFinding/v1", line.id}}},
          {"partialFingerprints", partial_fingerprints_of(line.id)},
          {"properties",
           {{"input", line.input},
            {"engine", line.engine},
            {"setting", line.setting},
            {"latent", line.latent},
            {"hits", line.hits},
            {"executions", line.executions},
            {"rate", rate_text(hits_of(line))},
            {"replay", "esox replay " + data.folder_of(finding).string()}}}};
}

OrderedJson invocation_of(const HuntReport& hunt) {
  OrderedJson invocation = {{"executionSuccessful", hunt.ended && hunt.failure.empty()}};
  if (!hunt.started.empty()) invocation["startTimeUtc"] = hunt.started;
  if (hunt.failure.empty()) return invocation;
  invocation["toolExecutionNotifications"] =
      OrderedJson::array({{{"level", "error"}, {"message", {{"text", hunt.failure}}}}});
  return invocation;
}

}  // namespace

std::string report_sarif(const ReportData& data) {
  OrderedJson results = json_list(
      data.findings, [&](const FindingDetails& finding) { return result_of(data, finding); });
  const OrderedJson run = {
      {"tool",
       {{"driver",
         {{"name", "esox"}, {"version", data.hunt.esox_version}, {"rules", rules_json()}}}}},
      {"invocations", OrderedJson::array({invocation_of(data.hunt)})},
      {"results", results}};
  const OrderedJson sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                             {"version", "2.1.0"},
                             {"runs", OrderedJson::array({run})}};
  return json_text(sarif);
}

}  // namespace esox
