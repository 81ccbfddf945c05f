// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/part_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/forgiveness.h"
#include "analysis/linearization.h"
#include "inputs/summary_parts.h"

namespace esox {
namespace {

// Each holds a graph of serial states: an input whose executions need more is looked at anew.
constexpr size_t kMostVariants = 16;

// Where a request of the variant comes from.
struct Piece {
  size_t request = 0;  // of the input
  size_t part = 0;
  size_t parts = 1;
  RequestPart step;

  bool last() const { return part + 1 == parts; }
};

std::vector<Piece> pieces_of(const RequestLanguage& language, const Request& request, size_t number,
                             const Rule* rule) {
  std::vector<RequestPart> steps;
  if (rule != nullptr) steps = language.parts(request.text, rule->into);
  if (steps.empty()) steps.push_back({.text = request.text});
  std::vector<Piece> pieces;
  pieces.reserve(steps.size());
  for (RequestPart& step : steps) {
    pieces.push_back({number, pieces.size(), steps.size(), std::move(step)});
  }
  return pieces;
}

bool names(const Row& row, const std::string& subject) {
  if (row.empty() || !row.front()) return false;
  const std::string& name = *row.front();
  return name == subject || name.ends_with("." + subject);
}

bool is_about(const Warning& warning, const std::string& subject) {
  return warning.message.find(subject + "'") != std::string::npos ||
         warning.message.find(subject + "`") != std::string::npos;
}

// One subject's rows and warnings of the reply.
Output output_about(const Output& whole, const Piece& piece) {
  Output output = whole;
  for (ResultSet& result : output.results) {
    std::erase_if(result.rows, [&](const Row& row) { return !names(row, piece.step.subject); });
  }
  if (!whole.results.empty() && whole.affected_rows == whole.results[0].rows.size()) {
    output.affected_rows = output.results[0].rows.size();
  }
  std::erase_if(output.warnings,
                [&](const Warning& one) { return !is_about(one, piece.step.subject); });
  output.warning_count = static_cast<uint32_t>(output.warnings.size());
  return output;
}

// Whether each row is of one of the subjects: else the reply cannot be divided among them.
bool divides(const Output& whole, const std::vector<Piece>& pieces) {
  if (pieces.front().step.subject.empty()) return true;
  if (whole.results.size() != 1) return false;
  const auto& rows = whole.results.front().rows;
  return std::ranges::all_of(rows, [&](const Row& row) {
    return std::ranges::count_if(
               pieces, [&](const Piece& piece) { return names(row, piece.step.subject); }) == 1;
  });
}

// A part's reply as far as the whole request's one tells it.
Output output_of(const Output& whole, const Piece& piece) {
  if (piece.parts == 1) return whole;
  if (!piece.step.subject.empty()) return output_about(whole, piece);
  if (!piece.step.silent) return whole;
  Output nothing;
  nothing.answered = true;
  return nothing;
}

void hide(Masks& masks, size_t client, size_t request, OutputPart part) {
  masks.outputs.emplace(OutputPlace{client, request, part}, 1);
}

// What a part's reply cannot be held against.
void hide_unknown(Masks& masks, const Output& whole, const Piece& piece, size_t client,
                  size_t request) {
  constexpr std::array<OutputPart, 5> kOfASilentOne = {
      OutputPart::kAffectedRows, OutputPart::kInsertId, OutputPart::kInfo,
      OutputPart::kWarningCount, OutputPart::kWarnings};
  if (piece.step.silent) {
    for (const OutputPart part : kOfASilentOne) hide(masks, client, request, part);
  }
  // Texts of warnings are asked for after a session's last request only.
  if (!piece.last()) hide(masks, client, request, OutputPart::kWarnings);
  if (piece.step.subject.empty()) return;
  // Without their texts nobody can say of which subject they are.
  if (whole.warnings.size() != whole.warning_count) {
    hide(masks, client, request, OutputPart::kWarningCount);
  }
}

// The parts of the state that are looked at for the input, whatever words its variant has besides.
std::string summary_of(const Input& input) {
  if (input.language->summary_parts().empty()) return "";
  std::string parts = summarises_what_is_touched(input) ? "touched" : "";
  for (const std::string_view part : input.language->summary_parts()) {
    if (!has_summary_part(input, part)) continue;
    parts += fmt::format("{}{}", parts.empty() ? "" : ",", part);
  }
  return parts.empty() ? "basic" : parts;
}

std::string requests_named(const Order& order, const std::vector<std::vector<Piece>>& pieces) {
  std::vector<size_t> done(pieces.size(), 0);
  std::string text;
  for (const uint16_t client : order) {
    const Piece& piece = pieces[client][done[client]++];
    const std::string name = request_name(client, piece.request);
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", name,
                        piece.parts == 1 ? "" : fmt::format(" part {}", piece.part + 1));
  }
  return text;
}

}  // namespace

