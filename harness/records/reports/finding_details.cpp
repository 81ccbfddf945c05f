// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/finding_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/finding.h"
#include "analysis/gravity.h"
#include "analysis/linearization.h"
#include "analysis/report/layout.h"
#include "analysis/rows.h"
#include "base/mapped.h"
#include "base/process/paths.h"
#include "base/text/utf8.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/lines.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextBytes = uint64_t{16} << 20;

std::string shown(const std::string& bytes) {
  return printable_cut(bytes, kShownBytes);
}

// A text that the analysis has decoded for people already, or that claims to be one.
std::string decoded(const std::string& text) {
  const bool clean = is_utf8(text) && std::ranges::none_of(text, [](unsigned char c) {
                       return c < 0x20 || c == 0x7f;
                     });
  return keep_start(clean ? text : printable(text), kShownBytes);
}

std::vector<std::string> all_shown(const std::vector<std::string>& texts) {
  return mapped<std::string>(texts, [&](const std::string& text) { return shown(text); });
}

std::vector<NamedText> requests_of(const Input& input) {
  std::vector<NamedText> list;
  const auto names = client_names(input);
  for (size_t c = 0; c < input.clients.size(); ++c) {
    for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
      list.push_back({request_name(c, r, names), shown(input.clients[c].requests[r].text)});
    }
  }
  return list;
}

void take_values(const std::vector<std::string>& from, std::vector<std::string>& to,
                 size_t& left_out) {
  for (const std::string& value : from) {
    if (to.size() == kShownValues) break;
    to.push_back(decoded(value));
  }
  left_out = from.size() - to.size();
}

PlaceDifference difference_of(std::string place, const std::vector<std::string>& missing,
                              const std::vector<std::string>& extra, const std::string& note) {
  PlaceDifference difference;
  difference.place = std::move(place);
  difference.note = decoded(note);
  take_values(missing, difference.missing, difference.missing_left_out);
  take_values(extra, difference.extra, difference.extra_left_out);
  return difference;
}

PlaceDifference place_of(const GraveDifference& one, const std::vector<std::string>& names,
                         const std::string& server) {
  if (one.component != nullptr) {
    const ComponentComparison& component = *one.component;
    return difference_of(component_in_words(component.name, server), component.missing,
                         component.extra, component.note);
  }
  const OutputDifference& reply = *one.reply;
  const std::string place = fmt::format(
      "the reply to {} ({})", request_name(one.request->client, one.request->request, names),
      part_name(reply.part));
  const bool lists = !reply.missing.empty() || !reply.extra.empty();
  return lists ? difference_of(place, reply.missing, reply.extra, "")
               : difference_of(place, {reply.serial}, {reply.concurrent}, "");
}

Sameness sameness_of(ComponentMatch match) {
  if (match == ComponentMatch::kEqual) return Sameness::kSame;
  return match == ComponentMatch::kDifferent ? Sameness::kDiffers : Sameness::kUnknown;
}

OrderDetails order_of(const OrderMatch& match, const std::vector<std::string>& components,
                      const std::vector<std::string>& names, const std::string& server) {
  OrderDetails details;
  details.order = order_name(match.order, match.without, names);
  details.possible = match.allowed;
  details.infeasible = match.infeasible;
  details.components.assign(components.size(), Sameness::kUnknown);
  if (!match.infeasible.empty()) return details;
  for (const RequestComparison& request : match.comparison.requests) {
    details.replies.push_back(request.equal() ? Sameness::kSame : Sameness::kDiffers);
  }
  for (const GraveDifference& one : by_gravity(match.comparison)) {
    details.differences.push_back(place_of(one, names, server));
  }
  for (const ComponentComparison& component : match.comparison.components) {
    const auto at = std::ranges::find(components, component.name);
    if (at == components.end()) continue;
    details.components[static_cast<size_t>(at - components.begin())] = sameness_of(component.match);
    if (component.match != ComponentMatch::kUnavailable) continue;
    details.differences.push_back(
        difference_of(component_in_words(component.name, server), {}, {}, component.note));
  }
  return details;
}

// How many components there are, and those that are not equal in every order, the gravest first.
size_t components_of(const Verdict& verdict, std::vector<std::string>& not_equal) {
  std::set<std::string> all;
  std::set<std::pair<Gravity, std::string>> ranked;
  for (const OrderMatch& match : verdict.table) {
    for (const ComponentComparison& component : match.comparison.components) {
      all.insert(component.name);
      if (component.match == ComponentMatch::kEqual) continue;
      ranked.emplace(gravity_of(component.name, component.meaning), component.name);
    }
  }
  std::set<std::string> listed;
  for (const auto& [gravity, name] : ranked) {
    if (listed.insert(name).second) not_equal.push_back(name);
  }
  return all.size();
}

