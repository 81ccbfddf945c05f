// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/binary_log.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/text/number.h"
#include "summaries/render.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

constexpr std::string_view kAboutTheLogItself[] = {
    "Format_desc",      "Gtid_list", "Binlog_checkpoint", "Rotate",         "Stop",
    "Start_encryption", "Heartbeat", "Ignorable",         "Previous_gtids",
};

constexpr std::string_view kNextGtid = "SET @@SESSION.GTID_NEXT= ";

constexpr uint32_t kParseError = 1064;
constexpr uint32_t kNoSuchPlace = 1220;  // ER_ERROR_WHEN_EXECUTING_COMMAND: "Wrong offset"

bool is_number_char(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
}

// "GTID 0-1-5" -> "GTID #", "xid=12" -> "xid=#": the number after the first `before`.
std::string without_number_after(std::string text, std::string_view before) {
  const size_t found = text.find(before);
  if (found == std::string::npos) return text;
  const size_t first = found + before.size();
  size_t last = first;
  while (last < text.size() && is_number_char(text[last])) ++last;
  if (last == first) return text;
  return text.replace(first, last - first, "#");
}

// "DROP TABLE t1 /* xid=14 */": only at the very end, where the server puts it.
std::string without_added_number(const std::string& statement) {
  static constexpr std::string_view kAdded = " /* xid=";
  const size_t at = statement.rfind(kAdded);
  if (at == std::string::npos || !statement.ends_with(" */")) return statement;
  const std::string_view number = std::string_view(statement).substr(
      at + kAdded.size(), statement.size() - at - kAdded.size() - 3);
  return std::ranges::all_of(number, is_number_char) ? statement.substr(0, at) : statement;
}

}  // namespace

std::optional<std::string> normalised_event(const std::string& type, const std::string& info) {
  const auto* const end = std::end(kAboutTheLogItself);
  if (std::find(std::begin(kAboutTheLogItself), end, type) != end) return std::nullopt;
  // The user's own text, but for what MySQL 8 and later add to a statement that commits by itself.
  if (type == "Query") return type + ": " + without_added_number(info);
  if (type == "Annotate_rows") return type + ": " + info;
  std::string text = info;
  if (type == "Gtid" && text.starts_with(kNextGtid)) {
    text = std::string(kNextGtid) + "#";  // MySQL's
  } else if (type == "Gtid") {
    // That transactions were committed as a group tells when they met, not what they did.
    text = without_number_after(text.substr(0, text.find(" cid=")), "GTID ");
  }
  if (type == "Xid") text = without_number_after(text, "xid=");
  if (text.starts_with("table_id: ")) text = without_number_after(text, "table_id: ");
  return type + ": " + text;
}

void BinaryLog::begin(const Ask& own) {
  Output status = own("SHOW MASTER STATUS");
  // Its name from MySQL 8.2 on; others do not parse it.
  if (status.error == kParseError) status = own("SHOW BINARY LOG STATUS");
  unknown_ = status.error != 0 ? render_error(status) : unavailability(status);
  on_ = !status.results.empty() && !status.results[0].rows.empty();
  if (!on_) return;
  file_ = cell(status.results[0].rows[0], 0);
  position_ = cell(status.results[0].rows[0], 1);
}

void BinaryLog::ask(QuestionBatch& batch) {
  if (!on_) return;
  batch.add("SHOW BINARY LOGS", [this](Output output) { files_ = std::move(output); });
  batch.add("SHOW BINLOG EVENTS IN " + quoted_text(file_) + " FROM " + position_,
            [this](Output output) { events_ = std::move(output); });
}

// The logs from the one written to at begin() on. If that one is gone, is now shorter, or has no
// event that begins where it stood then (RESET MASTER starts again at number one), everything that
// is there counts.
void BinaryLog::read_span(const std::vector<Row>& files) {
  const auto bytes_of = [](const Row& row) {
    return number_of<uint64_t>(cell(row, 1)).value_or(0);
  };
  span_->position = number_of<uint64_t>(position_).value_or(0);
  const auto first = std::ranges::find_if(files, [&](const Row& row) {
    return cell(row, 0) == file_ && bytes_of(row) >= span_->position;
  });
  span_->gone = first == files.end() || events_.error == kNoSuchPlace;
  for (auto file = span_->gone ? files.begin() : first; file != files.end(); ++file) {
    span_->files.push_back({cell(*file, 0), bytes_of(*file)});
  }
}

std::vector<Output> BinaryLog::read_events(const Ask& own) {
  std::vector<Output> parts;
  if (!span_->gone) parts.push_back(std::move(events_));
  QuestionBatch rest;
  for (size_t i = parts.size(); i < span_->files.size(); ++i) {
    rest.add("SHOW BINLOG EVENTS IN " + quoted_text(span_->files[i].name),
             [&parts](Output output) { parts.push_back(std::move(output)); });
  }
  rest.run(own);
  return parts;
}

void BinaryLog::read(const Ask& own, std::vector<Component>& components) {
  span_.reset();
  if (!on_ && unknown_.empty()) return;
  ComponentBuilder builder("binlog", ComponentKind::kSequence);
  span_.emplace();
  if (!unknown_.empty()) builder.fail(unknown_);
  if (on_ && has_rows(files_, builder)) {
    read_span(files_.results[0].rows);
    for (const Output& part : read_events(own)) {
      if (!has_rows(part, builder)) continue;
      for (const Row& row : part.results[0].rows) {
        if (auto event = normalised_event(cell(row, 2), cell(row, 5))) builder.add(*event);
      }
    }
  }
  if (span_->files.empty()) span_->unavailable = "the binary log's files are not known";
  components.push_back(std::move(builder).build());
}

}  // namespace esox
