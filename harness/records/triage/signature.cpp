// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "analysis/gravity.h"
#include "analysis/linearization.h"
#include "analysis/report/standstill_text.h"
#include "harness/records/ending_stacks.h"
#include "harness/records/lines.h"
#include "inputs/languages.h"
#include "summaries/digest.h"
#include "targets/registry.h"
#include "targets/target.h"

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

// Of a line of a cause; a component's meaning is its target's to say.
Gravity gravity_of_line(const std::string& line, std::span<const ComponentFacts> components) {
  static const std::string kComponent = "component ";
  const size_t last = line.rfind(": ");
  if (last == std::string::npos) return Gravity::kReply;
  if (line.starts_with(kComponent)) {
    const std::string name = line.substr(kComponent.size(), last - kComponent.size());
    return gravity_of(name, meaning_of(name, components));
  }
  const std::string manner = without_result_number(line.substr(last + 2));
  for (int i = 0; i <= static_cast<int>(OutputPart::kWarnings); ++i) {
    const auto part = static_cast<OutputPart>(i);
    if (manner.starts_with(part_name(part))) return gravity_of(part);
  }
  return Gravity::kReply;
}

// The difference that a user would mind most.
struct MainDifference {
  Gravity gravity = Gravity::kDerived;
  std::string line;  // normalised; empty: nothing was compared
};

MainDifference main_difference(const Finding& finding) {
  const auto kinds = kinds_by_name(finding.input.input);
  const auto components = target_named(finding.input.input.server()).components();
  std::set<std::pair<Gravity, std::string>> lines;
  for (const std::string& line : lines_of(finding.cause)) {
    if (!line.starts_with("reply ") && !line.starts_with("component ")) continue;
    lines.emplace(gravity_of_line(line, components), normalised(line, kinds));
  }
  if (lines.empty()) return {};
  return {lines.begin()->first, lines.begin()->second};
}

// The clients alone, in an order that does not depend on who was named first.
Input clients_sorted(const Input& input) {
  std::vector<std::pair<std::string, InputClient>> clients;
  for (const InputClient& client : input.clients) {
    Input alone;
    alone.clients = {client};
    clients.emplace_back(input.language->shape(alone), client);
  }
  std::ranges::stable_sort(clients, [](const auto& a, const auto& b) { return a.first < b.first; });
  Input sorted;
  sorted.language = input.language;
  for (auto& [shape, client] : clients) sorted.clients.push_back(std::move(client));
  return sorted;
}

// The anomaly, and the forms of the requests whose reads make it one; empty: there is none.
std::string reads_of(const Finding& finding) {
  const Input& input = finding.input.input;
  const std::vector<std::string> names = client_names(input);
  std::set<std::string> shapes;
  for (size_t c = 0; c < input.clients.size(); ++c) {
    for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
      const std::string reads = " " + request_name(c, r, names) + " read ";
      const auto& lines = finding.anomaly.lines;
      const bool named = std::ranges::any_of(
          lines, [&](const std::string& line) { return line.find(reads) != std::string::npos; });
      if (!named) continue;
      Input alone;
      alone.language = input.language;
      alone.clients = {{"A", {}, {input.clients[c].requests[r]}}};
      shapes.insert(input.language->shape(alone));
    }
  }
  if (shapes.empty()) return "";
  return fmt::format("{} by {}", finding.anomaly.name, fmt::join(shapes, "; "));
}

constexpr size_t kCallers = 4;  // as many frames as the cause of a crash has

// Where it died; or where those stand who wait for good, with their callers: one place says too
// little, as of a hang. Empty: it did neither, or nobody knows.
std::string end_of(const Finding& finding) {
  constexpr std::string_view kFrame = "frame ";
  constexpr std::string_view kWaits = "waits: ";
  std::set<std::string> ends;
  std::vector<std::string> frames;
  for (const std::string& line : lines_of(finding.cause)) {
    if (line.starts_with(kFrame)) frames.push_back(line.substr(kFrame.size()));
    if (!line.starts_with(kWaits)) continue;
    const std::string site = line.substr(line.rfind(" at ") + 4);
    for (const std::string& client : client_names(finding.input.input)) {
      std::vector<std::string> stack = stack_from(finding.ending_detail, client, site);
      if (stack.size() < 2 || stack[0] != site) continue;
      stack.resize(std::min(stack.size(), kCallers));
      ends.insert(fmt::format("waits in {}", fmt::join(stack, " < ")));
    }
  }
  if (frames.size() > 1) ends.insert(fmt::format("dies in {}", fmt::join(frames, " < ")));
  return fmt::format("{}", fmt::join(ends, " and "));
}

// Facts that a signature's text holds a line each of: "mainly reply to SELECT: rows missing".
constexpr std::string_view kServer = "server ";
constexpr std::string_view kMainly = "mainly ";
constexpr std::string_view kDamage = "damage ";
constexpr std::string_view kPlace = "place ";
constexpr std::string_view kStep = "step ";
constexpr std::string_view kReads = "reads ";
constexpr std::string_view kHangs = "hangs ";
constexpr std::string_view kEnds = "ends ";

