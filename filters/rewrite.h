// SPDX-License-Identifier: Apache-2.0
// What a rule does: it changes one place of an execution and the same place of a serial order, so
// that differences it names are gone and all others are still there. Who applies it compares the
// two again, by the same comparison as without rules; so a rule cannot forgive what it did not
// change.
//
// `included` is all or nothing for each result or component: if one side's rows are contained in
// the other's (in their order, where it counts), they are made equal; else nothing is touched.
#pragma once

#include "filters/rule.h"
#include "summaries/outcome.h"

namespace esox {

enum class Rewriting {
  kNone,       // the rule has nothing to say here
  kDone,       // something was changed; perhaps the same on both sides
  kUndecided,  // it would apply, but elements are not all listed, or a text is too long or costly
};

// The rule must be one for replies.
Rewriting rewrite_reply(const Rule& rule, Output& concurrent, Output& serial);

// The rule must be one for components. Both sides are available. A rule that ignores a component as
// a whole is for the caller: it needs no look at it (ignores_all).
Rewriting rewrite_component(const Rule& rule, Component& concurrent, Component& serial);

// Whether a reply tells of a failure that the rule tolerates: by its error, or in a row.
bool tells_of_failure(const Rule& rule, const Output& output);

// Whether it ignores every element of the components it names.
bool ignores_all(const Rule& rule);

}  // namespace esox
