// SPDX-License-Identifier: Apache-2.0
// Fatal signals: before the server's own handler runs, the crash is written to the control block
// and the process stops for a moment, so that the harness can take every thread's stack.
#pragma once

namespace esox {

// Installs our handler for the fatal signals; called by the constructor. Later sigaction() and
// signal() calls of the server for these signals are remembered, and run after ours.
void watch_fatal_signals();

}  // namespace esox
