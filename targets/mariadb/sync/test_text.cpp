// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/test_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "inputs/isolation_level.h"
#include "targets/mariadb/sync/undoing.h"
#include "targets/mysqld/state/cacheable_select.h"

namespace esox {
namespace {

using StepKind = SyncStep::Kind;
using ValueKind = SyncValue::Kind;

constexpr unsigned kStandstillTenths = 30;

std::string as_comment(const std::string& text) {
  std::string lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines += end == begin ? "#\n" : "# " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return lines;
}

// In the arguments of a command, where variables are expanded.
std::string unexpanded(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\' || c == '$') safe += '\\';
    safe += c;
  }
  return safe;
}

// As an argument: nothing, if it holds all the quotes that there are.
std::optional<std::string> argument(const std::string& text) {
  for (const char quote : {'"', '\'', '`'}) {
    if (text.find(quote) == std::string::npos) return quote + unexpanded(text) + quote;
  }
  return {};
}

bool reads_only(const std::string& sql) {
  static const std::regex kShow("SHOW\\b", std::regex::icase);
  return is_plain_select(sql) ||
         std::regex_search(sql, kShow, std::regex_constants::match_continuous);
}

// A held request that is to be said at once.
struct Window {
  size_t sent = 0;  // steps
  size_t reaped = 0;
};

class SyncTestWriter {
 public:
  explicit SyncTestWriter(const SyncTestParts& parts) : parts_(parts), input_(parts.input) {}

  std::optional<std::string> run() {
    if (!parts_.script.possible || !one_cell_each()) return {};
    begin();
    const std::optional<Window> window = judged_window();
    const auto& steps = parts_.script.steps;
    if (window) {
      if (!write_window(*window)) return {};
    } else {
      write_steps(0, steps.size());
    }
    for (const SyncQuestion& question : parts_.questions) ask(question);
    finish();
    if (!possible_) return {};
    return std::move(text_);
  }

 private:
  // A statement whose rows are looked into is told by nothing else, and is executed once, but for
  // one that changes nothing.
  bool one_cell_each() const {
    if (!parts_.condition) return true;
    const auto& values = parts_.condition->values;
    return std::none_of(values.begin(), values.end(), [&](const SyncValue& cell) {
      return cell.kind == ValueKind::kCell &&
             std::any_of(values.begin(), values.end(), [&](const SyncValue& other) {
               return other.label == cell.label && other != cell &&
                      (other.kind != ValueKind::kCell || !may_be_repeated(cell.label));
             });
    });
  }

  bool may_be_repeated(const std::string& label) const {
    const auto& steps = parts_.script.steps;
    return std::none_of(steps.begin(), steps.end(), [&](const SyncStep& step) {
      const bool is_request = step.session != kConductor && step.kind != StepKind::kSay &&
                              request_label(input_, step.session, step.request) == label;
      return is_request && (step.kind != StepKind::kRun || !reads_only(step.text));
    });
  }

  bool holds() const {
    return std::ranges::any_of(parts_.script.steps, [](const SyncStep& step) {
      return step.kind == StepKind::kSay && step.text.find("DEBUG_SYNC") != std::string::npos;
    });
  }

  // The runner switches off what a test does not ask for.
  void ask_for_what_it_needs() {
    static const std::pair<const char*, std::regex> kNeeded[] = {
        {"have_innodb", std::regex(R"(\binnodb\b)", std::regex::icase)},
        {"have_partition", std::regex(R"(\bpartition\b)", std::regex::icase)},
        {"have_sequence", std::regex(R"(\bseq_\d+_to_\d+)")},
    };
    const std::vector<std::string> said = statements_of(input_);
    for (const auto& one : kNeeded) {
      const bool needed = std::any_of(said.begin(), said.end(), [&](const std::string& sql) {
        return std::regex_search(sql, one.second);
      });
      if (needed) line(fmt::format("--source include/{}.inc", one.first));
    }
  }

  void line(const std::string& text) { text_ += text + "\n"; }

