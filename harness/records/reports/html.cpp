// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file: no network, no other file, no script needed to read it.
//
// Everything that comes from a server or an input goes through the templates' escaping; only
// finished parts of the page (a finding, the style, the script) go in as they are, and a content
// security policy lets no other script run.
#include <openssl/evp.h>

#include "harness/records/reports/mustache_view.h"
#include "harness/records/reports/page.h"
#include "harness/records/reports/reports.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using kainjow::mustache::mustache;

// "sha256-..." of a script, as a content security policy names it.
std::string script_hash(const std::string& script) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_Digest(script.data(), script.size(), digest, &length, EVP_sha256(), nullptr);
  unsigned char text[2 * EVP_MAX_MD_SIZE];
  const int size = EVP_EncodeBlock(text, digest, static_cast<int>(length));
  return "sha256-" + std::string(reinterpret_cast<char*>(text), static_cast<size_t>(size));
}

}  // namespace

std::string report_html(const ReportData& data, const fs::path& place) {
  mustache finding_page = mustache_page(kFindingPage);
  mustache page = mustache_page(kPage);
  Json view = page_view(data);
  size_t number = 0;
  for (Json& group : view["groups"]) {
    std::string findings;
    for (const size_t index : group["members"].get<std::vector<size_t>>()) {
      if (number == kMostFindings) break;
      ++number;
      findings += finding_page.render(
          mustache_data(finding_view(data, data.findings[index], number, place)));
    }
    group["findings"] = std::move(findings);
  }
  view["style"] = kPageStyle;
  view["script"] = kPageScript;
  view["script_hash"] = script_hash(kPageScript);
  return page.render(mustache_data(view));
}

}  // namespace esox
