// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/report/layout.h"
#include "analysis/rows.h"
#include "base/text/counted.h"

namespace esox {
namespace {

constexpr size_t kStatementBytes = 300;

struct Moment {
  uint64_t point = 0;
  bool answer = false;
  RequestId request;
  // At one point a client is answered before it asks again.
  auto key() const { return std::tuple(point, request, answer); }
};

class Drawing {
 public:
  Drawing(const Input& input, const ExecutionRecord& record, const Dependencies& dependencies)
      : input_(input), record_(record), all_(dependencies), names_(client_names(input)) {
    column_of_.assign(names_.size(), 0);
    std::set<size_t> concerned;
    for (size_t u = 0; u < all_.history.units.size(); ++u) {
      if (all_.is_concerned(u)) concerned.insert(all_.history.units[u].client);
    }
    for (const size_t client : concerned) {
      column_of_[client] = drawn_.clients.size();
      drawn_.clients.push_back(names_[client]);
    }
    add_moments(concerned);
  }

  Timeline run() {
    for (size_t i = 0; i < moments_.size(); ++i) {
      const Moment& one = moments_[i];
      const bool at_once = i + 1 < moments_.size() && moments_[i + 1].request == one.request;
      if (drawn_.steps.size() == kMostTimelineSteps) {
        ++drawn_.left_out;
        continue;
      }
      add_step(one, at_once || one.answer);
      if (at_once) ++i;
    }
    conclude();
    return std::move(drawn_);
  }

 private:
  void add_moments(const std::set<size_t>& clients) {
    for (const size_t c : clients) {
      for (size_t r = 0; r < record_.stamps[c].size(); ++r) {
        const Stamp& stamp = record_.stamps[c][r];
        moments_.push_back({stamp.invocation, false, {c, r}});
        if (stamp.response != kNever) moments_.push_back({stamp.response, true, {c, r}});
      }
    }
    std::ranges::sort(moments_, {}, &Moment::key);
  }

  std::string name(const RequestId& id) const {
    return request_name(id.client, id.request, names_);
  }

  size_t unit_of(const RequestId& id) const {
    const auto& units = all_.history.units;
    const auto found = std::ranges::find_if(units, [&](const ListUnit& one) {
      return one.client == id.client && one.unit.first <= id.request && id.request <= one.unit.last;
    });
    return static_cast<size_t>(found - units.begin());
  }

  void add_step(const Moment& moment, bool answered) {
    const RequestId& id = moment.request;
    const std::string text =
        printable_cut(input_.clients[id.client].requests[id.request].text, kStatementBytes);
    TimelineStep step;
    step.column = column_of_[id.client];
    step.point = moment.point;
    step.what = moment.answer ? name(id) + " is answered" : name(id) + " " + text;
    const size_t unit = unit_of(id);
    step.of_cycle = unit < all_.history.units.size() && all_.is_concerned(unit);
    if (answered) add_reply(id, unit, step);
    drawn_.steps.push_back(std::move(step));
  }

  void add_reply(const RequestId& id, size_t unit, TimelineStep& step) const {
    const Output& output = record_.outcome.outputs[id.client][id.request];
    if (output.error != 0) step.saw.push_back(fmt::format("error {}", output.error));
    if (unit == all_.history.units.size()) return;
    for (const ListRead& read : all_.history.units[unit].reads) {
      if (read.request.client != id.client || read.request.request != id.request) continue;
      step.saw.push_back(fmt::format("{}: {}", read.list, version_text(read)));
      add_notes(unit, read, step.notes);
    }
  }

  // Of a register, whose last write alone is in the reply.
  std::string version_text(const ListRead& read) const {
    const bool is_register = all_.history.registers.contains(read.list);
    if (read.elements.empty()) return is_register ? "as at first" : "nothing appended";
    if (is_register) return fmt::format("{}", read.elements.back());
    return fmt::format("{}", fmt::join(read.elements, ", "));
  }

