// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "analysis/linearization.h"
#include "harness/records/lines.h"
#include "inputs/languages.h"
#include "summaries/digest.h"

namespace esox {
namespace {

// "A1" -> "INSERT".
std::map<std::string, std::string> kinds_by_name(const Input& input) {
  std::map<std::string, std::string> kinds;
  const std::vector<std::string> names = client_names(input);
  for (size_t c = 0; c < input.clients.size(); ++c) {
    for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
      kinds[request_name(c, r, names)] = input.language->kind(input.clients[c].requests[r].text);
    }
  }
  return kinds;
}

// The number of a result says little, and is not the same for all who ask the same.
std::string without_result_number(std::string manner) {
  static const std::string kResult = "result ";
  if (!manner.starts_with(kResult)) return manner;
  size_t end = kResult.size();
  while (end < manner.size() && std::isdigit(static_cast<unsigned char>(manner[end])) != 0) ++end;
  return manner.substr(std::min(end + 1, manner.size()));
}

// "reply A1: result 1 rows missing" -> "reply to SELECT: rows missing"; "component rows:test.t1:
// extra" -> "component rows: extra". Lines of other forms (frames, waits) stay.
std::string normalised(const std::string& line, const std::map<std::string, std::string>& kinds) {
  const size_t last = line.rfind(": ");
  if (last == std::string::npos) return line;
  const std::string manner = line.substr(last + 2);
  for (const char* what : {"reply ", "component "}) {
    const std::string head(what);
    if (!line.starts_with(head)) continue;
    std::string name = line.substr(head.size(), last - head.size());
    const auto kind = kinds.find(name);
    if (kind != kinds.end()) {
      return fmt::format("reply to {}: {}", kind->second, without_result_number(manner));
    }
    return fmt::format("{}{}: {}", head, name.substr(0, name.find(':')), manner);
  }
  if (!line.starts_with("unfinished: ")) return line;
  const auto kind = kinds.find(manner);
  return kind == kinds.end() ? line : "unfinished: " + kind->second;
}

// A set: two rows of a cause that are one by their normal form say no more than one.
std::set<std::string> differences_of(const Finding& finding) {
  const auto kinds = kinds_by_name(finding.input.input);
  std::set<std::string> lines;
  for (const std::string& line : lines_of(finding.cause)) lines.insert(normalised(line, kinds));
  return lines;
}

// The clients alone, in an order that does not depend on who was named first.
Input clients_sorted(const Input& input) {
  std::vector<std::pair<std::string, InputClient>> clients;
  for (const InputClient& client : input.clients) {
    Input alone;
    alone.clients = {client};
    clients.emplace_back(input.language->shape(alone), client);
  }
  std::stable_sort(clients.begin(), clients.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Input sorted;
  sorted.language = input.language;
  for (auto& [shape, client] : clients) sorted.clients.push_back(std::move(client));
  return sorted;
}

std::string hash_of(const std::string& text) {
  return hex(digest_of(text)).substr(0, 16);
}

}  // namespace

Signature signature_of(const Finding& finding, const std::optional<DiagnosisFacts>& diagnosis) {
  const Input clients = clients_sorted(finding.input.input);
  const std::string differences = fmt::format("{}\n", fmt::join(differences_of(finding), "\n"));
  const std::string server = "server " + finding.input.input.server() + "\n";
  const std::string kinds = "statements " + kinds_of(clients) + "\n";
  Signature signature;
  signature.text = differences + kinds;
  signature.plain = hash_of(server + differences + "shape " + clients.language->shape(clients));
  if (!diagnosis || diagnosis->critical_pair.empty()) return signature;
  const std::string pair =
      fmt::format("critical {}\n", fmt::join(diagnosis->critical_pair, "\ncritical "));
  signature.text += pair;
  signature.critical = hash_of(server + differences + kinds + pair);
  return signature;
}

}  // namespace esox