  void begin() {
    text_ += as_comment(parts_.head);
    if (holds()) line("--source include/have_debug_sync.inc");
    ask_for_what_it_needs();
    line("--source include/count_sessions.inc\n");
    for (const std::string& sql : parts_.before) statement("", sql);
    for (const std::string& sql : input_.setup) statement("", sql);
    for (size_t client = 0; client < input_.clients.size(); ++client) {
      line(fmt::format("connect ({},localhost,root,,test);", session_name(client)));
      current_ = client;
      if (needs_ids()) line(fmt::format("let $id_{}= `SELECT CONNECTION_ID()`;", name_of(client)));
      for (const std::string& sql : session_setup(input_, input_.clients[client])) {
        statement("", sql);
      }
    }
    line("\n--disable_result_log");
  }

  void statement(const std::string& prefix, const std::string& sql) {
    text_ += said_by_client(prefix, sql);
  }

  const std::string& name_of(size_t client) const { return input_.clients[client].name; }
  std::string session_name(size_t session) const {
    return session == kConductor ? "default" : "con_" + name_of(session);
  }

  void select(size_t session) {
    if (current_ != session) line(fmt::format("connection {};", session_name(session)));
    current_ = session;
  }

  bool needs_ids() const {
    return parts_.violation == SyncViolation::kStandstill ||
           std::any_of(parts_.script.steps.begin(), parts_.script.steps.end(),
                       [](const SyncStep& step) { return step.kind == StepKind::kBlocked; });
  }

  void write_steps(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (i == parts_.script.released && parts_.violation == SyncViolation::kStandstill) {
        standstill();
      }
      step(parts_.script.steps[i]);
    }
  }

  void step(const SyncStep& step) {
    const std::string label =
        step.session == kConductor ? "" : request_label(input_, step.session, step.request);
    if (step.kind == StepKind::kBlocked) {
      wait_until_blocked(step.session);
      return;
    }
    select(step.session);
    if (step.kind == StepKind::kSay) {
      statement("", step.text);
    } else if (step.kind == StepKind::kSend) {
      statement("send ", step.text);
    } else if (step.kind == StepKind::kReap) {
      expect_errors(label);
      line("reap;");
      take_numbers(label);
    } else if (!take_cells(label, step.text)) {
      expect_errors(label);
      statement("", step.text);
      take_numbers(label);
    }
  }

  void expect_errors(const std::string& label) {
    std::set<uint32_t> errors;
    if (const auto found = parts_.errors.find(label); found != parts_.errors.end()) {
      errors = found->second;
    }
    if (parts_.violation == SyncViolation::kStandstill) errors.insert(kInterrupted);
    errors.erase(0);
    if (!errors.empty()) line(fmt::format("--error 0,{}", fmt::join(errors, ",")));
  }

  std::string variable_of(size_t value) const { return fmt::format("$value_{}", value + 1); }