  // Of what others in the cycle appended.
  void add_notes(size_t unit, const ListRead& read, std::vector<std::string>& notes) const {
    const auto last = all_.history.last.find(read.list);
    if (last == all_.history.last.end()) return;
    for (const ListElement element : last->second) {
      const auto writer = all_.history.writer.find(element);
      if (writer == all_.history.writer.end() || writer->second == unit) continue;
      const bool seen = std::ranges::find(read.elements, element) != read.elements.end();
      const bool told =
          seen ? has_edge(writer->second, unit, "wr") : has_edge(unit, writer->second, "rw");
      if (!told) continue;
      notes.push_back(fmt::format("{} {} of {}: from {} that", seen ? "has" : "lacks", element,
                                  commit_of(element, writer->second), seen ? "after" : "before"));
    }
  }

  bool has_edge(size_t from, size_t to, const char* kind) const {
    return std::ranges::any_of(all_.edges, [&](const Dependency& edge) {
      return edge.of_cycle && edge.from == from && edge.to == to && edge.kind == kind;
    });
  }

  // "B1, committed by B2".
  std::string commit_of(ListElement element, size_t writer) const {
    const ListUnit& unit = all_.history.units[writer];
    for (const ListAppend& append : unit.appends) {
      if (append.element != element) continue;
      if (append.request.request == unit.unit.last) return name(append.request);
      const char* end = unit.fate == UnitFate::kCommitted ? "committed" : "ended";
      return fmt::format("{}, {} by {}", name(append.request), end,
                         name({unit.client, unit.unit.last}));
    }
    return fmt::format("client {}", names_[unit.client]);
  }

  void conclude() {
    std::vector<std::string> around;
    for (const Dependency& edge : all_.edges) {
      if (!edge.of_cycle) continue;
      around.push_back(fmt::format("{} before {}", whole(edge.from), whole(edge.to)));
    }
    std::ranges::sort(around);
    around.erase(std::unique(around.begin(), around.end()), around.end());
    if (around.empty()) return;
    drawn_.conclusion = fmt::format("These cannot all hold: {}.", fmt::join(around, ", and "));
  }

  std::string whole(size_t unit) const {
    const ListUnit& one = all_.history.units[unit];
    std::string first = name({one.client, one.unit.first});
    if (one.unit.first == one.unit.last) return first;
    return first + " to " + name({one.client, one.unit.last});
  }

  const Input& input_;
  const ExecutionRecord& record_;
  const Dependencies& all_;
  std::vector<std::string> names_;
  std::vector<size_t> column_of_;  // by client
  std::vector<Moment> moments_;
  Timeline drawn_;
};

std::vector<std::string> cell_lines(const TimelineStep& step, size_t width) {
  std::string text = wrapped(step.what, width);
  for (const std::string& one : step.saw) text += wrapped("= " + one, width, 2);
  for (const std::string& one : step.notes) text += wrapped("! " + one, width, 2);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(keep_start(line, width));
  return lines;
}

}  // namespace

Timeline timeline(const Input& input, const ExecutionRecord& record,
                  const Dependencies& dependencies) {
  return Drawing(input, record, dependencies).run();
}

std::string timeline_text(const Timeline& timeline, size_t width) {
  constexpr size_t kPoint = 7;
  constexpr size_t kGap = 2;
  if (timeline.clients.empty()) return "";
  const size_t columns = timeline.clients.size();
  const size_t column = std::max<size_t>(16, (width - kPoint) / columns - kGap);
  std::string text = padded("  point", kPoint + kGap);
  for (const std::string& client : timeline.clients) text += padded(client, column + kGap);
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (const TimelineStep& step : timeline.steps) {
    std::string head = fmt::format("{:>{}}", step.point, kPoint);
    for (const std::string& line : cell_lines(step, column)) {
      text += padded(head, kPoint + kGap) + std::string(step.column * (column + kGap), ' ') + line +
              "\n";
      head.clear();
    }
  }
  if (timeline.left_out > 0) {
    text += fmt::format("... and {}\n", counted(timeline.left_out, "more step"));
  }
  if (!timeline.conclusion.empty()) text += "\n" + wrapped(timeline.conclusion, width);
  return text;
}

}  // namespace esox
