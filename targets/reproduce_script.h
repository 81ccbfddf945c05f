// SPDX-License-Identifier: Apache-2.0
// The script that plays a reproducer on a plain server (templates/reproduce.py says how).
#pragma once

namespace esox {

extern const char* const kReproduceScript;

}  // namespace esox
