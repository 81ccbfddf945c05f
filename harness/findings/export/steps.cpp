// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/linearization.h"
#include "analysis/schedule.h"
#include "analysis/thread_name.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

// A switch more would not help a reader.
constexpr size_t kMostSwitches = 60;

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

using Switches = std::map<uint64_t, std::string>;

// The reply follows with nothing in between.
bool is_at_once(const Moment& begin, const Moment& next, const Switches& switches) {
  return begin.begins && !next.begins && next.client == begin.client &&
         switches.lower_bound(begin.point) == switches.lower_bound(next.point);
}

ExportStep::Kind kind_of(const Moment& moment) {
  if (moment.begins) return ExportStep::Kind::kSent;
  return moment.point == kNever ? ExportStep::Kind::kNoReply : ExportStep::Kind::kReplied;
}

const Output* reply_of(const Finding& finding, const Moment& moment) {
  const auto& outputs = finding.outcome.outputs;
  if (moment.client >= outputs.size() || moment.request >= outputs[moment.client].size()) {
    return nullptr;
  }
  return &outputs[moment.client][moment.request];
}

ExportStep switch_step(const std::string& words) {
  ExportStep step;
  step.kind = ExportStep::Kind::kSwitch;
  step.text = words;
  return step;
}

}  // namespace

std::vector<ExportStep> export_steps(const Finding& finding) {
  const std::vector<std::string> names = client_names(finding.input.input);
  const Switches switches = switches_in_words(finding);
  const std::vector<Moment> moments = moments_of(finding);
  std::vector<ExportStep> steps;
  auto told = switches.begin();
  const auto tell_switches_before = [&](uint64_t point) {
    for (; told != switches.end() && told->first < point; ++told) {
      steps.push_back(switch_step(told->second));
    }
  };
  for (size_t i = 0; i < moments.size(); ++i) {
    const Moment& moment = moments[i];
    tell_switches_before(moment.point);
    ExportStep step{kind_of(moment),
                    moment.client,
                    moment.request,
                    request_name(moment.client, moment.request, names),
                    reply_of(finding, moment),
                    ""};
    if (step.seen != nullptr) step.seen_text = reply_line(*step.seen);
    if (i + 1 < moments.size() && is_at_once(moment, moments[i + 1], switches)) {
      step.kind = ExportStep::Kind::kSentAndReplied;
      ++i;
    }
    steps.push_back(std::move(step));
  }
  tell_switches_before(kNever);
  return steps;
}

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

}  // namespace esox
