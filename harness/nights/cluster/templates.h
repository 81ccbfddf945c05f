// SPDX-License-Identifier: Apache-2.0
// The files of templates/ (mustache), which the build puts into the program.
#pragma once

namespace esox {

extern const char* const kKubernetesTemplate;
extern const char* const kSlurmShardTemplate;
extern const char* const kSlurmMergeTemplate;

}  // namespace esox
