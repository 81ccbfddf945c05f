// SPDX-License-Identifier: Apache-2.0
// Replies. See rewrite.h.
#include <algorithm>

#include "base/mapped.h"
#include "base/text/letters.h"
#include "filters/contained.h"
#include "filters/rewrite.h"
#include "summaries/render.h"

namespace esox {
namespace {

const std::string kIgnored = "(ignored)";

// Gives each cell of the rule's column, or of all, to `visit`.
template <class Reply, class Visit>
void for_each_cell(const Rule& rule, Reply& output, const Visit& visit) {
  for (auto& result : output.results) {
    for (auto& row : result.rows) {
      for (size_t i = 0; i < row.size() && i < result.columns.size(); ++i) {
        if (rule.column.empty() || equal_but_for_case(rule.column, result.columns[i].name)) {
          visit(row[i]);
        }
      }
    }
  }
}

Rewriting normalise(const Rule& rule, std::string& text) {
  const auto changed = rule.pattern->replaced(text, rule.placeholder);
  if (!changed) return Rewriting::kUndecided;
  if (*changed == text) return Rewriting::kNone;
  text = *changed;
  return Rewriting::kDone;
}

Rewriting normalise(const Rule& rule, Output& output) {
  Rewriting did = Rewriting::kNone;
  const auto change = [&](std::string& text) { did = std::max(did, normalise(rule, text)); };
  if (rule.reply == ReplyPart::kRows) {
    for_each_cell(rule, output, [&](Cell& cell) {
      if (cell) change(*cell);
    });
  }
  if (rule.reply == ReplyPart::kInfo) change(output.info);
  if (rule.reply == ReplyPart::kMessage) change(output.message);
  if (rule.reply == ReplyPart::kWarnings) {
    for (Warning& warning : output.warnings) change(warning.message);
  }
  return did;
}

// NULL is a value like another: the column is not looked at, whatever is in it.
Rewriting ignore_column(const Rule& rule, Output& output) {
  Rewriting did = Rewriting::kNone;
  for_each_cell(rule, output, [&](Cell& cell) {
    cell = kIgnored;
    did = Rewriting::kDone;
  });
  return did;
}

// The client library counts a result's rows as affected rows: they go with the rows.
void be_same_rows(Output& concurrent, const Output& serial) {
  concurrent.affected_rows = serial.affected_rows;
}

Rewriting ignore_rows(Output& concurrent, const Output& serial) {
  if (concurrent.results.size() != serial.results.size() || serial.results.empty()) {
    return Rewriting::kNone;
  }
  for (size_t i = 0; i < serial.results.size(); ++i) {
    concurrent.results[i].rows = serial.results[i].rows;
  }
  be_same_rows(concurrent, serial);
  return Rewriting::kDone;
}

Rewriting ignore(const Rule& rule, Output& concurrent, Output& serial) {
  switch (*rule.reply) {
    case ReplyPart::kRows:
      if (rule.column.empty()) return ignore_rows(concurrent, serial);
      return std::max(ignore_column(rule, concurrent), ignore_column(rule, serial));
    case ReplyPart::kInfo:
      concurrent.info = serial.info;
      break;
    case ReplyPart::kMessage:
      concurrent.message = serial.message;
      break;
    case ReplyPart::kWarnings:
      concurrent.warnings = serial.warnings;
      break;
    case ReplyPart::kWarningCount:
      concurrent.warning_count = serial.warning_count;
      break;
    case ReplyPart::kAffectedRows:
      concurrent.affected_rows = serial.affected_rows;
      break;
    case ReplyPart::kInsertId:
      concurrent.insert_id = serial.insert_id;
      break;
  }
  return Rewriting::kDone;
}

Rewriting include_rows(const Rule& rule, Output& concurrent, const Output& serial) {
  if (concurrent.results.size() != serial.results.size()) return Rewriting::kNone;
  const bool ordered = concurrent.ordered && serial.ordered;
  Rewriting did = Rewriting::kNone;
  for (size_t i = 0; i < serial.results.size(); ++i) {
    std::vector<Row>& rows = concurrent.results[i].rows;
    const std::vector<Row>& other = serial.results[i].rows;
    if (rows == other || !is_included(rule, rows, other, ordered, render_row)) continue;
    rows = other;
    did = Rewriting::kDone;
  }
  if (did == Rewriting::kDone) be_same_rows(concurrent, serial);
  return did;
}

Rewriting include_warnings(const Rule& rule, Output& concurrent, const Output& serial) {
  const auto texts = [](const Output& output) {
    return mapped<Row>(output.warnings, [&](const Warning& w) -> Row {
      return {w.level, std::to_string(w.code), w.message};
    });
  };
  if (!is_included(rule, texts(concurrent), texts(serial), false, render_row)) {
    return Rewriting::kNone;
  }
  concurrent.warnings = serial.warnings;
  return Rewriting::kDone;
}

Rewriting include(const Rule& rule, Output& concurrent, const Output& serial) {
  if (*rule.reply == ReplyPart::kRows) return include_rows(rule, concurrent, serial);
  return include_warnings(rule, concurrent, serial);
}

Rewriting unordered(Output& concurrent, Output& serial) {
  if (!concurrent.ordered && !serial.ordered) return Rewriting::kNone;
  concurrent.ordered = serial.ordered = false;
  return Rewriting::kDone;
}

}  // namespace

bool tells_of_failure(const Rule& rule, const Output& output) {
  if (output.error != 0) return std::ranges::find(rule.errors, output.error) != rule.errors.end();
  bool tells = false;
  for_each_cell(rule, output, [&](const Cell& cell) {
    tells = tells || (cell && rule.pattern && rule.pattern->found_in(*cell).value_or(false));
  });
  return tells;
}

Rewriting rewrite_reply(const Rule& rule, Output& concurrent, Output& serial) {
  switch (rule.kind) {
    case RuleKind::kIncluded:
      return include(rule, concurrent, serial);
    case RuleKind::kIgnore:
      return ignore(rule, concurrent, serial);
    case RuleKind::kNormalise:
      return std::max(normalise(rule, concurrent), normalise(rule, serial));
    case RuleKind::kUnordered:
      return unordered(concurrent, serial);
    case RuleKind::kTolerate:
    case RuleKind::kSplit:
      break;  // has no place in a reply that is there
  }
  return Rewriting::kNone;
}

}  // namespace esox
