// SPDX-License-Identifier: Apache-2.0
// The storage engine of an input whose statements name one themselves (ENGINE=MyISAM), where an
// input made for several has ${engine}.
//
// Lexical, with the limits of statement.h. Cautious: for a rule that is meant for one engine, an
// engine that is not known is none (filters/circumstances.h).
#pragma once

#include <span>
#include <string>

#include "inputs/input.h"

namespace esox {

// As the server spells it (Aria, MyISAM, InnoDB, ...; as written if it is none of those), if all
// tables that the setup and the requests make are of it; a table without ENGINE is of the server's
// default, which --default-storage-engine among `options` (all that it is started with) sets. Empty
// if there are several, or none, or if a statement's text is put together elsewhere, is more than
// one, or sets another default.
std::string named_engine(const Input& input, std::span<const std::string> options);

}  // namespace esox
