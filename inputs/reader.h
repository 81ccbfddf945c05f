// SPDX-License-Identifier: Apache-2.0
// Reads inputs from YAML files and folders of them. The format: docs/writing-inputs.md.
//
// All or nothing: either every input of every file is returned, checked, or InputError is thrown
// (file, line, what, remedy) and nothing has happened. Only who gives a place for it (`refused`)
// gets the others of a list in which one is wrong, as a hunt does: of a thousand inputs one typing
// error must not cost a night. Safe on any bytes. Not thread-safe in the one sense that files may
// change under it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/input_error.h"
#include "inputs/input.h"
#include "inputs/languages.h"

namespace esox {

// A file is read as it is; a folder for all its *.yaml and *.yml, recursively, hidden ones left
// out, in the order of their paths. A file that is named twice is read once. Ids are unique over
// the whole result. Not empty.
std::vector<Input> read_inputs(const std::vector<std::filesystem::path>& files_or_folders,
                               const Languages& languages,
                               std::vector<InputError>* refused = nullptr);
std::vector<Input> read_inputs(const std::filesystem::path& file_or_folder,
                               const Languages& languages);

// The same from a text in memory; `name` stands for the file in messages and origins.
std::vector<Input> parse_inputs(std::string_view yaml, const std::string& name,
                                const Languages& languages);

}  // namespace esox
