// SPDX-License-Identifier: Apache-2.0
// See html.h.
#include "harness/reports/html.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <kainjow/mustache.hpp>
#include <stdexcept>

#include "harness/reports/html_view.h"
#include "harness/reports/page.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using kainjow::mustache::data;
using kainjow::mustache::mustache;

data data_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      data object;
      for (const auto& [key, value] : json.items()) object.set(key, data_of(value));
      return object;
    }
    case Json::value_t::array: {
      data list(data::type::list);
      for (const Json& value : json) list.push_back(data_of(value));
      return list;
    }
    case Json::value_t::string: {
      // An empty text counts as absent.
      const auto& text = json.get_ref<const std::string&>();
      return text.empty() ? data(false) : data(text);
    }
    case Json::value_t::boolean:
      return data(json.get<bool>());
    case Json::value_t::null:
      return data(false);
    default:
      return data(json.dump());
  }
}

// The templates are ours, so that one that does not parse is a fault of esox.
mustache template_of(const char* text) {
  mustache page(text);
  if (!page.is_valid()) throw std::logic_error("report page: " + page.error_message());
  return page;
}

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
  mustache finding_page = template_of(kFindingPage);
  mustache page = template_of(kPage);
  Json view = page_view(data);
  size_t number = 0;
  for (Json& group : view["groups"]) {
    std::string findings;
    for (const size_t index : group["members"].get<std::vector<size_t>>()) {
      if (number == kMostFindings) break;
      ++number;
      findings +=
          finding_page.render(data_of(finding_view(data, data.findings[index], number, place)));
    }
    group["findings"] = std::move(findings);
  }
  view["style"] = kPageStyle;
  view["script"] = kPageScript;
  view["script_hash"] = script_hash(kPageScript);
  return page.render(data_of(view));
}

}  // namespace esox
