// SPDX-License-Identifier: Apache-2.0
// Makes inputs that nobody wrote: by a grammar (grammar.h), out of what the server holds after a
// setup (../holdings.h), and out of other inputs.
//
// An input made has 2 to kMostMadeClients clients with 1 to kMostMadeRequests requests each, the
// product of (requests + 1) at most kMostMadeStates: so many states have its serial orders. A
// client's request mostly names what another client's names: inputs whose clients never meet teach
// nothing. What a request needs of its session (a prepared statement, an open transaction) an
// earlier request of the client has given, in inputs made from nothing and in mutated ones alike.
//
// No I/O, no clock. What comes out follows from the arguments, from what was taught and learnt
// before, and from the random numbers. The ids of inputs made are kMadeId, for the caller to
// replace. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "inputs/generation/limits.h"
#include "inputs/generation/making_help.h"
#include "inputs/generation/mutation.h"
#include "inputs/generation/template_rate.h"
#include "inputs/holdings.h"
#include "inputs/input.h"
#include "preload/strategy/rng.h"

namespace esox {

struct Grammar;
class Templates;

class Maker {
 public:
  explicit Maker(std::shared_ptr<const Grammar> grammar);
  ~Maker();

  // An input without clients: setup and server options. What it holds has to be asked then.
  Input setup(Rng& random) const;

  // Clients over `setup`, an input with or without clients of its own. Nothing: the grammar has
  // no requests for what the setup holds.
  std::optional<Input> fresh(const Input& setup, const Holdings& holdings, const MakingHelp& help,
                             Rng& random);
  // Nothing: this mutation is not possible here. The result differs from the member.
  std::optional<Input> mutate(Mutation how, const Input& member, const Holdings& holdings,
                              const MakingHelp& help, Rng& random);

  // Whether a client ends without giving back what others wait for (kHeldType), as far as its
  // requests are known.
  bool ends_held(const Input& input) const;

  // Makes templates of those of the input's requests that the grammar does not know. In the same
  // order, the same templates.
  void teach(const Input& input, const Holdings& holdings);

  // How a request ended, made or not.
  void learn(std::string_view request, bool succeeded);
  // What was learnt, for a later maker; of templates that were tried.
  std::vector<TemplateRate> rates() const;
  void restore(std::span<const TemplateRate> rates, uint64_t made);
  uint64_t made() const { return made_; }  // inputs

 private:
  std::shared_ptr<const Grammar> grammar_;
  std::unique_ptr<Templates> templates_;
  uint64_t made_ = 0;
};

}  // namespace esox