// The input with parts as requests of their own.
struct PartOrders::Variant {
  ConcreteInput input;
  std::vector<std::vector<Piece>> pieces;  // [client][request of the variant]
  RulesInForce rules;
  std::unique_ptr<PrefixStepper> stepper;
  std::unique_ptr<SerialGraph> graph;

  Variant(const ConcreteInput& whole, const Chosen& chosen) : input(whole) {
    input.input.summary = summary_of(whole.input);
    for (size_t c = 0; c < whole.input.clients.size(); ++c) {
      auto& requests = input.input.clients[c].requests;
      requests.clear();
      auto& mine = pieces.emplace_back();
      for (size_t r = 0; r < whole.input.clients[c].requests.size(); ++r) {
        const Request& request = whole.input.clients[c].requests[r];
        const auto rule = chosen.find({c, r});
        const Rule* by = rule == chosen.end() ? nullptr : rule->second;
        for (Piece& piece : pieces_of(*whole.input.language, request, r, by)) {
          requests.push_back({piece.step.text, request.ordered});
          mine.push_back(std::move(piece));
        }
      }
    }
  }

  // A read of a part of a request is none of the statements that rules are for.
  void take_rules(const RulesInForce& whole, const ServerFacts& server) {
    Circumstances circumstances = circumstances_of(input, server);
    for (size_t c = 0; c < pieces.size(); ++c) {
      for (size_t r = 0; r < pieces[c].size(); ++r) {
        if (pieces[c][r].step.silent) circumstances.requests[c][r] = {};
      }
    }
    rules = RulesInForce(whole.all(), std::move(circumstances));
  }

  void make_graph(const Input& whole, int64_t shift_ns) {
    std::vector<size_t> counts;
    for (const auto& mine : pieces) counts.push_back(mine.size());
    stepper = std::make_unique<PrefixStepper>(input.input, shift_ns);
    stepper->tell_sessions_by(
        [this, &whole](const Order& order) { return sessions(whole, order); });
    graph = std::make_unique<SerialGraph>(std::move(counts), *stepper);
  }

  // What has been read and not yet written is told by how it came to be read.
  KeptBySessions sessions(const Input& whole, const Order& order) const {
    std::vector<size_t> done(pieces.size(), 0);
    std::map<uint16_t, std::string> pending;
    Order requests;
    for (size_t i = 0; i < order.size(); ++i) {
      const uint16_t client = order[i];
      const Piece& piece = pieces[client][done[client]++];
      if (piece.last()) requests.push_back(client);
      pending.erase(client);
      if (piece.step.reads) {
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        pending[client] = order_name(Order(order.begin(), end));
      }
    }
    if (session_state(whole, requests).by_requests) return {order_name(order), true};
    std::string text;
    for (const auto& [client, read] : pending) text += fmt::format("{}: {}; ", client, read);
    return {std::move(text), false};
  }

  ExecutionRecord record_of(const ExecutionRecord& whole) const {
    ExecutionRecord record;
    record.number = whole.number;
    record.ending = whole.ending;
    record.outcome.state = whole.outcome.state;
    record.outcome.outputs.resize(pieces.size());
    record.stamps.resize(pieces.size());
    for (size_t c = 0; c < pieces.size(); ++c) {
      for (const Piece& piece : pieces[c]) {
        if (whole.cut_off.contains({c, piece.request})) {
          record.cut_off.insert({c, record.stamps[c].size()});
        }
        record.outcome.outputs[c].push_back(
            output_of(whole.outcome.outputs[c][piece.request], piece));
        record.stamps[c].push_back(whole.stamps[c][piece.request]);
      }
    }
    return record;
  }

