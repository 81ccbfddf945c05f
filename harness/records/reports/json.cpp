// SPDX-License-Identifier: Apache-2.0
// The report as JSON: hunt.json with, for each finding, what its folder holds, and for each input
// what its silence is worth.

#include "harness/records/json_text.h"
#include "harness/records/reports/miss_probability.h"
#include "harness/records/reports/reports.h"

namespace esox {
namespace {

OrderedJson json_of(const std::vector<NamedText>& texts) {
  return json_list(texts, [&](const NamedText& one) -> OrderedJson {
    return {{"name", one.name}, {"text", one.text}};
  });
}

// true, false, or null for what is not known.
OrderedJson json_of(const std::vector<Sameness>& cells) {
  return json_list(cells, [&](const Sameness same) {
    return same == Sameness::kUnknown ? OrderedJson() : OrderedJson(same == Sameness::kSame);
  });
}

OrderedJson json_of(const PlaceDifference& difference) {
  return {{"place", difference.place},
          {"missing", difference.missing},
          {"missing_left_out", difference.missing_left_out},
          {"extra", difference.extra},
          {"extra_left_out", difference.extra_left_out},
          {"note", difference.note}};
}

OrderedJson json_of(const OrderDetails& order) {
  OrderedJson json = {{"order", order.order},
                      {"possible", order.possible},
                      {"infeasible", order.infeasible},
                      {"same_replies", json_of(order.replies)},
                      {"same_components", json_of(order.components)},
                      {"differences", json_list(order.differences, [&](const PlaceDifference& one) {
                         return json_of(one);
                       })}};
  return json;
}

OrderedJson json_of(const Interleaving& interleaving) {
  OrderedJson rows = OrderedJson::array();
  for (const InterleavingRow& row : interleaving.rows) {
    if (row.kind == InterleavingRow::Kind::kSwitch) {
      rows.push_back({{"switch", row.text},
                      {"from", row.from},
                      {"to", row.to},
                      {"could_go_on", row.could_go_on},
                      {"critical", row.critical}});
    } else if (row.kind == InterleavingRow::Kind::kGap) {
      rows.push_back({{"client", row.client}, {"left_out", row.text}});
    } else {
      rows.push_back({{"point", row.point},
                      {"client", row.client},
                      {"operation", row.text},
                      {"site", row.site}});
    }
  }
  return {{"clients", interleaving.clients}, {"rows", rows}};
}

OrderedJson json_of(const DiagnosisDetails& diagnosis) {
  return {{"sentence", diagnosis.sentence},
          {"no_critical", diagnosis.why_none},
          {"accepted_as", diagnosis.accepted_as},
          {"confirmed", diagnosis.confirmed},
          {"recorded_switches", diagnosis.recorded_switches},
          {"fewest_switches", diagnosis.fewest_switches},
          {"functions", diagnosis.functions}};
}

void add_details(OrderedJson& json, const FindingDetails& finding) {
  json["damage"] = finding.damage;
  json["origin"] = finding.origin;
  json["strategy"] = finding.strategy;
  json["requests"] = json_of(finding.requests);
  json["setup"] = finding.setup;
  json["wrong"] = finding.wrong;
  json["expected"] = finding.expected;
  json["seen"] = finding.seen;
  json["components"] = finding.components;
  json["equal_components"] = finding.equal_components;
  json["orders"] =
      json_list(finding.orders, [&](const OrderDetails& order) { return json_of(order); });
  json["ending"] = finding.ending;
  json["interleaving"] = json_of(finding.interleaving);
  json["diagnosis"] = finding.diagnosis ? json_of(*finding.diagnosis) : OrderedJson();
  json["affected"] =
      finding.affected ? OrderedJson::parse(affected_json(*finding.affected)) : OrderedJson();
  json["reproducer"] =
      finding.reproducer ? OrderedJson::parse(to_json(*finding.reproducer, 0)) : OrderedJson();
  json["minimised"] = OrderedJson();
  if (!finding.minimised) return;
  json["minimised"] = {{"requests", json_of(finding.minimised->requests)},
                       {"setup", finding.minimised->setup}};
}

void add_miss(OrderedJson& json, const InputFigures& figures, const std::string& strategy) {
  const MissFigures miss = miss_figures(figures, strategy);
  json["judged"] = miss.judged;
  json["drawn"] = miss.drawn;
  json["guaranteed"] = miss.guaranteed;
  json["rate_found_with_95_percent"] = miss.rate_found;
  json["pct_bound"] = miss.depth ? OrderedJson(miss.bound) : OrderedJson();
  json["missed_at_most"] = miss.depth ? OrderedJson(miss.missed_at_most) : OrderedJson();
  json["hit_rate"] = miss.hit_rate;
  json["missed_again"] = miss.missed_again ? OrderedJson(*miss.missed_again) : OrderedJson();
}

}  // namespace

std::string report_whole_json(const ReportData& data) {
  OrderedJson json = OrderedJson::parse(report_json(data.hunt));
  for (size_t i = 0; i < data.findings.size(); ++i) {
    add_details(json["findings"][i], data.findings[i]);
  }
  for (size_t i = 0; i < data.hunt.figures.size(); ++i) {
    add_miss(json["explored"][i], data.hunt.figures[i], data.hunt.strategy);
  }
  return json_text(json);
}

}  // namespace esox
