// SPDX-License-Identifier: Apache-2.0
// One request at a place of an input that is being made, or a whole input's worth of them.
#pragma once

#include <optional>
#include <string>

#include "inputs/generation/filling.h"
#include "inputs/generation/making_help.h"
#include "inputs/generation/templates.h"

namespace esox {

class Composer {
 public:
  Composer(const Grammar& grammar, const Templates& templates, const Holdings& holdings,
           const MakingHelp& help, uint64_t now, Rng& random);

  // A request for the client's place, in the session that the client's earlier requests leave.
  // `beside`: not empty: it is to meet this request rather than those of other clients, and to be
  // of another kind. `last`: it begins nothing that is to be brief. Nothing: there is none.
  std::optional<Request> request_for(const Input& input, size_t client, size_t place,
                                     std::string_view beside = {}, bool last = false);
  // The next one of a client that is being made.
  std::optional<Request> next_for(const Input& input, size_t client, bool last);
  // All of the sequence for a client that has nothing yet. False: the setup has nothing for some of
  // it; nothing was added.
  bool follow(Input& input, size_t client, const Sequence& sequence) const;
  // One for the client's end that ends what is to be brief; nothing: there is nothing to end.
  std::optional<Request> closing(const Input& input, size_t client) const;
  // One for the client's beginning that gives its session something; nothing: there is none.
  std::optional<Request> opening(const Input& input, size_t client) const;
  // The same by the production of `text`, known or learnt from it.
  std::optional<Request> again(const Input& input, size_t client, size_t place,
                               std::string_view text);
  // By this production.
  std::optional<Request> by(const Production& production, const Surroundings& surroundings,
                            const SessionItems& session) const;

  SessionItems session_at(const InputClient& client, size_t place) const;
  // `own`: it is to meet the client's own requests, too.
  Surroundings around(const Input& input, size_t client, std::string_view beside = {},
                      bool own = false) const;

  // Before their requests, those clients that others name do what the grammar says, and no others.
  void prepare_named(Input& input) const;
  // Leaves out what its session does not admit, and clients that are empty then; mostly ends what
  // is to be brief, where there is room. False: fewer than two clients are left, or it is beyond
  // the limits.
  bool mend(Input& input) const;

  Rng& random() { return random_; }
  const Templates& templates() const { return templates_; }
  uint64_t now() const { return now_; }

 private:
  // The client's next request by one of the step's; nothing: none of them can be made there.
  std::optional<Request> next_of(const Input& input, size_t client, const SequenceStep& step) const;
  bool is_brief(const std::string& type) const;
  bool begins_brief(const Production& production) const;
  // How much a request of this kind is wanted among those of the other clients.
  double wanted(const Input& input, size_t client, const std::string& kind) const;

  const Grammar& grammar_;
  const Templates& templates_;
  Holdings holdings_;
  const MakingHelp& help_;
  uint64_t now_;
  Rng& random_;
};

// Product of (requests + 1) over the clients.
size_t states_of(const Input& input);
bool is_within_limits(const Input& input);

}  // namespace esox