// "expected: x  [as after A1 B1, ...]" -> "x  [as after A1 B1, ...]"
std::string after_label(const std::string& line) {
  const size_t colon = line.find(':');
  const size_t begin = line.find_first_not_of(' ', colon + 1);
  return begin == std::string::npos ? "" : line.substr(begin);
}

void take_explanation(const std::vector<std::string>& lines, FindingDetails& details) {
  for (const std::string& line : lines) {
    if (line.starts_with("wrong: ")) details.wrong = decoded(after_label(line));
    if (line.starts_with("expected: ")) details.expected = decoded(after_label(line));
    if (line.starts_with("seen: ")) details.seen = decoded(after_label(line));
  }
}

void take_anomaly(const Input& input, const ExecutionRecord& record, FindingDetails& details) {
  if (!has_anomaly(record)) return;
  details.anomaly = record.anomaly.name;
  const auto dependencies = dependencies_of(input, record);
  if (!dependencies) return;
  details.timeline = timeline(input, record, *dependencies);
  details.picture = dependency_svg(input, *dependencies);
}

void judge_again(const Finding& finding, FindingDetails& details) {
  const ExecutionRecord record = record_of(finding);
  Verdict verdict = judged_again(finding, Orders::kSearched);
  if (finding.verdict == VerdictClass::kSerial) verdict.verdict = finding.verdict;
  const auto names = client_names(finding.input.input);
  const size_t components = components_of(verdict, details.components);
  details.equal_components = components - details.components.size();
  for (const OrderMatch& match : verdict.table) {
    if (details.orders.size() == kShownOrders) break;
    details.orders.push_back(order_of(match, details.components, names, details.server));
  }
  details.orders_left_out = verdict.table.size() - details.orders.size();
  take_explanation(explanation_lines(finding.input.input, record, verdict), details);
  take_anomaly(finding.input.input, record, details);
  if (verdict.violation()) details.headline = headline(finding.input.input, record, verdict);
}

void take_finding(const Finding& finding, FindingDetails& details) {
  const Input& input = finding.input.input;
  details.origin = input.origin;
  details.server = input.server();
  details.program = fs::path(finding.server.path).filename().string();
  details.strategy = finding.strategy;
  details.requests = requests_of(input);
  for (const NamedText& request : details.requests) details.request_names.push_back(request.name);
  details.setup = all_shown(input.setup);
  for (const InputClient& client : input.clients) {
    for (const std::string& statement : client.setup) {
      details.setup.push_back(fmt::format("{}: {}", client.name, shown(statement)));
    }
  }
  details.observations = all_shown(input.observations);
  for (const std::string& part : finding.ending_detail) {
    for (const std::string& line : lines_of(part)) {
      if (details.ending.size() < kShownLines) details.ending.push_back(shown(line));
    }
  }
  judge_again(finding, details);
}

// "mutex#6 at mariadbd+0xc03600" of an operation of a diagnosis.
std::string operation_text(const Json& json) {
  if (!json.is_object()) return "";
  std::string text = fmt::format("{}: {}", json.value("client", ""), json.value("operation", ""));
  const std::string site = json.value("site", "");
  const std::string below = json.value("below", "");
  if (!site.empty()) text += ", at " + site;
  if (!below.empty()) text += ", below " + below;
  return shown(text);
}

// "#3 thr_multi_lock+0x1a8" or "thr_multi_lock+0x1a8 (thr_lock.c:12)" as "thr_multi_lock".
std::string function_of(const std::string& frame) {
  const size_t begin = frame.starts_with('#') ? frame.find(' ') + 1 : 0;
  const std::string site = frame.substr(begin, frame.find(" (") - begin);
  return site.substr(0, site.find("+0x"));
}

void take_functions(const Json& critical, DiagnosisDetails& details) {
  for (const char* key : {"moved", "other"}) {
    const auto operation = critical.find(key);
    if (operation == critical.end() || !operation->is_object()) continue;
    for (const char* part : {"function", "below"}) {
      const std::string name = operation->value(part, "");
      if (!name.empty()) details.functions.push_back(function_of(name));
    }
  }
}

void take_critical(const Json& critical, DiagnosisDetails& details, FindingDetails& finding) {
  details.sentence = shown(critical.value("sentence", ""));
  details.accepted_as = critical.value("accepted_as", "");
  details.confirmed = critical.value("confirmed", false);
  details.moved = operation_text(critical.value("moved", Json()));
  details.other = operation_text(critical.value("other", Json()));
  take_functions(critical, details);
  const Json at_switch = critical.value("switch", Json::object());
  const Json at = at_switch.value("at", Json::object());
  mark_critical(finding.interleaving, {at_switch.value("from", ""), at_switch.value("to", ""),
                                       at.value("operation", ""), at.value("site", "")});
}

