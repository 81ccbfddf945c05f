// SPDX-License-Identifier: Apache-2.0
// What all families of MariaDB's components need: names and texts for statements, and what a reply
// says about the state.
#pragma once

#include <string>
#include <vector>

#include "summaries/component.h"
#include "summaries/outcome.h"
#include "summaries/source.h"
#include "targets/sql/tokens.h"

namespace esox {

// Why `output` cannot be taken as a statement about the state; empty if it can. An error that a
// statement may rightly meet in some state (no such table) says something about that state; a lost
// connection, a missing privilege or exhausted resources do not.
std::string unavailability(const Output& output);

// What begins every component made of one reply: true if there are rows to go through. An error
// that the state causes becomes an element, any other makes the component unavailable.
bool has_rows(const Output& output, ComponentBuilder& builder);

// A component of one reply: `add` is called with each of its rows.
Component component_of_rows(std::string name, ComponentKind kind, const Output& output,
                            const std::function<void(const Row&, ComponentBuilder&)>& add);

// Whether this plugin of the server's is there; it has a table in information_schema.
// Whether the server takes the statement: it knows what it speaks of.
bool takes(const Ask& own, const std::string& statement);
bool has_plugin(const Ask& own, const std::string& name);

// Elements under `key` for what is there and not here; both are sorted.
void add_those_only_in(const std::vector<std::string>& there, const std::vector<std::string>& here,
                       const std::string& key, ComponentBuilder& builder);

std::string quoted_text(const std::string& text);  // 'it\'s'

// Has the server parse a statement now, to be sent as what this gives: EXECUTE, or the statement
// itself if the server would not. Not for statements that name tables: preparing opens them, and
// would change the state from which an execution starts.
std::string prepare(const Ask& own, const std::string& name, const std::string& statement);

// Empty for NULL and for a cell that is not there.
std::string cell(const Row& row, size_t index);

}  // namespace esox
