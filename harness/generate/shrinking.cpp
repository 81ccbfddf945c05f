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

RequestSet all_but(const Input& input, const RequestSet& kept) {
  RequestSet rest;
  for (size_t c = 0; c < input.clients.size(); ++c) {
    for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
      if (!kept.contains({c, r})) rest.insert({c, r});
    }
  }
  return rest;
}

size_t clients_of(const RequestSet& requests) {
  std::set<size_t> clients;
  for (const RequestId& id : requests) clients.insert(id.client);
  return clients.size();
}

RequestSet in_two_clients(const Input& input, RequestSet requests) {
  for (size_t c = 0; c < input.clients.size() && clients_of(requests) < 2; ++c) {
    if (requests.lower_bound({c, 0}) == requests.lower_bound({c + 1, 0})) requests.insert({c, 0});
  }
  return requests;
}

RequestSet with_earlier(const RequestSet& requests) {
  RequestSet all;
  for (const RequestId& id : requests) {
    for (size_t r = 0; r <= id.request; ++r) all.insert({id.client, r});
  }
  return all;
}

// What a client has begun it ends as before: who waits for what a session keeps waits for good.
RequestSet with_endings(const Input& input, const RequestSet& requests) {
  RequestSet all = requests;
  for (const RequestId& id : requests) {
    const std::vector<Request>& asked = input.clients[id.client].requests;
    const SessionEffect effect = input.language->session_effect(asked[id.request].text);
    if (effect != SessionEffect::kOpens && effect != SessionEffect::kLasting) continue;
    for (size_t r = id.request; r < asked.size(); ++r) all.insert({id.client, r});
  }
  return all;
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
    const RequestSet needed = in_two_clients(input_, requests_behind(kept_for_, showing_.shown));
    if (!try_only(needed)) try_only(with_earlier(needed));
    return without(input_, left_out_);
  }

 private:
  bool try_only(const RequestSet& needed) {
    RequestSet wanted = all_but(input_, with_endings(input_, needed));
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

// ---- what did not come to its end

RequestSet begun_in(const Stamps& stamps) {
  RequestSet begun;
  for (size_t c = 0; c < stamps.size(); ++c) {
    for (size_t r = 0; r < stamps[c].size(); ++r) {
      if (stamps[c][r].invocation != kNever) begun.insert({c, r});
    }
  }
  return begun;
}

RequestSet unanswered_in(const Stamps& stamps) {
  RequestSet unanswered;
  for (const RequestId& id : begun_in(stamps)) {
    if (stamps[id.client][id.request].response == kNever) unanswered.insert(id);
  }
  return unanswered;
}

Showing unfinished_showing(const ExecutionReport& report, size_t glance) {
  const ExecutionRecord& record = report.record;
  Showing showing{record.choices, record.values, record.seed, glance, {}, {}, {}};
  showing.finished = false;
  return showing;
}

bool ends_alike(const ExecutionReport& one, const ExecutionReport& other) {
  return one.record.ending.kind == other.record.ending.kind && one.record.degraded_reasons.empty();
}

// Of an input without the clients that have no requests left: threads are numbered anew.
Showing renumbered(Showing showing, const Input& input, const RequestSet& left_out) {
  std::vector<ThreadId> numbers;
  ThreadId next = 0;
  for (const InputClient& client : requests_left(input, left_out).clients) {
    numbers.push_back(client.requests.empty() ? kNoThread : next++);
  }
  const auto gone = static_cast<ThreadId>(numbers.size() - next);
  std::erase_if(showing.choices, [&](const Choice& choice) {
    return choice.thread < numbers.size() && numbers[choice.thread] == kNoThread;
  });
  for (Choice& choice : showing.choices) {
    choice.thread = choice.thread < numbers.size() ? numbers[choice.thread]
                                                   : static_cast<ThreadId>(choice.thread - gone);
  }
  return showing;
}

}  // namespace

Shrunk shrunk_wrong(MutantRuns& runs, size_t glance, const ExecutionReport& wrong) {
  const Input& input = runs.input().input;
  const Showing showing = unfinished_showing(wrong, glance);
  const RequestSet begun = begun_in(wrong.record.stamps);
  const RequestSet stood = in_two_clients(input, unanswered_in(wrong.record.stamps));
  for (const RequestSet& wanted : {stood, with_earlier(stood), begun}) {
    const RequestSet left_out = all_but(input, with_endings(input, wanted));
    if (left_out.empty()) break;
    for (size_t number = 0; number < kShrinkTries; ++number) {
      const ExecutionReport report = runs.reduced(showing, left_out, number);
      if (!ends_alike(report, wrong)) continue;
      return {without(input, left_out),
              renumbered(unfinished_showing(report, glance), input, left_out)};
    }
  }
  return {input, showing};
}

Input shrunk(MutantRuns& runs, const Showing& showing, const Features& kept_for) {
  return Shrinking(runs, showing, kept_for).run();
}

}  // namespace esox
