// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/found.h"

#include "analysis/report/taken_choices.h"
#include "harness/engine/debug_symbols.h"
#include "harness/records/control_record.h"
#include "harness/records/lines.h"
#include "harness/records/rate_text.h"
#include "harness/records/synopsis.h"

namespace esox {

bool is_drawn(const Judged& judged) {
  return judged.verdict.verdict != VerdictClass::kDegraded &&
         is_fresh_draw(judged.report.record.strategy);
}

Finding finding_of(const Exploration& exploration, const Judged& judged, const FoundBy& by) {
  const ExecutionRecord& record = judged.report.record;
  Finding finding = exploration.finding_in(judged);
  finding.drawn_hits = is_drawn(judged) ? 1 : 0;
  finding.server = by.server;
  finding.esox_version = by.esox_version;
  finding.clock_base_ns = by.clock_base_ns;
  finding.control = by.control;
  note_contexts(finding.control, exploration.has_contexts());
  Symbols symbols = debug_symbols(record.modules);
  finding.operations = operations_of(record, symbols);
  return finding;
}

HuntFinding report_line(const ConcreteInput& input, const std::string& id,
                        const std::string& cause) {
  HuntFinding line;
  static_cast<InputKey&>(line) = key_of(input);
  line.id = id;
  line.title = input.input.title;
  line.cause = lines_of(cause);
  line.synopsis = statement_lines(input.input);
  return line;
}

HuntFinding report_line(const ConcreteInput& input, const Judged& judged, const std::string& id) {
  const ExecutionRecord& record = judged.report.record;
  HuntFinding line = report_line(input, id, judged.cause->text);
  line.verdict = judged.verdict.verdict;
  line.latent = judged.verdict.latent;
  line.hits = 1;
  line.drawn_hits = is_drawn(judged) ? 1 : 0;
  line.first_execution = record.number;
  line.seed = record.seed;
  line.choices = taken_choices(record.values);
  line.headline = headline(input.input, record, judged.verdict);
  for (std::string& text : explanation_lines(input.input, record, judged.verdict)) {
    line.synopsis.push_back(std::move(text));
  }
  return line;
}

}  // namespace esox