  // The rows that are judged: the statement is said at once. False: none of its cells is.
  bool take_cells(const std::string& label, const std::string& sql) {
    bool took = false;
    if (!parts_.condition) return took;
    const auto& values = parts_.condition->values;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].label != label || values[i].kind != ValueKind::kCell) continue;
      const std::optional<std::string> query = argument(sql);
      const std::optional<std::string> column = argument(values[i].column);
      if (!query || !column) {
        possible_ = false;
        return true;
      }
      expect_errors(label);
      statement("", fmt::format("let {}= query_get_value({}, {}, {})", variable_of(i), *query,
                                *column, values[i].row));
      took = true;
    }
    return took;
  }

  // Of the last statement.
  void take_numbers(const std::string& label) {
    if (!parts_.condition) return;
    const auto& values = parts_.condition->values;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].label != label) continue;
      if (values[i].kind == ValueKind::kError) {
        line(fmt::format("let {}= $mysql_errno;", variable_of(i)));
      } else if (values[i].kind == ValueKind::kWarnings) {
        line(fmt::format("let {}= `SELECT @@warning_count`;", variable_of(i)));
      } else if (values[i].kind == ValueKind::kAffectedRows) {
        line(fmt::format("let {}= `SELECT ROW_COUNT()`;", variable_of(i)));
      }
    }
  }

  void ask(const SyncQuestion& question) {
    if (!parts_.condition) return;
    const auto& values = parts_.condition->values;
    if (std::none_of(values.begin(), values.end(),
                     [&](const SyncValue& one) { return one.label == question.label; })) {
      return;
    }
    select(question.session);
    if (take_cells(question.label, question.text)) return;
    expect_errors(question.label);
    statement("", question.text);
    take_numbers(question.label);
  }

  // -- A held request whose rows are judged

  std::optional<Window> judged_window() const {
    if (!parts_.condition) return {};
    const auto& steps = parts_.script.steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::kReap || !is_judged_by_cells(steps[i])) continue;
      size_t sent = i;
      while (steps[sent].kind != StepKind::kSend || steps[sent].session != steps[i].session) --sent;
      return Window{sent, i};
    }
    return {};
  }

  bool is_judged_by_cells(const SyncStep& step) const {
    const std::string label = request_label(input_, step.session, step.request);
    const auto& values = parts_.condition->values;
    return std::any_of(values.begin(), values.end(), [&](const SyncValue& one) {
      return one.label == label && one.kind == ValueKind::kCell;
    });
  }

  // Who says what goes on in it: the other client, if all that it does there is done at once; else
  // the conductor, and those who are held already have sent that they signal their end.
  std::optional<size_t> speaker(const Window& window) const {
    std::optional<size_t> client;
    for (size_t i = window.sent + 1; i < window.reaped; ++i) {
      const SyncStep& step = parts_.script.steps[i];
      if (step.session == kConductor || step.kind == StepKind::kSay) continue;
      if (step.kind != StepKind::kRun || (client && *client != step.session)) return {};
      client = step.session;
    }
    return client;
  }

  bool write_window(const Window& window) {
    const auto& steps = parts_.script.steps;
    const size_t by = speaker(window).value_or(kConductor);
    std::vector<std::string> said;
    std::vector<size_t> ended;  // clients
    for (size_t i = window.sent + 1; i < window.reaped; ++i) {
      const SyncStep& step = steps[i];
      if (step.session == kConductor || (step.session == by && step.kind == StepKind::kRun)) {
        said.push_back(step.text);
      } else if (step.kind == StepKind::kReap) {
        said.push_back(fmt::format("SET DEBUG_SYNC= 'now WAIT_FOR {}_ended TIMEOUT 10'",
                                   name_of(step.session)));
        ended.push_back(step.session);
      } else if (step.kind != StepKind::kSay) {
        return false;
      }
    }
    for (size_t i = 0; i < window.sent; ++i) write_before(steps[i], ended);
    select(by);
    line("# What goes on while " +
         request_label(input_, steps[window.sent].session, steps[window.sent].request) +
         " is held:");
    send_many(said);
    SyncStep at_once = steps[window.sent];
    at_once.kind = StepKind::kRun;
    step(at_once);
    reap_of(by, by == kConductor ? "" : label_in(window, by));
    for (const size_t client : ended) reap_of(client, label_in(window, client));
    write_steps(window.reaped + 1, steps.size());
    return true;
  }

  void write_before(const SyncStep& step, const std::vector<size_t>& ended) {
    const bool signals = step.kind == StepKind::kSend &&
                         std::find(ended.begin(), ended.end(), step.session) != ended.end();
    if (!signals) {
      this->step(step);
      return;
    }
    select(step.session);
    send_many(
        {step.text, fmt::format("SET DEBUG_SYNC= 'now SIGNAL {}_ended'", name_of(step.session))});
  }

  void send_many(const std::vector<std::string>& statements) {
    statement("send ", fmt::format("{}", fmt::join(statements, ";\n")));
  }

  std::string label_in(const Window& window, size_t client) const {
    for (size_t i = window.sent + 1; i < window.reaped; ++i) {
      const SyncStep& step = parts_.script.steps[i];
      if (step.session == client && step.kind != StepKind::kSay) {
        return request_label(input_, client, step.request);
      }
    }
    return "";
  }

  void reap_of(size_t session, const std::string& label) {
    select(session);
    expect_errors(label);
    line("reap;");
    take_numbers(label);
  }

  // -- Waits

  void wait_until_blocked(size_t client) {
    select(kConductor);
    line(
        fmt::format("let $tenths= 10;\n"
                    "while ($tenths)\n"
                    "{{\n"
                    "  let $is_waiting= `SELECT COUNT(*) FROM information_schema.processlist WHERE "
                    "id = $id_{} AND state LIKE 'Waiting%'`;\n"
                    "  dec $tenths;\n"
                    "  if ($is_waiting)\n  {{\n    let $tenths= 0;\n  }}\n"
                    "  --sleep 0.1\n"
                    "}}",
                    name_of(client)));
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const InputClient& client : input_.clients) ids.push_back("$id_" + client.name);
    return ids;
  }

  // Nobody is held any more: all that are still there after some seconds wait for good. They are
  // interrupted, so that the test comes to its end.
  void standstill() {
    select(kConductor);
    line(
        fmt::format("let $tenths= {};\n"
                    "let $left= 1;\n"
                    "while ($left)\n"
                    "{{\n"
                    "  --sleep 0.1\n"
                    "  dec $tenths;\n"
                    "  let $waiting= `SELECT COUNT(*) FROM information_schema.processlist WHERE id "
                    "IN ({}) AND command <> 'Sleep'`;\n"
                    "  let $left= $waiting;\n"
                    "  if (!$tenths)\n  {{\n    let $left= 0;\n  }}\n"
                    "}}\n"
                    "if ($waiting)\n{{\n  --disable_query_log",
                    kStandstillTenths, fmt::join(ids(), ", ")));
    for (const std::string& id : ids()) line("  --eval KILL QUERY " + id);
    line("  --enable_query_log\n}");
  }

  // -- The end

  void finish() {
    judge();
    select(kConductor);
    line("--enable_result_log\n");
    for (size_t client = 0; client < input_.clients.size(); ++client) {
      line(fmt::format("disconnect {};", session_name(client)));
    }
    if (holds()) line("SET DEBUG_SYNC= 'RESET';");
    for (const std::string& sql : parts_.after) statement("", sql);
    line("--source include/wait_until_count_sessions.inc");
    if (parts_.violation == SyncViolation::kStandstill) {
      line(fmt::format("if ($waiting)\n{{\n  --die the requests {}\n}}", kStandstill));
    } else if (parts_.condition) {
      line(fmt::format("if (!$is_right)\n{{\n  --die {}: {} $seen\n}}", fmt::join(words(), ", "),
                       kNoSerialOrder));
    }
  }

  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const SyncValue& value : parts_.condition->values) words.push_back(value_in_words(value));
    return words;
  }

  void judge() {
    if (!parts_.condition) return;
    std::vector<std::string> variables;
    for (size_t i = 0; i < parts_.condition->values.size(); ++i) {
      variables.push_back(variable_of(i));
    }
    line(
        fmt::format("\n# {}: right is what a serial order gives.\nlet $seen= <{}>;\n"
                    "let $is_right= 0;",
                    fmt::join(words(), ", "), fmt::join(variables, ", ")));
    for (const std::vector<std::string>& right : parts_.condition->right) {
      line(
          fmt::format("if ($seen == '<{}>')\n{{\n  let $is_right= 1;\n}}", fmt::join(right, ", ")));
    }
    if (!holds()) return;
    // What a mended server may make others do: wait for the thread that is held.
    line(
        "# A signal that is left was for a thread that others waited for, until it went on.\n"
        "let $is_left= `SELECT @@debug_sync LIKE '%\\_go%'`;\n"
        "if ($is_left)\n{\n  let $is_right= 1;\n}");
  }

  static constexpr uint32_t kInterrupted = 1317;

  const SyncTestParts& parts_;
  const Input& input_;
  std::string text_;
  size_t current_ = kConductor;
  bool possible_ = true;
};

}  // namespace

std::optional<std::string> sync_test_text(const SyncTestParts& parts) {
  return SyncTestWriter(parts).run();
}

std::string value_in_words(const SyncValue& value) {
  switch (value.kind) {
    case ValueKind::kError:
      return "the error of " + value.label;
    case ValueKind::kAffectedRows:
      return "the affected rows of " + value.label;
    case ValueKind::kWarnings:
      return "the warnings of " + value.label;
    default:
      return fmt::format("{} in row {} of {}", value.column, value.row, value.label);
  }
}

std::string said_by_client(const std::string& prefix, const std::string& statement) {
  if (statement.find(';') == std::string::npos) return prefix + statement + ";\n";
  return "delimiter |;\n" + prefix + statement + "|\ndelimiter ;|\n";
}

}  // namespace esox
