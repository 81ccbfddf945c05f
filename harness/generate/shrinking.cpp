// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/shrinking.h"

#include <algorithm>
#include <utility>

namespace esox {
namespace {

Input without(const Input& input, const RequestSet& left_out) {
  Input rest = input;
  rest.clients.clear();
  for (size_t c = 0; c < input.clients.size(); ++c) {
    InputClient client = input.clients[c];
    client.requests.clear();
    for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
      if (!left_out.contains({c, r})) client.requests.push_back(input.clients[c].requests[r]);
    }
    if (client.requests.empty()) continue;
    client.name = input.clients[rest.clients.size()].name;
    rest.clients.push_back(std::move(client));
  }
  return rest;
}

// As that of an input that does not have what was left out: threads keep their numbers.
ExecutionReport compacted(ExecutionReport report, const RequestSet& left_out) {
  ExecutionRecord& record = report.record;
  for (size_t c = 0; c < record.outcome.outputs.size(); ++c) {
    std::vector<Output> sent;
    for (size_t r = 0; r < record.outcome.outputs[c].size(); ++r) {
      if (!left_out.contains({c, r})) sent.push_back(std::move(record.outcome.outputs[c][r]));
    }
    record.outcome.outputs[c] = std::move(sent);
  }
  return report;
}

Input requests_left(const Input& input, const RequestSet& left_out) {
  Input rest = input;
  for (size_t c = 0; c < rest.clients.size(); ++c) {
    std::vector<Request> requests;
    for (size_t r = 0; r < rest.clients[c].requests.size(); ++r) {
      if (!left_out.contains({c, r})) requests.push_back(rest.clients[c].requests[r]);
    }
    rest.clients[c].requests = std::move(requests);
  }
  return rest;
}

class Shrinking {
 public:
  Shrinking(MutantRuns& runs, const Showing& showing, const Features& kept_for)
      : runs_(runs),
        input_(runs.input().input),
        showing_(showing),
        kept_for_(features_beside(kept_for, features_beside(kept_for, showing.features))) {
    for (const InputClient& client : input_.clients) left_.push_back(client.requests.size());
  }

  Input run() {
    for (size_t c = input_.clients.size(); c-- > 0;) try_without_client(c);
    for (size_t c = input_.clients.size(); c-- > 0;) {
      for (size_t r = input_.clients[c].requests.size(); r-- > 0;) try_without_request(c, r);
    }
    return without(input_, left_out_);
  }

 private:
  void try_without_client(size_t client) {
    const auto some =
        std::count_if(left_.begin(), left_.end(), [](size_t left) { return left > 0; });
    if (some <= 2) return;
    RequestSet wanted = left_out_;
    for (size_t r = 0; r < input_.clients[client].requests.size(); ++r) wanted.insert({client, r});
    if (!shows_without(wanted)) return;
    left_out_ = std::move(wanted);
    left_[client] = 0;
  }

  void try_without_request(size_t client, size_t request) {
    if (left_[client] <= 1 || left_out_.contains({client, request})) return;
    RequestSet wanted = left_out_;
    wanted.insert({client, request});
    if (!shows_without(wanted)) return;
    left_out_ = std::move(wanted);
    --left_[client];
  }

  // Whether all of it shows in some executions.
  bool shows_without(const RequestSet& wanted) {
    const Input rest = requests_left(input_, wanted);
    if (endless_) return false;
    Features missing = kept_for_;
    for (size_t number = 0; number < kShrinkTries; ++number) {
      ExecutionReport report = runs_.reduced(showing_, wanted, number);
      // What does not end is awaited for seconds: once is enough, for all.
      endless_ = endless_ || report.record.ending.kind != EndingKind::kFinished;
      if (endless_) return false;
      if (!is_sound(report)) continue;
      missing = features_beside(missing, features_of(compacted(std::move(report), wanted), rest));
      if (missing.empty()) return true;
    }
    return false;
  }

  MutantRuns& runs_;
  const Input& input_;
  const Showing& showing_;
  const Features kept_for_;
  std::vector<size_t> left_;  // requests, by client
  RequestSet left_out_;
  bool endless_ = false;  // something did not end
};

}  // namespace

Input shrunk(MutantRuns& runs, const Showing& showing, const Features& kept_for) {
  return Shrinking(runs, showing, kept_for).run();
}

}  // namespace esox
