// SPDX-License-Identifier: Apache-2.0
// See page.h: one finding.
#include <fmt/format.h>

#include "analysis/rows.h"
#include "base/text/counted.h"
#include "harness/records/json_text.h"
#include "harness/records/rate_text.h"
#include "harness/records/reports/page.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSummaryBytes = 300;

void put_list(Json& view, const std::string& name, Json list) {
  view["some_" + name] = !list.empty();
  view[name] = std::move(list);
}

Json named(const std::vector<NamedText>& texts, size_t limit) {
  return json_list<Json>(texts, [&](const NamedText& one) -> Json {
    return {{"name", one.name}, {"text", one.text.substr(0, limit)}};
  });
}

// As many empty cells.
Json cells(size_t count) {
  return std::vector<bool>(count, true);
}

Json cell_of(Sameness same) {
  if (same == Sameness::kSame) return {{"mark", "same"}, {"word", "same"}};
  if (same == Sameness::kDiffers) return {{"mark", "differs"}, {"word", "DIFFERS"}};
  return {{"mark", "unknown"}, {"word", "not known"}};
}

Json place_view(const PlaceDifference& difference) {
  const auto more = [](size_t left_out) {
    return left_out == 0 ? "" : fmt::format("and {} more", left_out);
  };
  return {{"place", difference.place},
          {"missing", difference.missing},
          {"missing_more", more(difference.missing_left_out)},
          {"extra", difference.extra},
          {"extra_more", more(difference.extra_left_out)},
          {"place_note", difference.note}};
}

Json order_view(const OrderDetails& order, size_t columns) {
  Json view = {{"order", order.order},
               {"possible", order.possible ? "yes" : "no"},
               {"infeasible", false},
               {"cells", Json::array()},
               {"open", false}};
  if (!order.infeasible.empty()) {
    view["infeasible"] = {{"span", columns}, {"why", order.infeasible}};
  } else {
    for (const Sameness same : order.replies) view["cells"].push_back(cell_of(same));
    for (const Sameness same : order.components) view["cells"].push_back(cell_of(same));
  }
  Json places = json_list<Json>(order.differences,
                                [&](const PlaceDifference& one) { return place_view(one); });
  put_list(view, "places", std::move(places));
  return view;
}

void put_orders(Json& view, const FindingDetails& finding) {
  Json columns = json_list<Json>(finding.request_names, [&](const std::string& name) -> Json {
    return {{"name", "reply to " + name}, {"kind", false}};
  });
  for (const std::string& name : finding.components) {
    columns.push_back({{"name", "state"}, {"kind", component_in_words(name, finding.server)}});
  }
  Json orders = Json::array();
  bool differences = false;
  for (const OrderDetails& order : finding.orders) {
    orders.push_back(order_view(order, columns.size()));
    // The first one is shown, the others on demand.
    const bool first = !differences && !order.differences.empty();
    orders.back()["open"] = first;
    differences = differences || first;
  }
  view["columns"] = std::move(columns);
  put_list(view, "orders", std::move(orders));
  view["some_differences"] = differences;
  view["equal_note"] = fmt::format(
      "Each order was executed on the same server from the same state. {} equal in every order.{}",
      counted(finding.equal_components, "other part of the state is",
              "other parts of the state are"),
      finding.orders_left_out == 0
          ? ""
          : fmt::format(" {} in comparison.txt.",
                        counted(finding.orders_left_out, "more order is", "more orders are")));
}

Json row_view(const InterleavingRow& row, size_t clients) {
  using Kind = InterleavingRow::Kind;
  const size_t client = std::min(row.client, clients - 1);
  return {{"operation", row.kind == Kind::kOperation},
          {"gap", row.kind == Kind::kGap},
          {"switch", row.kind == Kind::kSwitch},
          {"kind", row.critical      ? "critical"
                   : row.could_go_on ? "free"
                                     : "forced"},
          {"critical", row.critical},
          {"point", row.point},
          {"text", row.kind == Kind::kSwitch ? "switch " + row.text : row.text},
          {"site", row.site},
          {"before", cells(client)},
          {"after", cells(clients - 1 - client)},
          {"span", row.kind == Kind::kSwitch ? clients + 1 : clients + 1 - client}};
}

