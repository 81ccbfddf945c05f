// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/interleaving.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/records/lines.h"

namespace esox {
namespace {

constexpr size_t kPointWidth = 8;
constexpr const char* kSiteTitle = "called by";
constexpr const char* kSwitch = "---- switch ";

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Where the `count`-th character of a text begins, in bytes: columns are as wide as characters.
size_t byte_at(const std::string& text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
    --count;
  }
  return at;
}

std::string columns(const std::string& line, size_t from, size_t to) {
  const size_t begin = byte_at(line, from);
  const size_t end = byte_at(line, to);
  return trimmed(line.substr(begin, end - begin));
}

// Where the columns stand.
struct Layout {
  std::vector<size_t> begins;  // of each client's column
  size_t site = 0;
  std::vector<std::string> names;

  size_t end(size_t client) const { return client + 1 < begins.size() ? begins[client + 1] : site; }
};

std::optional<Layout> layout_of(const std::string& titles) {
  Layout layout;
  const size_t site = titles.rfind(kSiteTitle);
  if (!titles.starts_with(" point") || site == std::string::npos) return std::nullopt;
  for (size_t at = kPointWidth; at < site;) {
    const size_t end = std::min(titles.find(' ', at), site);
    if (end == at) return std::nullopt;
    layout.begins.push_back(at);
    layout.names.push_back(titles.substr(at, end - at));
    at = titles.find_first_not_of(' ', end);
  }
  layout.site = site;
  if (layout.begins.empty()) return std::nullopt;
  return layout;
}

InterleavingRow switch_row(const std::string& line) {
  InterleavingRow row;
  row.kind = InterleavingRow::Kind::kSwitch;
  row.text = line.substr(std::string(kSwitch).size());
  row.text.erase(row.text.find_last_not_of("- ") + 1);
  const size_t arrow = row.text.find(" -> ");
  const size_t at = row.text.find(" at point ");
  if (arrow != std::string::npos && at != std::string::npos && arrow < at) {
    row.from = row.text.substr(0, arrow);
    row.to = row.text.substr(arrow + 4, at - arrow - 4);
  }
  row.could_go_on = row.text.find(" could have gone on") != std::string::npos;
  return row;
}

InterleavingRow line_row(const std::string& line, const Layout& layout) {
  InterleavingRow row;
  row.point = columns(line, 0, kPointWidth);
  for (size_t client = 0; client < layout.begins.size(); ++client) {
    std::string text = columns(line, layout.begins[client], layout.end(client));
    if (text.empty()) continue;
    row.client = client;
    row.text = std::move(text);
    break;
  }
  if (row.point.empty()) {
    row.kind = InterleavingRow::Kind::kGap;
    // A gap's text is not cut at its column.
    row.text = trimmed(line);
    if (row.text.starts_with("... ")) row.text.erase(0, 4);
  } else {
    row.site = columns(line, layout.site, line.size());
  }
  return row;
}

// The operation that a switch came before: that of the last line above it, without its marks.
std::string operation_before(const std::vector<InterleavingRow>& rows, size_t at) {
  const std::string& text = rows[at - 1].text;
  return text.substr(0, text.find(" ["));
}

bool is_at(const std::vector<InterleavingRow>& rows, size_t at, const ToldSwitch& place) {
  const InterleavingRow& row = rows[at];
  if (row.kind != InterleavingRow::Kind::kSwitch || at == 0) return false;
  if (row.from != place.from || row.to != place.to || rows[at - 1].site != place.site) return false;
  // Objects are numbered anew in each trace: only what is done to them can be compared.
  const std::string here = operation_before(rows, at);
  return here.substr(0, here.find('#')) == place.operation.substr(0, place.operation.find('#'));
}

// Which rows stay: those around the critical switch, then around the others as long as `most`
// lasts.
std::vector<bool> kept_rows(const std::vector<InterleavingRow>& rows, size_t most) {
  const auto is_switch = [](const InterleavingRow& row) {
    return row.kind == InterleavingRow::Kind::kSwitch;
  };
  const auto switches = static_cast<size_t>(std::ranges::count_if(rows, is_switch));
  // As many operations on either side of each switch as there is room for.
  const size_t around = std::max<size_t>(most / (2 * (switches + 1)), 2) - 1;
  std::vector<bool> keep(rows.size(), false);
  size_t kept = 0;
  const auto keep_around = [&](size_t at) {
    const size_t end = std::min(rows.size(), at + around + 1);
    for (size_t i = at > around ? at - around : 0; i < end; ++i) {
      kept += keep[i] ? 0 : 1;
      keep[i] = true;
    }
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].critical) keep_around(i);
  }
  for (size_t i = 0; i < rows.size() && kept < most; ++i) {
    if (is_switch(rows[i])) keep_around(i);
  }
  return keep;
}

}  // namespace

Interleaving interleaving_from_text(const std::string& trace) {
  Interleaving result;
  const std::vector<std::string> lines = lines_of(trace);
  std::optional<Layout> layout;
  size_t i = 0;
  while (i < lines.size() && !layout) layout = layout_of(lines[i++]);
  if (!layout) {
    result.text = trace;
    return result;
  }
  result.clients = layout->names;
  for (++i; i < lines.size() && !lines[i].empty(); ++i) {
    result.rows.push_back(lines[i].starts_with(kSwitch) ? switch_row(lines[i])
                                                        : line_row(lines[i], *layout));
  }
  for (; i < lines.size(); ++i) {
    if (lines[i].starts_with("  ")) result.objects.push_back(trimmed(lines[i]));
  }
  return result;
}

bool mark_critical(Interleaving& interleaving, const ToldSwitch& place) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < interleaving.rows.size(); ++i) {
    if (is_at(interleaving.rows, i, place)) fitting.push_back(i);
  }
  if (fitting.size() != 1) return false;
  interleaving.rows[fitting.front()].critical = true;
  return true;
}

void shorten(Interleaving& interleaving, size_t most) {
  std::vector<InterleavingRow>& rows = interleaving.rows;
  if (rows.size() <= most) return;
  const std::vector<bool> keep = kept_rows(rows, most);
  std::vector<InterleavingRow> shorter;
  size_t left_out = 0;
  const auto tell_gap = [&](size_t client) {
    if (left_out == 0) return;
    InterleavingRow& gap = shorter.emplace_back();
    gap.kind = InterleavingRow::Kind::kGap;
    gap.client = client;
    gap.text = fmt::format("{} lines of trace.txt", left_out);
    left_out = 0;
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!keep[i]) {
      ++left_out;
      continue;
    }
    tell_gap(rows[i].client);
    shorter.push_back(std::move(rows[i]));
  }
  tell_gap(shorter.empty() ? 0 : shorter.back().client);
  rows = std::move(shorter);
}

}  // namespace esox
