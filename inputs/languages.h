// SPDX-License-Identifier: Apache-2.0
// The languages that files may speak of requests in: readers are given them, since no file below
// targets/ knows which servers there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"
#include "inputs/request_language.h"

namespace esox {

// Not empty. The first is meant where a file names no server.
using Languages = std::vector<const RequestLanguage*>;

// The language of `server`. Throws InputError with the nearest name if there is none; `file` and
// `line` are for that.
const RequestLanguage& language_of(const Languages& languages, std::string_view server,
                                   const std::string& file = "", int line = 0);

// "INSERT, SELECT | UPDATE": the kinds of each client's requests.
std::string kinds_of(const Input& input);

}  // namespace esox