void take_diagnosis(const Json& json, FindingDetails& finding) {
  DiagnosisDetails details;
  details.recorded_switches = json.value("recorded_switches", size_t{0});
  details.fewest_switches = json.value("fewest_switches", size_t{0});
  details.why_none = shown(json.value("no_critical", ""));
  if (details.why_none.empty()) details.why_none = shown(json.value("why_not", ""));
  const auto critical = json.find("critical");
  if (critical != json.end() && critical->is_object()) take_critical(*critical, details, finding);
  finding.diagnosis = std::move(details);
}

// "memcached+0x1b2c" for "do_store_item+0x1c (memcached.c:812)".
bool is_bare(const std::string& site, const std::string& program) {
  return site.starts_with(program + "+0x");
}

bool names_code(const Interleaving& interleaving, const std::string& program) {
  const auto& rows = interleaving.rows;
  const auto bare = std::ranges::count_if(
      rows, [&](const InterleavingRow& row) { return is_bare(row.site, program); });
  const auto told =
      std::ranges::count_if(rows, [](const InterleavingRow& row) { return !row.site.empty(); });
  return 2 * bare < told || told == 0;
}

void add_damage(FindingDetails& details, const std::string& what) {
  details.damage += (details.damage.empty() ? "" : "; ") + shown(what);
}

// Each file by itself: one that is damaged does not hide the others.
void read_part(FindingDetails& details, const fs::path& file, bool required, const auto& read) {
  if (!is_file(file)) {
    if (required) add_damage(details, file.filename().string() + " is missing");
    return;
  }
  try {
    read(file);
  } catch (const std::exception& error) {
    add_damage(details, fmt::format("{}: {}", file.filename().string(), error.what()));
  }
}

void list_files(const fs::path& folder, FindingDetails& details) {
  for (const fs::path& one : entries_of(folder)) {
    if (details.files.size() < kShownLines && is_file(one)) {
      details.files.push_back(one.filename().string());
    }
  }
}

void read_folder(const fs::path& folder, FindingDetails& details) {
  read_part(details, folder / "finding.yaml", true, [&](const fs::path& file) {
    const Finding finding = read_finding(file);
    if (finding.id != details.line.id) {
      throw ReportError(fmt::format("it is that of another finding, {}", finding.id));
    }
    take_finding(finding, details);
  });
  read_part(details, folder / "trace.txt", true, [&](const fs::path& file) {
    details.interleaving = interleaving_from_text(read_report_file(file, kMaxTextBytes));
  });
  read_part(details, folder / "diagnosis.json", false, [&](const fs::path& file) {
    take_diagnosis(Json::parse(read_report_file(file, kMaxTextBytes)), details);
  });
  read_part(details, folder / "diagnosis.txt", false, [&](const fs::path& file) {
    if (!details.diagnosis) details.diagnosis.emplace();
    details.diagnosis->text = read_report_file(file, kMaxTextBytes);
  });
  read_part(details, folder / "minimised.yaml", false, [&](const fs::path& file) {
    const Finding finding = read_finding(file);
    details.minimised = {requests_of(finding.input.input), all_shown(finding.input.input.setup)};
  });
  read_part(details, folder / "affected.json", false, [&](const fs::path& file) {
    details.affected = from_json<AffectedTable>(read_report_file(file, kMaxTextBytes));
  });
  read_part(details, folder / "reproduce.json", false, [&](const fs::path& file) {
    details.reproducer = reproducer_record(read_report_file(file, kMaxTextBytes));
  });
  list_files(folder, details);
  details.names_code = names_code(details.interleaving, details.program);
}

}  // namespace

bool is_finding_id(const std::string& id) {
  return id.size() == 16 && std::ranges::all_of(id, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

FindingDetails read_finding_details(const HuntFinding& line, const fs::path& folder) {
  FindingDetails details;
  details.line = line;
  take_explanation(line.synopsis, details);
  details.headline = line.headline;
  if (!is_finding_id(line.id)) {
    add_damage(details, "its id is not one, so that it has no folder");
    return details;
  }
  if (!is_folder(folder)) {
    add_damage(details, fmt::format("its folder {} is not there", folder.string()));
    return details;
  }
  read_folder(folder, details);
  shorten(details.interleaving, kShownRows);
  return details;
}

}  // namespace esox
