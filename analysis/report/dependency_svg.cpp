// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/dependency_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <sstream>
#include <vector>

#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/report/layout.h"
#include "analysis/rows.h"

namespace esox {
namespace {

// All in the picture's own units, which are pixels where it is shown in full size.
constexpr double kCharWidth = 6.7;  // of the 11 px monospace face
constexpr double kLineHeight = 15;
constexpr double kPadding = 9;
constexpr size_t kBoxCharacters = 40;
constexpr double kBoxWidth = kBoxCharacters * kCharWidth + 2 * kPadding;
constexpr size_t kMostLines = 10;  // of a box
constexpr size_t kStatementLines = 2;
constexpr size_t kLabelCharacters = 30;
constexpr double kMargin = 16;
constexpr int kMostLinesAside = 27;  // of a label, from its arrow
constexpr double kTwoApart = 650;    // middles of the boxes where there are two
constexpr double kBow = 46;          // how far an arrow's middle is off the straight line

struct Point {
  double x = 0;
  double y = 0;
};

Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}
Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}
Point operator*(Point a, double factor) {
  return {a.x * factor, a.y * factor};
}
double length(Point a) {
  return std::hypot(a.x, a.y);
}

struct Area {
  Point middle;
  double width = 0;
  double height = 0;

  bool overlaps(const Area& other) const {
    return std::abs(middle.x - other.middle.x) * 2 < width + other.width &&
           std::abs(middle.y - other.middle.y) * 2 < height + other.height;
  }
  // Where the line from the middle to `outside` leaves it.
  Point border_towards(Point outside) const {
    const Point way = outside - middle;
    const double x = way.x == 0 ? 1e9 : width / 2 / std::abs(way.x);
    const double y = way.y == 0 ? 1e9 : height / 2 / std::abs(way.y);
    return middle + way * std::min({x, y, 1.0});
  }
};

