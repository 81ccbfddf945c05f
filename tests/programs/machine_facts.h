// SPDX-License-Identifier: Apache-2.0
// What kernel, C library and machine tell a program that asks, all that docs/machine.md lists: one
// name and one value each. Equal executions have to see equal values.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace machine {

using Facts = std::vector<std::pair<std::string, std::string>>;

// Files in the current folder, which all_facts() looks at: before what is to be compared.
void make_files();

// Makes and removes files of its own. By one thread at a time.
Facts all_facts();

}  // namespace machine
