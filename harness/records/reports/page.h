// SPDX-License-Identifier: Apache-2.0
// The files of page/, compiled in: an installed esox needs no other file for its report.
#pragma once

namespace esox {

extern const char* const kPage;         // page.html, of the whole report
extern const char* const kFindingPage;  // finding.html, of one finding
extern const char* const kPageStyle;    // style.css
extern const char* const kPageScript;   // behaviour.js

}  // namespace esox
