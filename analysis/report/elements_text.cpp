// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/elements_text.h"

#include <fmt/format.h>

#include "analysis/linearization.h"
#include "analysis/rows.h"

namespace esox {
namespace {

class ElementsWriter {
 public:
  explicit ElementsWriter(size_t limit) : limit_(limit) {}

  void order(const OrderMatch& match, const std::vector<std::string>& client_names) {
    if (!match.infeasible.empty() || match.comparison.state_match()) return;
    line(fmt::format(
        "\nCompared with the order {}{}:", order_name(match.order, match.without, client_names),
        match.allowed ? "" : " (which real time does not allow)"));
    for (const ComponentComparison& one : match.comparison.components) component(one);
  }

  std::string text() && {
    if (text_.empty()) return {};
    std::string head =
        "The elements of the state in which this execution differs from each serial order:\n"
        "- only after the serial order, + only after this execution\n";
    return head + text_ + (full_ ? "... and more, for which there is no room here\n" : "");
  }

 private:
  void component(const ComponentComparison& one) {
    if (one.match == ComponentMatch::kEqual) return;
    line(fmt::format("  {}: {} missing, {} extra", printable_cut(one.name), one.missing.size(),
                     one.extra.size()));
    if (!one.note.empty()) line("    " + one.note);
    for (const std::string& element : one.missing) line("    - " + element);
    for (const std::string& element : one.extra) line("    + " + element);
  }

  void line(const std::string& text) {
    full_ = full_ || text_.size() + text.size() + 1 > limit_;
    if (!full_) text_ += text + "\n";
  }

  size_t limit_;
  bool full_ = false;
  std::string text_;
};

}  // namespace

std::string elements_text(const Verdict& verdict, const std::vector<std::string>& client_names,
                          size_t limit) {
  ElementsWriter writer(limit);
  for (const OrderMatch& match : verdict.table) writer.order(match, client_names);
  return std::move(writer).text();
}

}  // namespace esox
