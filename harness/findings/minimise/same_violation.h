// SPDX-License-Identifier: Apache-2.0
// Does a smaller input break as the whole one does? By their causes (analysis/cause.h), in which
// the same must stand: the class, latent or not; the manner in which each reply differs, of the
// requests that are left; each component that differs, and how; signal and frames of a crash;
// the waits of a deadlock; who did not finish. What the whole one's cause says of requests that
// were taken away does not count; a reply that differs in the smaller one alone does.
//
// Pure.
#pragma once

#include <map>
#include <string>

namespace esox {

// "A1" -> "A3": what a request of the smaller input is called in the whole one.
using RequestNames = std::map<std::string, std::string>;

bool same_violation(const std::string& whole_cause, const std::string& smaller_cause,
                    const RequestNames& names);

}  // namespace esox
