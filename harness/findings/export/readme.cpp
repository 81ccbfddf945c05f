// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/readme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <string>

#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/report/taken_choices.h"
#include "analysis/rows.h"
#include "analysis/schedule.h"
#include "analysis/thread_name.h"
#include "analysis/verdict.h"
#include "harness/findings/export/hold_story.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/rate_text.h"
#include "harness/records/synopsis.h"
#include "inputs/isolation_level.h"
#include "inputs/signals.h"

namespace esox {
namespace {

// What is longer is in the files beside it.
constexpr size_t kMostTitleBytes = 90;
constexpr size_t kMostLines = 40;

std::string fenced(const std::string& text, const std::string& language = "") {
  return fmt::format("```{}\n{}{}```\n\n", language, text,
                     text.empty() || text.back() == '\n' ? "" : "\n");
}

std::string first_lines(const std::vector<std::string>& lines, const char* all_in) {
  if (lines.size() <= kMostLines) return lines_of(lines, "\n");
  const std::vector<std::string> some(lines.begin(), lines.begin() + kMostLines);
  return lines_of(some, "\n") +
         fmt::format("... {} lines more: {}\n", lines.size() - kMostLines, all_in);
}

const char* effect_of(VerdictClass verdict) {
  switch (verdict) {
    case VerdictClass::kError:
      return "an error that no order gives";
    case VerdictClass::kLatent:
      return "right answers, wrong data afterwards";
    case VerdictClass::kCrash:
      return "the server dies";
    case VerdictClass::kDeadlock:
    case VerdictClass::kHang:
      return "they wait for good";
    case VerdictClass::kSerial:
      return "wrong without any concurrency";
    default:
      return "a wrong answer";
  }
}

// Expected and seen, judged anew from what the finding keeps.
std::vector<std::string> what_is_wrong(const Finding& finding) {
  const Verdict verdict = judged_again(finding, Orders::kAsGiven);
  if (!verdict.violation()) return {};
  return explanation_lines(finding.input.input, record_of(finding), verdict);
}

// In a cell of a table.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2) {
    text.replace(at, 1, text[at] == '|' ? "\\|" : "; ");
  }
  return text;
}

// A switch more would not help a reader.
constexpr size_t kMostSwitches = 60;

// Each switch in words, by the point at which it was: "A -> B: A stands before lock mutex in F".
std::map<uint64_t, std::string> switches_in_words(const Finding& finding) {
  const std::vector<std::string> names = client_names(finding.input.input);
  const auto client = [&](ThreadId thread) { return thread_name(names, thread); };
  std::map<uint64_t, std::string> words;
  std::map<ThreadId, uint32_t> passed;
  const std::vector<Choice>& choices = finding.choices;
  for (size_t i = 0; i + 1 < choices.size() && words.size() < kMostSwitches; ++i) {
    const ThreadId from = choices[i].thread;
    uint32_t& own = passed[from];
    own += choices[i + 1].point - choices[i].point;
    std::string text = fmt::format("{} -> {}", client(from), client(choices[i + 1].thread));
    const Operations& operations = finding.operations;
    if (from < operations.of.size() && own > 0 && own <= operations.of[from].size()) {
      const OperationName& name = operations.names[operations.of[from][own - 1]];
      text += fmt::format(": {} stands at '{}{}{}'", client(from), kind_text(name.kind),
                          name.object.empty() ? "" : " ", name.object);
      if (!name.function.empty()) text += fmt::format(" in {} ({})", name.function, name.site);
    }
    words[choices[i + 1].point] = text;
  }
  return words;
}

class Readme {
 public:
  Readme(const Finding& finding, const FindingCompany& company, const ExportPieces& pieces)
      : finding_(finding),
        company_(company),
        pieces_(pieces),
        plan_(company.reproducer && company.reproducer->needs_esox.empty() ? company.plan : Json()),
        // What the reproducer plays, which may be the smaller one.
        input_((company.minimised && is_of(company.minimised->input.input) ? *company.minimised
                                                                           : finding)
                   .input.input) {}

  std::string text() const {
    return head() + wrong() + setup() + script() + story() + by_gdb() + by_hand() + minimised() +
           versions() + facts();
  }

 private:
  bool is_shown() const { return !plan_.is_null(); }
  const std::vector<std::string>& told() const { return company_.reproducer->rounds.told; }

  // That input is what the reproducer plays.
  bool is_of(const Input& input) const {
    if (!is_shown() || plan_.value("setup", std::vector<std::string>()) != input.setup)
      return false;
    std::vector<std::string> played;
    for (const Json& client : plan_.value("clients", Json::array())) {
      for (const Json& request : client.at("requests")) played.push_back(request);
    }
    std::vector<std::string> own;
    for (const InputClient& client : input.clients) {
      for (const Request& request : client.requests) own.push_back(request.text);
    }
    return played == own;
  }

