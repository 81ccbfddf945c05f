// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/mysqltest.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

namespace esox {
namespace {

std::string comment(const std::string& text) {
  std::string lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines += "# " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return lines;
}

class Writer {
 public:
  explicit Writer(const ExportedFinding& finding) : finding_(finding), input_(finding.input) {}

  std::string run() {
    head();
    setup();
    for (const ExportStep& one : finding_.steps) step(one);
    state();
    cleanup();
    return std::move(text_);
  }

 private:
  void head() {
    text_ += comment(fmt::format(
        "Skeleton of a test, made of esox's {}\n"
        "server: {}; its options are in finding.opt\n"
        "Requests stand in the order in which they began and were answered. Where a comment says\n"
        "'switch', the thread of the first client was held and that of the second one ran: a sync\n"
        "point (SET DEBUG_SYNC) or a debugger has to do that there.",
        finding_.headline, finding_.version));
    if (!finding_.decisive.empty()) {
      text_ += comment("\nThe switch that decides:\n" + finding_.decisive);
    }
  }

  void statement(const std::string& prefix, const std::string& sql) {
    text_ += mysqltest_statement(prefix, sql);
  }

  void setup() {
    text_ += "\n# Setup\n";
    for (const std::string& sql : input_.setup) statement("", sql);
    for (const InputClient& client : input_.clients) {
      text_ += fmt::format("connect ({},localhost,root,,test);\n", client.name);
      for (const std::string& sql : client.setup) statement("", sql);
    }
    text_ += "\n# The requests\n";
  }

  void step(const ExportStep& step) {
    using Kind = ExportStep::Kind;
    if (step.kind == Kind::kSwitch) {
      text_ += comment("switch " + step.text);
    } else if (step.kind == Kind::kNoReply) {
      text_ += comment(step.text + " was never answered");
    } else if (step.kind == Kind::kReplied) {
      select(step);
      expect_error(step);
      text_ += "reap;\n";
      tell_seen(step);
    } else {
      send(step, step.kind == Kind::kSentAndReplied);
    }
  }

  void send(const ExportStep& step, bool at_once) {
    select(step);
    text_ += comment(step.text);
    if (at_once) expect_error(step);
    statement(at_once ? "" : "send ", input_.clients[step.client].requests[step.request].text);
    if (at_once) tell_seen(step);
  }

  void select(const ExportStep& step) {
    const std::string& name = input_.clients[step.client].name;
    if (current_ != name) text_ += fmt::format("connection {};\n", name);
    current_ = name;
  }

  void expect_error(const ExportStep& step) {
    if (step.seen != nullptr && step.seen->error != 0) {
      text_ += fmt::format("--error 0,{}\n", step.seen->error);
    }
  }

  void tell_seen(const ExportStep& step) {
    if (step.seen != nullptr) {
      text_ += comment(fmt::format("seen for {}: {}", step.text, step.seen_text));
    }
  }

  void state() {
    text_ += "\n# The state afterwards\nconnection default;\n";
    for (const std::string& sql : input_.observations) statement("", sql);
    for (const std::string& table : tables()) statement("", "CHECK TABLE " + table);
    for (const std::string& table : tables()) {
      statement("--sorted_result\n", "SELECT * FROM " + table);
    }
  }

  void cleanup() {
    text_ += "\n# Clean up\n";
    for (const InputClient& client : input_.clients) {
      text_ += fmt::format("disconnect {};\n", client.name);
    }
    for (const std::string& table : tables()) statement("", "DROP TABLE IF EXISTS " + table);
  }

  // That the setup makes.
  std::set<std::string> tables() const {
    static const std::regex kCreate(
        R"(^\s*CREATE\s+(OR\s+REPLACE\s+)?TABLE\s+(IF\s+NOT\s+EXISTS\s+)?([\w.$`]+))",
        std::regex::icase);
    std::set<std::string> names;
    for (const std::string& sql : input_.setup) {
      std::smatch match;
      if (std::regex_search(sql, match, kCreate)) names.insert(match[3].str());
    }
    return names;
  }

  const ExportedFinding& finding_;
  const Input& input_;
  std::string current_;
  std::string text_;
};

}  // namespace

std::string mysqltest_text(const ExportedFinding& finding) {
  return Writer(finding).run();
}

std::string mysqltest_statement(const std::string& prefix, const std::string& statement) {
  if (statement.find(';') == std::string::npos) return prefix + statement + ";\n";
  return "delimiter |;\n" + prefix + statement + "|\ndelimiter ;|\n";
}

}  // namespace esox