// Those behind such a head, as they stand there.
std::vector<std::string> facts(const std::vector<std::string>& lines, std::string_view head) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    if (line.starts_with(head)) found.push_back(line.substr(head.size()));
  }
  return found;
}

// "reply to SHOW TABLES: rows missing and extra" -> "reply to SHOW TABLES: rows". Of one wrong
// answer now this is missing and now that is too much; of what is left, whether it is lost or
// survives says more.
std::string without_direction(std::string line) {
  if (!line.starts_with("reply ")) return line;
  for (const std::string_view end : {" missing and extra", " missing", " extra"}) {
    if (line.ends_with(end)) line.resize(line.size() - end.size());
  }
  return line;
}

}  // namespace

std::vector<std::string> family_keys(const Signature& signature) {
  std::vector<std::string> keys = {signature.plain};
  if (!signature.critical.empty()) keys.push_back(signature.critical);
  const std::vector<std::string> lines = lines_of(signature.text);
  const std::vector<std::string> server = facts(lines, kServer);
  const std::vector<std::string> mainly = facts(lines, kMainly);
  if (server.empty()) return keys;
  for (const std::string& reads : facts(lines, kReads)) {
    keys.push_back(short_hex(fmt::format("{}\n{}", server[0], reads)));
  }
  for (const std::string& hangs : facts(lines, kHangs)) {
    keys.push_back(short_hex(fmt::format("{}\nhangs {}", server[0], hangs)));
  }
  for (const std::string& ends : facts(lines, kEnds)) {
    keys.push_back(short_hex(fmt::format("{}\nends {}", server[0], ends)));
  }
  if (mainly.empty()) return keys;
  for (const std::string& damage : facts(lines, kDamage)) {
    keys.push_back(short_hex(fmt::format("{}\n{}", server[0], damage)));
  }
  const std::vector<std::string> places = facts(lines, kPlace);
  for (const std::string& place : places) {
    keys.push_back(short_hex(fmt::format("{}\n{}\n{}", server[0], mainly[0], place)));
  }
  for (const std::string& step : facts(lines, kStep)) {
    keys.push_back(
        short_hex(fmt::format("{}\n{}\n{}", server[0], without_direction(mainly[0]), step)));
  }
  const std::string what = mainly[0].substr(0, mainly[0].find(' '));  // reply or component
  if (places.size() > 1) {
    keys.push_back(short_hex(fmt::format("{}\n{}\n{}", server[0], what, fmt::join(places, "\n"))));
  }
  return keys;
}

bool same_family(const Signature& one, const Signature& other) {
  const std::vector<std::string> mine = family_keys(one);
  const std::vector<std::string> theirs = family_keys(other);
  return std::find_first_of(mine.begin(), mine.end(), theirs.begin(), theirs.end()) != mine.end();
}

Signature signature_of(const Finding& finding, const std::optional<DiagnosisFacts>& diagnosis) {
  const Input clients = clients_sorted(finding.input.input);
  const std::string differences = fmt::format("{}\n", fmt::join(differences_of(finding), "\n"));
  const std::string server = fmt::format("{}{}\n", kServer, finding.input.input.server());
  const std::string kinds = "statements " + kinds_of(clients) + "\n";
  Signature signature;
  const MainDifference main = main_difference(finding);
  signature.text = server + differences + kinds;
  if (!main.line.empty()) signature.text += fmt::format("{}{}\n", kMainly, main.line);
  const std::string reads = reads_of(finding);
  if (!reads.empty()) signature.text += fmt::format("{}{}\n", kReads, reads);
  // One place says too little: most waits of a server are made at a few.
  const std::set<std::string> stands = standstill_places(finding.ending_detail);
  if (stands.size() > 1) {
    signature.text += fmt::format("{}in {}\n", kHangs, fmt::join(stands, " and "));
  }
  const std::string end = end_of(finding);
  if (!end.empty()) signature.text += fmt::format("{}{}\n", kEnds, end);
  // Which two structures disagree says much by itself.
  if (main.gravity == Gravity::kDamage) {
    signature.text += fmt::format("{}beside {}: {}\n", kDamage, kinds_of(clients), main.line);
  }
  signature.plain = short_hex(server + differences + "shape " + clients.language->shape(clients));
  if (!diagnosis || diagnosis->critical_pair.empty()) return signature;
  const std::string pair =
      fmt::format("critical {}\n", fmt::join(diagnosis->critical_pair, "\ncritical "));
  signature.text += pair;
  const auto add = [&](std::string_view head, const std::vector<std::string>& all) {
    const std::set<std::string> sorted(all.begin(), all.end());
    for (const std::string& one : sorted) signature.text += fmt::format("{}{}\n", head, one);
  };
  add(kPlace, diagnosis->places);
  add(kStep, diagnosis->steps);
  signature.critical = short_hex(server + differences + kinds + pair);
  return signature;
}

}  // namespace esox