  Masks masks_for(const ExecutionRecord& whole, const Masks& known) const {
    Masks all;
    all.state = known.state;
    for (size_t c = 0; c < pieces.size(); ++c) {
      for (size_t r = 0; r < pieces[c].size(); ++r) {
        const Piece& piece = pieces[c][r];
        for (const auto& [place, orders] : known.outputs) {
          if (place.client != c || place.request != piece.request) continue;
          OutputPlace mine = place;
          mine.request = r;
          all.outputs.emplace(mine, orders);
        }
        if (piece.parts == 1) continue;
        hide_unknown(all, whole.outcome.outputs[c][piece.request], piece, c, r);
      }
    }
    return all;
  }
};

PartOrders::PartOrders(const ConcreteInput& input, const RulesInForce& rules, ServerFacts server,
                       int64_t shift_ns)
    : input_(input), rules_(rules), server_(std::move(server)), shift_ns_(shift_ns) {}

PartOrders::~PartOrders() = default;

PartOrders::Chosen PartOrders::chosen(const ExecutionRecord& record) const {
  Chosen chosen;
  const Forgiveness forgiveness(rules_, record.stamps);
  for (size_t c = 0; c < record.outcome.outputs.size(); ++c) {
    for (size_t r = 0; r < record.outcome.outputs[c].size(); ++r) {
      const Output& output = record.outcome.outputs[c][r];
      if (!output.answered) continue;
      const RulesInForce::Rules rules = forgiveness.splitting(c, r);
      if (rules.empty()) continue;
      const Request& request = input_.input.clients[c].requests[r];
      const std::vector<Piece> pieces =
          pieces_of(*input_.input.language, request, r, rules.front());
      // An error may be of any part, unless all the reply is one part's.
      if (output.error != 0 && !pieces.empty() && !pieces.front().step.subject.empty()) continue;
      if (pieces.size() > 1 && divides(output, pieces)) chosen[{c, r}] = rules.front();
    }
  }
  return chosen;
}

PartOrders::Variant& PartOrders::variant_of(const Chosen& chosen) {
  if (variants_.size() >= kMostVariants && !variants_.contains(chosen)) variants_.clear();
  std::unique_ptr<Variant>& variant = variants_[chosen];
  if (variant == nullptr) {
    variant = std::make_unique<Variant>(input_, chosen);
    variant->take_rules(rules_, server_);
    variant->make_graph(input_.input, shift_ns_);
  }
  return *variant;
}

PartOrders::Answer PartOrders::explain(const ExecutionRecord& record, const Masks& masks,
                                       uint64_t max_steps, const Execute& execute) {
  const Chosen requests = chosen(record);
  if (requests.empty()) return {{}, true};
  Variant& variant = variant_of(requests);
  variant.stepper->execute_with([&](const Order& order, int64_t shift_ns, bool) {
    return execute(variant.input, order, shift_ns);
  });
  const ExecutionRecord parts = variant.record_of(record);
  Masks all = variant.masks_for(record, masks);
  const Forgiveness forgiveness(variant.rules, parts.stamps);
  const Explanation found = esox::explain(*variant.graph, parts, all, max_steps, forgiveness);
  if (!found.order) return {{}, found.exhausted};
  std::vector<ForgivenPlace> forgiven;
  const std::string order = requests_named(*found.order, variant.pieces);
  for (const auto& [id, rule] : requests) {
    forgiven.push_back({rule->name, id, "", fmt::format("it counts as its parts, in {}", order)});
  }
  const std::optional<SerialRun> run = variant.graph->run_of(*found.order);
  if (!run) return {forgiven, false};
  for (ForgivenPlace& place :
       judge(parts, {&*run, 1}, all, Orders::kAsGiven, forgiveness).forgiven) {
    if (place.request) {
      place.request->request =
          variant.pieces[place.request->client][place.request->request].request;
    }
    forgiven.push_back(std::move(place));
  }
  return {forgiven, false};
}

}  // namespace esox
