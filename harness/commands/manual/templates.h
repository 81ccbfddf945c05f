// SPDX-License-Identifier: Apache-2.0
// The files of templates/ (mustache), which the build puts into the program.
#pragma once

namespace esox {

extern const char* const kBashTemplate;
extern const char* const kZshTemplate;
extern const char* const kPageTemplate;

}  // namespace esox
