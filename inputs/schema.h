// SPDX-License-Identifier: Apache-2.0
// The format's keys: which mapping becomes what. Described for users in docs/writing-inputs.md.
//
// One document is one of three things, told apart by a key:
//   inputs: [...]     a list of inputs
//   generate: ...     a generator of inputs (pairs.h)
//   otherwise         one input
#pragma once

#include <string>
#include <vector>

#include "base/text/input_error.h"
#include "base/yaml/document.h"
#include "base/yaml/fields.h"
#include "inputs/input.h"
#include "inputs/languages.h"
#include "inputs/pairs.h"

namespace esox {

// All inputs of one document, generators expanded. `file` is for messages and origins. Ids are
// unique within a generator only. Throws InputError; what is wrong with one of a list of inputs
// goes into `refused` instead, if there is one, and the others are returned.
std::vector<Input> inputs_of_document(const Node& document, const std::string& file,
                                      const Languages& languages,
                                      std::vector<InputError>* refused = nullptr);

// Parts. A client without a name is called by its place: A, B, ...
std::vector<InputClient> clients_of(const Fields& input, const std::string& file,
                                    const RequestLanguage& language);
Generator generator_of(const Node& node, const std::string& file, const Languages& languages);

}  // namespace esox