  static std::vector<std::string> requests_of(const Input& input) {
    std::vector<std::string> lines;
    const auto names = client_names(input);
    for (size_t c = 0; c < input.clients.size(); ++c) {
      for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
        lines.push_back(fmt::format("{}: {}", request_name(static_cast<ThreadId>(c), r, names),
                                    input.clients[c].requests[r].text));
      }
    }
    return lines;
  }

  std::string title() const {
    std::vector<std::string> texts;
    for (const InputClient& client : input_.clients) {
      for (const Request& request : client.requests) texts.push_back("`" + request.text + "`");
    }
    const std::string all = fmt::format("{}", fmt::join(texts, " while "));
    const bool fits = all.size() <= kMostTitleBytes && all.find('\n') == std::string::npos;
    return fits ? all : input_.title.empty() ? input_.id : input_.title;
  }

  // The wrong answer itself where the script has shown it.
  std::string headline() const {
    const std::string seen = is_shown() ? plan_.value("title", "") : "";
    return seen.empty() ? effect_of(finding_.verdict) : seen;
  }

  std::string head() const {
    const std::string& level = input_.isolation_level;
    const std::string what =
        finding_.anomaly.empty()
            ? "give what they give in no order, one after the other"
            : fmt::format("show {}, which {} forbids", finding_.anomaly.name,
                          level.empty() ? "their isolation level" : "the level " + level);
    return fmt::format("# {}: {}\n\n{} Sent at the same time by {} connections, these {}:\n\n{}",
                       title(), headline(), class_in_words(finding_.verdict, finding_.latent),
                       input_.clients.size(), what,
                       fenced(first_lines(requests_of(input_), "client-*")));
  }

  std::string wrong() const {
    std::vector<std::string> lines;
    if (is_shown()) {
      const auto begin = std::ranges::find_if(
          told(), [](const std::string& line) { return line.starts_with("in the order "); });
      lines.assign(std::min(begin, told().begin() + static_cast<std::ptrdiff_t>(wrong_end())),
                   told().begin() + static_cast<std::ptrdiff_t>(wrong_end()));
    } else {
      lines = what_is_wrong(finding_);
    }
    std::string text = lines.empty() ? "" : fenced(first_lines(lines, "comparison.txt"));
    if (finding_.ending != EndingKind::kFinished) {
      text += fmt::format("It ended in: {}. See stack.txt.\n\n", ending_name(finding_.ending));
    }
    return text;
  }

  std::string setup() const {
    std::string text;
    if (!input_.setup.empty()) {
      text = "Setup:\n\n" + fenced(lines_of(input_.setup, pieces_.statement_end), pieces_.notation);
    }
    std::string sessions;
    for (const InputClient& client : input_.clients) {
      for (const std::string& one : session_setup(input_, client)) {
        sessions += client.name + ": " + one + "\n";
      }
    }
    return text + (sessions.empty() ? "" : "First in these sessions:\n\n" + fenced(sessions));
  }

  std::string script() const {
    if (!is_shown()) {
      const bool looked_for = company_.reproducer.has_value();
      return fmt::format(
          "No script shows it on a plain server: {}.\n\n",
          looked_for ? company_.reproducer->needs_esox : "none was looked for (`esox reproduce`)");
    }
    const size_t counts = wrong_end();
    const std::vector<std::string> last(told().begin() + static_cast<std::ptrdiff_t>(counts),
                                        told().end());
    return fmt::format(
        "## See it in a minute\n\n{}It needs python3 and the server, `{}`, on Linux and x86-64; no "
        "root, no network. It starts a server of its own in a folder of its own, holds its threads "
        "by breakpoints (ptrace), and leaves nothing behind. `--server PROGRAM` takes "
        "another build, such as a mended one: exit status 1 says that it has it, 0 that it has it "
        "not though all was held as told, 2 that this cannot be said. On {} it said what stands "
        "above, and:\n\n{}",
        fenced("python3 reproduce.py\n", "sh"), finding_.server.path, company_.reproducer->version,
        fenced(lines_of(last, "\n")));
  }

  size_t wrong_end() const {
    size_t at = 0;
    while (at < told().size() && !told()[at].starts_with("violated ")) ++at;
    return at;
  }

  std::string story() const {
    std::string text;
    if (is_shown()) {
      size_t number = 0;
      for (const std::string& line : hold_story(plan_)) {
        text += fmt::format("{}. {}\n", ++number, line);
      }
      text += "\n";
    }
    if (company_.critical && !is_shown()) {  // else another schedule that gives the same
      text += company_.critical->sentence +
              " The pair of operations that decides, and both threads' stacks, are in "
              "diagnosis.txt.\n\n";
    }
    return text.empty() ? "" : "## What happens\n\n" + text;
  }

  std::string by_gdb() const {
    if (!is_shown()) return "";
    const GdbHold hold = gdb_hold(plan_);
    if (hold.command.empty()) return "";
    std::string text = "## With gdb instead\n\n" +
                       fenced("python3 reproduce.py --serve    # says PID and SOCKET\n", "sh") +
                       fmt::format(
                           "starts that server, with what comes before the requests done. "
                           "Connect a client each to SOCKET ({}). ",
                           pieces_.client);
    if (signalling_client(input_.clients)) {
      text += "SIGHUP is sent by `kill -HUP PID`, on no connection (SIGUSR1 likewise). ";
    }
    if (!hold.before.empty()) text += fmt::format("Send {}. ", fmt::join(hold.before, ", then "));
    text += fmt::format(
        "Then, as root,\n\n{}and send {}: it is held there, gdb prints its stack, "
        "and for {} seconds all others run. ",
        fenced(hold.command, "sh"), hold.request, kGdbHoldSeconds);
    if (!hold.during.empty()) {
      text += fmt::format("In these, send {}.", fmt::join(hold.during, ", then "));
    }
    return text + "\n\n";
  }

  std::string by_hand() const {
    if (is_shown()) return "";
    std::string switches;
    for (const auto& [point, words] : switches_in_words(finding_)) switches += words + "\n";
    return "## By hand\n\nBy mere repetition it may come rarely. A debugger can force it: the "
           "threads have to be switched at these places, in this order (trace.txt shows all):\n\n" +
           fenced(switches) + pieces_.by_hand;
  }

  std::string minimised() const {
    if (is_shown() || !company_.minimised) return "";
    const Input& small = company_.minimised->input.input;
    return "The same comes with less (minimised.yaml):\n\n" +
           fenced(lines_of(small.setup, pieces_.statement_end), pieces_.notation) +
           fenced(lines_of(requests_of(small), "\n"));
  }

  std::string versions() const {
    std::string rows;
    if (company_.affected) {
      for (const AffectedRow& row : company_.affected->rows) {
        const bool searched = !row.searches.empty() || !row.replay.empty() ||
                              row.answer == Affected::kRefused ||
                              row.answer == Affected::kCannotTell;
        rows +=
            fmt::format("| {} | {} | {} |\n", cell(row.version.empty() ? "?" : row.version),
                        row.played ? cell(without_machine(rounds_text(*row.played))) : "not played",
                        searched ? cell(without_machine(answer_text(row))) : "not searched");
      }
      return "## Versions\n\n| server | reproduce.py | esox's search |\n|---|---|---|\n" + rows +
             "\nHow it was searched: affected.txt.\n\n";
    }
    return "";
  }

  std::string facts() const {
    const std::string conditions = conditions_of(finding_.input);
    const std::vector<std::string> options = all_options(finding_);
    const std::string build = is_shown() ? plan_.value("build_id", "") : "";
    // What plain threads show needs none, whatever came in the recorded execution.
    const std::string choices = is_shown() ? "" : taken_choices(finding_.values);
    const HitCounts counts = {finding_.first_execution, finding_.executions, finding_.draws,
                              finding_.drawn_hits};
    std::string text = "## Where it was found\n\n| | |\n|---|---|\n";
    const auto row = [&text](const char* name, const std::string& value) {
      if (!value.empty()) text += fmt::format("| {} | {} |\n", name, cell(value));
    };
    const std::string& version = finding_.server.version;
    row("server", version.starts_with(input_.server()) ? version : input_.server() + " " + version);
    row("build id", build);
    row("options", options.empty() ? "those of a small private server, all in reproduce.json"
                                   : fmt::format("`{}`", fmt::join(options, " ")));
    row("engine, setting", conditions);
    const bool titled = !input_.title.empty() && input_.title != input_.id;
    row("input", input_.id + (titled ? ": " + input_.title : ""));
    row("how often, of schedules drawn at random", rate_text(counts));
    row("unusual results of calls", choices);
    row("statements", pieces_.licence);
    row("by", fmt::format("esox {}, which runs one thread of the unmodified server at a time; "
                          "finding {}: `esox replay finding.yaml`, `esox verify finding.yaml "
                          "--server PATCHED`",
                          finding_.esox_version, finding_.id));
    return text;
  }

  const Finding& finding_;
  const FindingCompany& company_;
  const ExportPieces& pieces_;
  const Json plan_;
  const Input& input_;
};

}  // namespace

std::string readme_text(const Finding& finding, const FindingCompany& company,
                        const ExportPieces& pieces) {
  return Readme(finding, company, pieces).text();
}

}  // namespace esox
