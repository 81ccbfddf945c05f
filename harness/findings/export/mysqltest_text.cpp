// SPDX-License-Identifier: Apache-2.0
// See mysqltest_text.h.
#include "harness/findings/export/mysqltest_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "analysis/linearization.h"
#include "analysis/schedule.h"
#include "harness/records/brief.h"

namespace esox {
namespace {

// A switch more would not help a reader.
constexpr size_t kMostSwitches = 60;

std::string comment(const std::string& text) {
  std::string lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines += "# " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return lines;
}

// The begin or the end of a request.
struct Moment {
  uint64_t point;
  bool begins;
  size_t client;
  size_t request;
};

std::vector<Moment> moments_of(const Finding& finding) {
  std::vector<Moment> moments;
  const auto& clients = finding.input.input.clients;
  for (size_t c = 0; c < clients.size(); ++c) {
    for (size_t r = 0; r < clients[c].requests.size(); ++r) {
      const bool stamped = c < finding.stamps.size() && r < finding.stamps[c].size();
      const Stamp stamp = stamped ? finding.stamps[c][r] : Stamp{r, kNever};
      moments.push_back({stamp.invocation, true, c, r});
      moments.push_back({stamp.response, false, c, r});
    }
  }
  // A client's next request begins after the reply to the one before, also at one point.
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return a.point < b.point; });
  return moments;
}

class Writer {
 public:
  Writer(const Finding& finding, const FindingCompany& company)
      : finding_(finding),
        input_(finding.input.input),
        company_(company),
        names_(client_names(input_)),
        switches_(switches_in_words(finding)) {}

  std::string run() {
    head();
    setup();
    requests();
    state();
    cleanup();
    return std::move(text_);
  }

 private:
  void head() {
    text_ += comment(fmt::format(
        "Skeleton of a test, made of esox's finding {} ({}: {})\n"
        "server: {}; its options are in finding.opt\n"
        "Requests stand in the order in which they began and were answered. Where a comment says\n"
        "'switch', the thread of the first client was held and that of the second one ran: a sync\n"
        "point (SET DEBUG_SYNC) or a debugger has to do that there.",
        finding_.id, class_name(finding_.verdict),
        class_in_words(finding_.verdict, finding_.latent), finding_.server.version));
    if (company_.critical) {
      text_ += comment("\nThe switch that decides:\n" + company_.critical->sentence);
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

  void requests() {
    const std::vector<Moment> moments = moments_of(finding_);
    for (size_t i = 0; i < moments.size(); ++i) {
      const Moment& moment = moments[i];
      tell_switches_before(moment.point);
      const bool at_once =
          moment.begins && i + 1 < moments.size() && !moments[i + 1].begins &&
          moments[i + 1].client == moment.client &&
          switches_.lower_bound(moment.point) == switches_.lower_bound(moments[i + 1].point);
      if (moment.begins) {
        begin(moment, at_once);
        i += at_once ? 1 : 0;
      } else {
        end(moment);
      }
    }
    tell_switches_before(kNever);
  }

  void tell_switches_before(uint64_t point) {
    for (; told_ != switches_.end() && told_->first < point; ++told_) {
      text_ += comment("switch " + told_->second);
    }
  }

  const Output* output(const Moment& moment) const {
    const auto& outputs = finding_.outcome.outputs;
    if (moment.client >= outputs.size() || moment.request >= outputs[moment.client].size()) {
      return nullptr;
    }
    return &outputs[moment.client][moment.request];
  }

  void select(const Moment& moment) {
    const std::string& name = names_[moment.client];
    if (current_ != name) text_ += fmt::format("connection {};\n", name);
    current_ = name;
  }

  void expect_error(const Moment& moment) {
    const Output* seen = output(moment);
    if (seen != nullptr && seen->error != 0) text_ += fmt::format("--error 0,{}\n", seen->error);
  }

  void begin(const Moment& moment, bool at_once) {
    select(moment);
    const std::string& sql = input_.clients[moment.client].requests[moment.request].text;
    text_ += comment(request_name(moment.client, moment.request, names_));
    if (at_once) expect_error(moment);
    statement(at_once ? "" : "send ", sql);
    if (at_once) tell_seen(moment);
  }

  void end(const Moment& moment) {
    if (moment.point == kNever) {
      text_ += comment(request_name(moment.client, moment.request, names_) + " was never answered");
      return;
    }
    select(moment);
    expect_error(moment);
    text_ += "reap;\n";
    tell_seen(moment);
  }

  void tell_seen(const Moment& moment) {
    const Output* seen = output(moment);
    if (seen == nullptr) return;
    text_ += comment(fmt::format(
        "seen for {}: {}", request_name(moment.client, moment.request, names_), reply_line(*seen)));
  }

  void state() {
    text_ += "\n# The state afterwards\nconnection default;\n";
    for (const std::string& sql : input_.observations) statement("", sql);
    for (const std::string& table : tables()) statement("", "CHECK TABLE " + table);
    for (const std::string& table : tables())
      statement("--sorted_result\n", "SELECT * FROM " + table);
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

  const Finding& finding_;
  const Input& input_;
  const FindingCompany& company_;
  const std::vector<std::string> names_;
  const std::map<uint64_t, std::string> switches_;
  std::map<uint64_t, std::string>::const_iterator told_ = switches_.begin();
  std::string current_;
  std::string text_;
};

}  // namespace

std::string mysqltest_text(const Finding& finding, const FindingCompany& company) {
  return Writer(finding, company).run();
}

std::string mysqltest_statement(const std::string& prefix, const std::string& statement) {
  if (statement.find(';') == std::string::npos) return prefix + statement + ";\n";
  return "delimiter |;\n" + prefix + statement + "|\ndelimiter ;|\n";
}

std::map<uint64_t, std::string> switches_in_words(const Finding& finding) {
  const std::vector<std::string> names = client_names(finding.input.input);
  const auto client = [&](ThreadId thread) {
    return thread < names.size() ? names[thread] : fmt::format("T{}", thread);
  };
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

}  // namespace esox
