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
        kept_for_(features_beside(kept_for, features_beside(kept_for, showing.features))) {}

  // Alone; else behind what their clients asked before, which may have made what they touch.
  Input run() {
    const RequestSet needed = in_two_clients(requests_behind(kept_for_, showing_.shown));
    if (!try_without(all_but(needed))) try_without(all_but(with_earlier(needed)));
    return without(input_, left_out_);
  }

 private:
  RequestSet in_two_clients(RequestSet requests) const {
    for (size_t c = 0; c < input_.clients.size() && clients_of(requests) < 2; ++c) {
      if (requests.lower_bound({c, 0}) == requests.lower_bound({c + 1, 0})) requests.insert({c, 0});
    }
    return requests;
  }

  static size_t clients_of(const RequestSet& requests) {
    std::set<size_t> clients;
    for (const RequestId& id : requests) clients.insert(id.client);
    return clients.size();
  }

  static RequestSet with_earlier(const RequestSet& requests) {
    RequestSet all;
    for (const RequestId& id : requests) {
      for (size_t r = 0; r <= id.request; ++r) all.insert({id.client, r});
    }
    return all;
  }

  RequestSet all_but(const RequestSet& kept) const {
    RequestSet rest;
    for (size_t c = 0; c < input_.clients.size(); ++c) {
      for (size_t r = 0; r < input_.clients[c].requests.size(); ++r) {
        if (!kept.contains({c, r})) rest.insert({c, r});
      }
    }
    return rest;
  }

  bool try_without(RequestSet wanted) {
    if (!wanted.empty() && !shows_without(wanted)) return false;
    left_out_ = std::move(wanted);
    return true;
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
  RequestSet left_out_;
  bool endless_ = false;  // something did not end
};

}  // namespace

Input shrunk(MutantRuns& runs, const Showing& showing, const Features& kept_for) {
  return Shrinking(runs, showing, kept_for).run();
}

}  // namespace esox