struct Box {
  size_t unit = 0;
  bool of_cycle = false;
  std::string title;
  std::vector<std::string> lines;
  Area area;
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '"') {
      safe += "&quot;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Picture {
 public:
  Picture(const Input& input, const Dependencies& dependencies)
      : input_(input), all_(dependencies), names_(client_names(input)) {}

  DependencyPicture run() {
    const std::vector<size_t> around = cycle();
    if (around.empty()) return {};
    for (const size_t unit : around) add_box(unit, true);
    add_others();
    place();
    for (size_t i = 0; i < all_.edges.size(); ++i) draw(all_.edges[i]);
    return {whole(), left_out_};
  }

 private:
  // Its transactions in its order; parts of one are one.
  std::vector<size_t> cycle() const {
    std::vector<size_t> around;
    const auto next = [&](size_t from) -> std::optional<size_t> {
      for (const Dependency& edge : all_.edges) {
        const bool is_new = std::ranges::find(around, edge.to) == around.end();
        if (edge.of_cycle && edge.from == from && is_new) return edge.to;
      }
      return std::nullopt;
    };
    for (const Dependency& edge : all_.edges) {
      if (!edge.of_cycle) continue;
      for (std::optional<size_t> at = edge.from; at && around.size() < kMostDrawnTransactions;
           at = next(*at)) {
        if (std::ranges::find(around, *at) == around.end()) around.push_back(*at);
      }
      break;
    }
    return around;
  }

  void add_others() {
    for (const Dependency& edge : all_.edges) {
      for (const size_t unit : {edge.from, edge.to}) {
        const bool known = boxes_.contains(unit);
        if (!known && boxes_.size() < kMostDrawnTransactions) add_box(unit, false);
      }
    }
    for (size_t u = 0; u < all_.history.units.size(); ++u) {
      if (boxes_.contains(u)) continue;
      if (boxes_.size() < kMostDrawnTransactions) {
        add_box(u, false);
      } else {
        ++left_out_;
      }
    }
  }

  std::string name(size_t client, size_t request) const {
    return request_name(client, request, names_);
  }

  static void add_statement(std::vector<std::string>& lines, const std::string& text) {
    const std::vector<std::string> all = lines_of_text(wrapped(text, kBoxCharacters - 3));
    for (size_t i = 0; i < all.size() && i < kStatementLines; ++i) {
      const bool cut = i + 1 == kStatementLines && i + 1 < all.size();
      lines.push_back(
          keep_start((i == 0 ? "" : "   ") + all[i] + (cut ? " ..." : ""), kBoxCharacters));
    }
  }

  void add_box(size_t u, bool of_cycle) {
    const ListUnit& unit = all_.history.units[u];
    Box box;
    box.unit = u;
    box.of_cycle = of_cycle;
    const char* fate = unit.fate == UnitFate::kCommitted ? ""
                       : unit.fate == UnitFate::kUndone  ? ", undone"
                                                         : ", end not known";
    box.title = fmt::format("Client {}{}", names_[unit.client], fate);
    for (size_t r = unit.unit.first; r <= unit.unit.last; ++r) {
      const std::string& text = input_.clients[unit.client].requests[r].text;
      add_statement(box.lines, name(unit.client, r) + " " + printable_cut(text, 400));
    }
    if (box.lines.size() > kMostLines) {
      const size_t more = box.lines.size() - kMostLines + 1;
      box.lines.resize(kMostLines - 1);
      box.lines.push_back(fmt::format("... and {} more", more));
    }
    box.area.width = kBoxWidth;
    box.area.height = (static_cast<double>(box.lines.size()) + 1) * kLineHeight + 2 * kPadding;
    order_.push_back(u);
    boxes_[u] = std::move(box);
  }

  // Around an ellipse, the first one at the left.
  void place() {
    const size_t count = order_.size();
    double tallest = 0;
    for (const auto& [unit, box] : boxes_) tallest = std::max(tallest, box.area.height);
    const double across = count < 3 ? kTwoApart / 2 : 250 + 45 * static_cast<double>(count);
    const double down = count < 3 ? 0 : tallest * 0.55 + 50 + 38 * static_cast<double>(count);
    for (size_t i = 0; i < count; ++i) {
      const double angle = std::numbers::pi + 2 * std::numbers::pi * static_cast<double>(i) /
                                                  static_cast<double>(count);
      boxes_[order_[i]].area.middle = {across * std::cos(angle), down * std::sin(angle)};
      taken_.push_back(boxes_[order_[i]].area);
    }
  }

  static std::string class_of(const std::string& kind) { return kind == "real time" ? "rt" : kind; }

  void draw(const Dependency& edge) {
    const auto from = boxes_.find(edge.from);
    const auto to = boxes_.find(edge.to);
    if (from == boxes_.end() || to == boxes_.end()) return;
    const Area& a = from->second.area;
    const Area& b = to->second.area;
    // Each further arrow between two is bowed more; those back are bowed the other way.
    const double turn = kBow * (1 + 1.6 * static_cast<double>(between_[{edge.from, edge.to}]++));
    const Point way = b.middle - a.middle;
    const Point aside = Point{way.y, -way.x} * (turn / std::max(length(way), 1.0));
    const Point bend = (a.middle + b.middle) * 0.5 + aside * 2;
    const Point begin = a.border_towards(bend);
    const Point end = b.border_towards(bend);
    const std::string kind = class_of(edge.kind);
    const char* cycle = edge.of_cycle ? " dep-cycle" : "";
    arrows_ += fmt::format(
        "<path class=\"dep-edge dep-{}{}\" d=\"M{:.1f},{:.1f} Q{:.1f},{:.1f} {:.1f},{:.1f}\"/>",
        kind, cycle, begin.x, begin.y, bend.x, bend.y, end.x, end.y);
    arrows_ += head(bend, end, cycle);
    note({begin, end, on_curve(begin, bend, end, 0.5)});
    add_label(edge, begin, bend, end);
  }

  // On its arrow where there is room, else beside it.
  void add_label(const Dependency& edge, Point begin, Point bend, Point end) {
    std::vector<std::string> lines = {edge.kind};
    for (std::string& one : lines_of_text(wrapped(edge.shown_by, kLabelCharacters))) {
      lines.push_back(keep_start(one, kLabelCharacters + 8));
    }
    size_t widest = 0;
    for (const std::string& one : lines) widest = std::max(widest, text_width(one));
    Area area;
    area.width = static_cast<double>(widest) * kCharWidth + 10;
    area.height = static_cast<double>(lines.size()) * kLineHeight + 6;
    area.middle = place_for(area, begin, bend, end);
    taken_.push_back(area);
    note({{area.middle.x - area.width / 2, area.middle.y - area.height / 2},
          {area.middle.x + area.width / 2, area.middle.y + area.height / 2}});
    labels_ += fmt::format("<g class=\"dep-label{}\">", edge.of_cycle ? " dep-cycle" : "");
    labels_ += rectangle(area, 4);
    for (size_t i = 0; i < lines.size(); ++i) {
      labels_ += text_at({area.middle.x, area.middle.y - area.height / 2 + 3 +
                                             kLineHeight * (static_cast<double>(i) + 0.75)},
                         lines[i], i == 0 ? "dep-kind" : "", true);
    }
    labels_ += "</g>\n";
  }

  Point place_for(const Area& area, Point begin, Point bend, Point end) const {
    constexpr double kPlaces[] = {0.5, 0.4, 0.6, 0.3, 0.7};
    const auto at = [&](double t) { return on_curve(begin, bend, end, t); };
    for (int lines = 0; lines < kMostLinesAside; ++lines) {
      for (const double t : kPlaces) {
        for (const double side : {-1.0, 1.0}) {
          const Area tried{at(t) + Point{0, side * lines * kLineHeight}, area.width + 4,
                           area.height + 4};
          const bool free =
              std::ranges::none_of(taken_, [&](const Area& one) { return one.overlaps(tried); });
          if (free) return tried.middle;
        }
      }
    }
    return at(0.5);
  }

  static std::string rectangle(const Area& area, double round) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\"/>",
        area.middle.x - area.width / 2, area.middle.y - area.height / 2, area.width, area.height,
        round);
  }

  static std::string text_at(Point at, const std::string& text, const char* style, bool middle) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>", at.x, at.y,
                       middle ? " text-anchor=\"middle\"" : "",
                       *style == '\0' ? "" : fmt::format(" class=\"{}\"", style), escaped(text));
  }

  std::string box_svg(const Box& box) {
    const Area& area = box.area;
    note({{area.middle.x - area.width / 2, area.middle.y - area.height / 2},
          {area.middle.x + area.width / 2, area.middle.y + area.height / 2}});
    std::string svg = fmt::format("<g class=\"dep-box{}\">", box.of_cycle ? " dep-in" : "");
    svg += rectangle(area, 8);
    Point at{area.middle.x - area.width / 2 + kPadding,
             area.middle.y - area.height / 2 + kPadding + kLineHeight * 0.75};
    svg += text_at(at, box.title, "dep-title", false);
    for (const std::string& line : box.lines) {
      at.y += kLineHeight;
      svg += text_at(at, line, "", false);
    }
    return svg + "</g>\n";
  }

  void note(const std::vector<Point>& points) {
    for (const Point& one : points) {
      least_ = {std::min(least_.x, one.x), std::min(least_.y, one.y)};
      most_ = {std::max(most_.x, one.x), std::max(most_.y, one.y)};
    }
  }

  std::string whole() {
    std::string boxes;
    for (const size_t unit : order_) boxes += box_svg(boxes_[unit]);
    std::string said;
    for (const std::string& line : all_.anomaly.lines) said += line + ". ";
    const Point from = least_ - Point{kMargin, kMargin};
    const Point size = most_ - least_ + Point{2 * kMargin, 2 * kMargin};
    return fmt::format(
               "<svg class=\"dep\" role=\"img\" viewBox=\"{:.0f} {:.0f} {:.0f} {:.0f}\" "
               "width=\"{:.0f}\" xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n<desc>{}"
               "</desc>\n",
               from.x, from.y, size.x, size.y, size.x,
               escaped(all_.anomaly.name + ": which transaction takes effect before which"),
               escaped(said)) +
           arrows_ + boxes + labels_ + "</svg>\n";
  }

  static Point on_curve(Point begin, Point bend, Point end, double t) {
    return begin * ((1 - t) * (1 - t)) + bend * (2 * t * (1 - t)) + end * (t * t);
  }

  // Of an arrow that comes from `bend`.
  static std::string head(Point bend, Point end, const char* cycle) {
    const Point way = end - bend;
    const Point along = way * (12 / std::max(length(way), 1.0));
    const Point across = {-along.y * 0.45, along.x * 0.45};
    const Point left = end - along + across;
    const Point right = end - along - across;
    return fmt::format(
        "<path class=\"dep-head{}\" d=\"M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f} z\"/>\n",
        cycle, end.x, end.y, left.x, left.y, right.x, right.y);
  }

  const Input& input_;
  const Dependencies& all_;
  std::vector<std::string> names_;
  std::map<size_t, Box> boxes_;                          // by unit
  std::vector<size_t> order_;                            // units, around
  std::map<std::pair<size_t, size_t>, size_t> between_;  // arrows drawn, by both ends
  std::vector<Area> taken_;
  std::string arrows_;
  std::string labels_;
  Point least_;
  Point most_;
  size_t left_out_ = 0;
};

}  // namespace

DependencyPicture dependency_svg(const Input& input, const Dependencies& dependencies) {
  return Picture(input, dependencies).run();
}

}  // namespace esox
