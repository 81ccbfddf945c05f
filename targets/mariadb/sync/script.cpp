// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace esox {
namespace {

using StepKind = SyncStep::Kind;
using SegmentUntil = SyncSegment::Until;

class Composer {
 public:
  Composer(const Input& input, const std::vector<SyncSegment>& segments,
           const std::vector<SyncPoint>& points, unsigned limit_s)
      : input_(input),
        segments_(segments),
        points_(points),
        limit_s_(limit_s),
        clients_(input.clients.size()) {}

  SyncScript compose() {
    for (size_t i = 0; i < segments_.size(); ++i) segment(i);
    for (size_t client = 0; client < clients_.size(); ++client) let_go(client);
    script_.released = script_.steps.size();
    for (const size_t client : by_first_segment()) {
      run_until(client, input_.clients[client].requests.size());
    }
    return std::move(script_);
  }

 private:
  struct ClientState {
    size_t next = 0;       // request
    bool pending = false;  // it is sent, and not yet answered
    std::optional<size_t> held_in;
  };

  void segment(size_t i) {
    const SyncSegment& segment = segments_[i];
    ClientState& client = clients_[segment.client];
    if (segment.request < client.next) return;
    run_until(segment.client, segment.request);
    if (client.pending) {
      let_go(segment.client);
    } else if (segment.until != SegmentUntil::kEnd || holds_in(segment.client, segment.request)) {
      send(segment.client);
    }
    if (segment.until == SegmentUntil::kEnd) {
      run_until(segment.client, segment.request + 1);
    } else if (segment.until == SegmentUntil::kBlocked) {
      step(StepKind::kBlocked, segment.client);
    } else {
      wait_until_held(i);
    }
  }

  void step(StepKind kind, size_t client) {
    const size_t request = clients_[client].next;
    script_.steps.push_back({kind, client, input_.clients[client].requests[request].text, request});
  }

  void say(size_t session, std::string text) {
    script_.steps.push_back({StepKind::kSay, session, std::move(text), 0});
  }

  void signal(const std::string& text) { say(kConductor, "SET DEBUG_SYNC= 'now " + text + "'"); }

  void run_until(size_t client, size_t request) {
    ClientState& state = clients_[client];
    while (state.next < request) {
      let_go(client);
      step(state.pending ? StepKind::kReap : StepKind::kRun, client);
      state.pending = false;
      ++state.next;
      say(client, "DO 1");
    }
  }

  void let_go(size_t client) {
    std::optional<size_t>& held_in = clients_[client].held_in;
    if (held_in) signal("SIGNAL " + signal_name(*held_in, "go"));
    held_in.reset();
  }

  bool holds_in(size_t client, size_t request) const {
    return std::any_of(segments_.begin(), segments_.end(), [&](const SyncSegment& one) {
      return one.client == client && one.request == request && one.until == SegmentUntil::kHeld;
    });
  }

  // A session's request has one action at a point; a second one would take the first one's place.
  void send(size_t client) {
    ClientState& state = clients_[client];
    std::vector<std::string> names;
    for (size_t i = 0; i < segments_.size(); ++i) {
      const SyncSegment& one = segments_[i];
      if (one.client != client || one.request != state.next || one.until != SegmentUntil::kHeld)
        continue;
      const SyncPoint& point = point_of(i);
      if (std::find(names.begin(), names.end(), point.name) != names.end()) {
        script_.possible = false;
      }
      names.push_back(point.name);
      const std::string times = point.hit > 1 ? fmt::format(" EXECUTE {}", point.hit) : "";
      say(client, fmt::format("SET DEBUG_SYNC= '{} SIGNAL {} WAIT_FOR {} TIMEOUT {}{}'", point.name,
                              signal_name(i, "held"), signal_name(i, "go"), limit_s_, times));
    }
    step(StepKind::kSend, client);
    state.pending = true;
  }

  void wait_until_held(size_t i) {
    const std::string held =
        fmt::format("WAIT_FOR {} TIMEOUT {}", signal_name(i, "held"), limit_s_);
    for (unsigned hit = 1; hit < point_of(i).hit; ++hit) {
      signal(held);
      signal("SIGNAL " + signal_name(i, "go"));
    }
    signal(held);
    clients_[segments_[i].client].held_in = i;
  }

  const SyncPoint& point_of(size_t segment) const {
    const auto before =
        std::count_if(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(segment),
                      [](const auto& one) { return one.until == SegmentUntil::kHeld; });
    return points_.at(static_cast<size_t>(before));
  }

  // Of its own for each hold: signals are global.
  std::string signal_name(size_t segment, const char* what) const {
    const size_t client = segments_[segment].client;
    size_t number = 0;
    size_t count = 0;
    for (size_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i].client != client || segments_[i].until != SegmentUntil::kHeld) continue;
      ++count;
      if (i <= segment) number = count;
    }
    const std::string& name = input_.clients[client].name;
    return count == 1 ? fmt::format("{}_{}", name, what)
                      : fmt::format("{}_{}_{}", name, what, number);
  }

  std::vector<size_t> by_first_segment() const {
    std::vector<size_t> order;
    const auto add = [&](size_t client) {
      if (std::find(order.begin(), order.end(), client) == order.end()) order.push_back(client);
    };
    for (const SyncSegment& one : segments_) add(one.client);
    for (size_t client = 0; client < clients_.size(); ++client) add(client);
    return order;
  }

  const Input& input_;
  const std::vector<SyncSegment>& segments_;
  const std::vector<SyncPoint>& points_;
  const unsigned limit_s_;
  std::vector<ClientState> clients_;
  SyncScript script_;
};

}  // namespace

std::string request_label(const Input& input, size_t client, size_t request) {
  return fmt::format("{}{}", input.clients[client].name, request + 1);
}

SyncScript sync_script(const Input& input, const std::vector<SyncSegment>& segments,
                       const std::vector<SyncPoint>& points, unsigned limit_s) {
  return Composer(input, segments, points, limit_s).compose();
}

std::vector<SyncSegment> serial_segments(const std::vector<uint16_t>& order) {
  std::vector<SyncSegment> segments;
  segments.reserve(order.size());
  std::map<size_t, size_t> done;
  for (const size_t client : order) {
    segments.push_back({client, done[client]++, SegmentUntil::kEnd, {}});
  }
  return segments;
}

}  // namespace esox
