// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file: no network, no other file, no script needed to read it.
//
// Everything that comes from a server or an input goes through the templates' escaping; only
// finished parts of the page (a finding, the style, the script) go in as they are, and a content
// security policy lets no other script run.
#include <fmt/format.h>
#include <openssl/evp.h>

#include "harness/records/json_text.h"
#include "harness/records/reports/mustache_view.h"
#include "harness/records/reports/page.h"
#include "harness/records/reports/reports.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
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

// The parts of the page that are findings, up to kMostFindings.
class FindingPages {
 public:
  FindingPages(const ReportData& data, const fs::path& place) : data_(data), place_(place) {}

  // The finding that stands for its cause, and behind it the others.
  std::string cause(const FamilyMembers& family) {
    if (shown_ == kMostFindings) return "";
    const std::string number = std::to_string(++causes_);
    Json view = finding(family.front(), number);
    view["cause"] = finding_.render(mustache_data(view));
    std::string witnesses;
    for (size_t i = 1; i < family.size() && shown_ < kMostFindings; ++i) {
      const Json one = finding(family[i], fmt::format("{}.{}", number, i + 1));
      witnesses += finding_.render(mustache_data(one));
    }
    view["witnesses"] = std::move(witnesses);
    view["witness_count"] = family.size() - 1;
    return cause_.render(mustache_data(view));
  }

 private:
  Json finding(size_t index, const std::string& number) {
    ++shown_;
    return finding_view(data_, data_.findings[index], number, place_);
  }

  const ReportData& data_;
  const fs::path& place_;
  mustache finding_ = mustache_page(kFindingPage);
  mustache cause_ = mustache_page(kCausePage);
  size_t shown_ = 0;
  size_t causes_ = 0;
};

}  // namespace

std::string report_html(const ReportData& data, const fs::path& place) {
  mustache page = mustache_page(kPage);
  FindingPages findings(data, place);
  Json view = page_view(data);
  for (Json& group : view["groups"]) {
    std::string causes;
    for (const auto& family : group["families"].get<std::vector<FamilyMembers>>()) {
      causes += findings.cause(family);
    }
    group["causes"] = std::move(causes);
  }
  view["style"] = kPageStyle;
  view["script"] = kPageScript;
  view["script_hash"] = script_hash(kPageScript);
  return page.render(mustache_data(view));
}

}  // namespace esox