std::string interleaving_note(const Interleaving& interleaving) {
  bool critical = false;
  for (const InterleavingRow& row : interleaving.rows) critical = critical || row.critical;
  return fmt::format(
      "One operation of one server thread per line, earlier ones first. A thread is replaced just "
      "before the last operation above a switch; [!] marks where it could have gone on, and those "
      "switches make the interleaving.{}",
      critical ? " The critical one is marked." : "");
}

void put_interleaving(Json& view, const Interleaving& interleaving) {
  Json rows = Json::array();
  const size_t clients = std::max<size_t>(1, interleaving.clients.size());
  for (const InterleavingRow& row : interleaving.rows) rows.push_back(row_view(row, clients));
  view["clients"] = interleaving.clients;
  put_list(view, "rows", std::move(rows));
  put_list(view, "objects", interleaving.objects);
  view["interleaving_note"] = interleaving_note(interleaving);
  view["trace_text"] = interleaving.text.substr(0, size_t{64} << 10);
}

Json step_view(const TimelineStep& step, size_t clients) {
  return {{"point", step.point},
          {"what", step.what},
          {"saw", step.saw},
          {"notes", step.notes},
          {"of_cycle", step.of_cycle},
          {"before", cells(step.column)},
          {"after", cells(clients - 1 - step.column)}};
}

void put_anomaly(Json& view, const FindingDetails& finding) {
  const Timeline& timeline = finding.timeline;
  Json steps = json_list<Json>(timeline.steps, [&](const TimelineStep& step) {
    return step_view(step, timeline.clients.size());
  });
  view["anomaly"] = finding.anomaly;
  view["timeline_clients"] = timeline.clients;
  view["conclusion"] = timeline.conclusion;
  view["steps_more"] =
      timeline.left_out == 0 ? "" : "and " + counted(timeline.left_out, "more step");
  put_list(view, "steps", std::move(steps));
  view["picture"] = false;
  if (finding.picture.svg.empty()) return;
  view["picture"] = {{"svg", finding.picture.svg},
                     {"not_drawn", finding.picture.left_out == 0
                                       ? ""
                                       : counted(finding.picture.left_out, "more transaction is",
                                                 "more transactions are") +
                                             " not drawn."}};
}

void put_diagnosis(Json& view, const FindingDetails& finding) {
  view["diagnosis"] = false;
  view["sentence"] = "";
  if (!finding.diagnosis) return;
  const DiagnosisDetails& diagnosis = *finding.diagnosis;
  view["sentence"] = diagnosis.sentence;
  const bool critical = !diagnosis.sentence.empty();
  view["diagnosis"] = {
      {"switches", diagnosis.recorded_switches == 0
                       ? ""
                       : fmt::format("{} recorded, {} in the shortest schedule found",
                                     diagnosis.recorded_switches, diagnosis.fewest_switches)},
      {"moved", diagnosis.moved},
      {"other", diagnosis.other},
      {"confirmed",
       !critical ? ""
       : diagnosis.confirmed
           ? fmt::format("both sides were executed again: the other one is accepted as {}",
                         diagnosis.accepted_as)
           : "no: executed again, it did not come out so every time"},
      {"why_none", critical ? "" : diagnosis.why_none},
      {"diagnosis_text", diagnosis.text}};
}

void put_minimised(Json& view, const FindingDetails& finding) {
  view["minimised"] = false;
  if (!finding.minimised) return;
  Json minimised = {{"least_requests", named(finding.minimised->requests, kShownBytes * 4)}};
  put_list(minimised, "least_setup", finding.minimised->setup);
  view["minimised"] = std::move(minimised);
}

