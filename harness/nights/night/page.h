// SPDX-License-Identifier: Apache-2.0
// page/night.html, compiled in; its style is that of the reports (harness/records/reports/page.h).
#pragma once

namespace esox {

extern const char* const kNightPage;

}  // namespace esox
