// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/key_slice.h"

#include <algorithm>
#include <set>
#include <utility>

namespace esox {
namespace {

bool is_idle(const SentRequest& sent) {
  return sent.is("version") || sent.is("verbosity") || sent.is("mn");
}

bool share_key(const SentRequest& a, const SentRequest& b) {
  if (is_idle(a) || is_idle(b)) return false;
  return a.uses_all() || b.uses_all() ||
         std::ranges::any_of(a.request.keys, [&](const std::string& key) { return b.names(key); });
}

// What has to be there before the members: a backward slice over keys.
class KeySlicer {
 public:
  KeySlicer(const std::vector<SentRequest>& all, const Candidate& candidate) : all_(all) {
    for (const std::vector<size_t>& client : candidate.clients) {
      for (const size_t i : client) need(all[i]);
    }
  }

  // `before`: what came before the members, ascending.
  std::vector<size_t> run(const std::vector<size_t>& before) {
    for (auto i = before.rbegin(); i != before.rend() && !nothing_matters_; ++i) look_at(*i);
    std::ranges::reverse(taken_);
    return std::move(taken_);
  }

 private:
  void need(const SentRequest& sent) {
    everything_ = everything_ || sent.uses_all();
    for (const std::string& key : sent.request.keys) {
      needed_.insert(key);
      forgotten_.erase(key);
    }
  }

  bool is_needed(const std::string& key) const {
    return !forgotten_.contains(key) && (everything_ || needed_.contains(key));
  }

  bool gives_wanted_unique(const SentRequest& sent) {
    if (!gives_unique(sent.request)) return false;
    return std::ranges::any_of(sent.request.keys, [&](const std::string& key) {
      return uniques_.erase({sent.session, key}) > 0;
    });
  }

  void look_at(size_t i) {
    const SentRequest& sent = all_[i];
    // A server begins empty.
    if (sent.is("flush_all") && sent.request.words.size() == 1) {
      nothing_matters_ = true;
      return;
    }
    const bool changes =
        sent.writes() &&
        (sent.uses_all() || std::ranges::any_of(sent.request.keys, [&](const std::string& key) {
           return is_needed(key);
         }));
    if (!changes && !gives_wanted_unique(sent)) return;
    if (removes_item(sent.request)) return forget(sent);
    taken_.push_back(i);
    if (replaces_item(sent.request)) return forget(sent);
    need(sent);
    if (compares_unique(sent.request)) uniques_.insert({sent.session, sent.request.keys.front()});
  }

  // What a key was before it was set or deleted does not matter.
  void forget(const SentRequest& sent) {
    needed_.erase(sent.request.keys.front());
    forgotten_.insert(sent.request.keys.front());
  }

  const std::vector<SentRequest>& all_;
  std::vector<size_t> taken_;
  std::set<std::string> needed_;
  std::set<std::string> forgotten_;
  std::set<std::pair<size_t, std::string>> uniques_;  // asked for by a `cas` that was taken
  bool everything_ = false;
  bool nothing_matters_ = false;
};

}  // namespace

bool SentRequest::writes() const {
  return changes_items(request);
}

bool SentRequest::names(const std::string& key) const {
  return std::ranges::find(request.keys, key) != request.keys.end();
}

bool conflict(const SentRequest& a, const SentRequest& b) {
  return (a.writes() || b.writes()) && share_key(a, b);
}

std::vector<size_t> key_slice(const std::vector<SentRequest>& all, const Candidate& candidate,
                              const std::vector<size_t>& before) {
  return KeySlicer(all, candidate).run(before);
}

}  // namespace esox
