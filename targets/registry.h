// SPDX-License-Identifier: Apache-2.0
// The servers that this esox knows. Adding one is a line in registry.cpp; a program that links
// esox's rooms and brings a server of its own calls add_target() before anything else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/target.h"

namespace esox {

// In order; the first is what an input is for that names none.
std::span<const Target* const> targets();
const Target& default_target();

// Null: there is none of this name.
const Target* find_target(std::string_view name);
// Throws ServerError with the nearest name.
const Target& target_named(std::string_view name);
// The one whose program is called so; `program`: a path, a folder that holds it, or a name. Where
// several know the name the program is asked. The default where none does.
const Target& target_of(const std::string& program);
// The places of servers that `place` names: itself; or, of a folder that holds no server but others
// that do, those in which one of the family is, by their names. Goes by names of files, asks none.
std::vector<std::string> server_places(const std::string& place, std::string_view family);
// An input of another target of the same family becomes one of this target's, or all become of the
// target of the program (as above, asked once; empty: nothing is done).
void adapt_input(Input& input, const Target& target);
void adapt_inputs(std::span<Input> inputs, const std::string& program);
// "mariadb, memcached"
std::string target_names();

// `target` lives as long as the program. Not beside other threads; a name that is there already is
// a fault of the caller (std::logic_error).
void add_target(const Target& target);

}  // namespace esox
