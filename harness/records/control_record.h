// SPDX-License-Identifier: Apache-2.0
// The settings of the control as a finding keeps them: name -> value, so that a replay, years
// later, runs under the same ones whatever the defaults are by then.
#pragma once

#include <map>
#include <string>

#include "harness/engine/control.h"

namespace esox {

std::map<std::string, std::string> control_record(const ControlSettings& settings);

// Names that are missing keep their default. Throws FindingError for a name it does not know and
// for a value that is no number; `file` is for the message.
ControlSettings control_from_record(const std::map<std::string, std::string>& record,
                                    const std::string& file);

// Beside them stands whether threads of the server's own were scheduled, which is each input's own.
void note_contexts(std::map<std::string, std::string>& record, bool contexts);
bool had_contexts(const std::map<std::string, std::string>& record);

}  // namespace esox
