// SPDX-License-Identifier: Apache-2.0
// Is what broke on one server the finding's bug, as it shows there? A patch that mends half of a
// bug, and a release in which it has moved, show it by another face: the client that is told wrong
// is the other one, only the state is wrong and no reply any more. So the cause alone
// (analysis/cause.h) is too narrow a question to be answered with "fixed".
//
// The *family* of a finding are the violations of its own input that triage would file with it
// (harness/records/triage/signature.h), or that differ from serial orders in one of the places in
// which it does, in the same direction. What differs between builds - offsets in functions, source
// lines - counts for nothing. Taking two bugs for one costs a "still there" too much; the other way
// round it would cost a "fixed".
#pragma once

#include <map>
#include <set>
#include <string>

#include "analysis/finding.h"
#include "harness/hunt/judge.h"
#include "harness/records/triage/signature.h"

namespace esox {

class Family {
 public:
  explicit Family(const Finding& finding);

  // False of what is no violation.
  bool has(const Judged& judged);

 private:
  bool is_alike(const std::string& cause);

  Finding finding_;
  Signature signature_;
  std::set<std::string> places_;
  std::map<std::string, bool> known_;  // by cause
};

// Of its class and with its very cause?
bool breaks_alike(const Judged& judged, const Finding& finding);

// The cause without what differs between builds: offsets within functions, source lines.
std::string cause_across_builds(const std::string& cause);

}  // namespace esox