void put_affected(Json& view, const FindingDetails& finding) {
  view["affected"] = false;
  if (!finding.affected) return;
  Json rows = json_list<Json>(finding.affected->rows, [&](const AffectedRow& row) -> Json {
    return {{"version", row.version.empty() ? "?" : printable(row.version)},
            {"server", printable(row.server)},
            {"home", row.home},
            {"mark", row.answer == Affected::kHasIt ? "differs" : "unknown"},
            {"answer", answer_text(row)},
            {"others", other_texts(row)}};
  });
  Json affected = {{"how", how_text(*finding.affected)}};
  put_list(affected, "servers", std::move(rows));
  view["affected"] = std::move(affected);
}

// How to see it on a plain server.
void put_reproducer(Json& view, const FindingDetails& finding, const fs::path& folder) {
  view["reproducer"] = false;
  if (!finding.reproducer) return;
  const ReproducerRecord& record = *finding.reproducer;
  const bool there = record.needs_esox.empty();
  view["reproducer"] = {
      {"reproducer_mark", there ? "differs" : "unknown"},
      {"reproducer_kind", printable(short_reproducer_text(record))},
      {"reproducer_held", there ? printable(record.rounds.held) : ""},
      {"reproducer_control",
       there ? fmt::format("{} of {}", record.rounds.control_violated, record.rounds.control_rounds)
             : ""},
      {"reproducer_why", printable(record.needs_esox)},
      {"reproducer_server", printable(record.version)},
      {"script", there ? "python3 " + (folder / "reproduce.py").string() : ""}};
}

void put_again(Json& view, const ReportData& data, const FindingDetails& finding,
               const fs::path& place) {
  const fs::path folder = data.folder_of(finding);
  Json files = json_list<Json>(finding.files, [&](const std::string& name) -> Json {
    return {
        {"name", name},
        {"href",
         (folder / name).lexically_normal().lexically_relative(place.lexically_normal()).string()}};
  });
  put_list(view, "files", std::move(files));
  view["replay"] = finding.files.empty() ? "" : "esox replay " + folder.string();
  view["name_code"] = finding.names_code || finding.files.empty()
                          ? ""
                          : fmt::format("esox diagnose {} --server YOUR-BUILD", folder.string());
  view["seed_note"] = fmt::format("Kept is execution {}, seed {}{}.", finding.line.first_execution,
                                  finding.line.seed,
                                  finding.strategy.empty() ? "" : ", strategy " + finding.strategy);
}

double hit_rate(const HuntFinding& line) {
  if (line.draws == 0) return 0;
  return static_cast<double>(line.drawn_hits) / static_cast<double>(line.draws);
}

}  // namespace

Json finding_view(const ReportData& data, const FindingDetails& finding, const std::string& number,
                  const fs::path& place) {
  const HuntFinding& line = finding.line;
  Json view = {{"id", printable(line.id)},
               {"number", number},
               {"input", printable(line.input)},
               {"on", printable(conditions_of(line))},
               {"title", line.title.empty() ? printable(line.input) : printable(line.title)},
               {"headline", finding.headline.empty() ? class_in_words(line.verdict, line.latent)
                                                     : finding.headline},
               {"drawn_hits", line.drawn_hits},
               {"draws", line.draws},
               {"first", line.first_execution},
               {"executions", line.executions},
               {"rate", rate_text(hits_of(line))},
               {"rate_value", hit_rate(line)},
               {"damage", finding.damage},
               {"effect", class_in_words(line.verdict, line.latent)},
               {"needs", line.choices},
               {"wrong", finding.wrong},
               {"expected", finding.expected},
               {"seen", finding.seen},
               {"requests", named(finding.requests, kSummaryBytes)},
               {"setup_count", finding.setup.size()}};
  view["some_requests"] = !finding.requests.empty();
  view["full_requests"] = named(finding.requests, kShownBytes * 4);
  put_list(view, "setup", finding.setup);
  put_list(view, "ending", finding.ending);
  put_anomaly(view, finding);
  put_orders(view, finding);
  put_interleaving(view, finding.interleaving);
  put_diagnosis(view, finding);
  put_minimised(view, finding);
  put_affected(view, finding);
  put_reproducer(view, finding, data.folder_of(finding));
  put_again(view, data, finding, place);
  return view;
}

}  // namespace esox
