// SPDX-License-Identifier: Apache-2.0
// A grammar of requests and setups for one server: data, read by grammar_reader.h, from which
// maker.h makes inputs. What its file says: docs/grammars.md.
//
// Invariants of a grammar that was read: rules do not hold themselves; every slot names a rule or
// a type; what a request needs some request gives; each step of a sequence has requests; limits.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/generation/phrase.h"
#include "inputs/holdings.h"
#include "inputs/request_language.h"

namespace esox {

struct NameType {
  std::string name;
  std::vector<std::string> of;  // types whose names it is a part of: a column of a table or view
  bool in_session = false;      // the server does not hold it; requests of its client gave it
  std::string within;           // it ends with this one of its session: a savepoint
  bool brief = false;           // others wait for its end: the client is to end it
  bool alone = false;           // while its session has one, only requests that need it make sense
};

// What a request needs, gives or ends in its session: something of the type, by the name that the
// request has in this slot, or by none.
struct SessionMark {
  std::string type;
  Phrase name;  // empty: no name; for needs and ends: of any name
};

struct Production {
  std::string name;
  size_t weight = 1;
  Phrase phrase;
  std::vector<SessionMark> needs;
  std::vector<SessionMark> gives;
  std::vector<SessionMark> ends;
  std::vector<std::string> unless;  // types of which its session must have none
  bool defines = false;             // a definition: a name may be one that nothing has
};

// Requests of which one is made.
struct SequenceStep {
  std::vector<std::string> names;  // of requests and of groups
  std::vector<size_t> requests;    // in the grammar's
};

// What one client does from first to last, as an application's transaction is.
struct Sequence {
  std::string name;
  size_t weight = 1;
  std::vector<SequenceStep> steps;
};

struct RequestGroup {
  std::string name;
  std::vector<std::string> requests;
};

struct SetupProduction {
  std::string name;
  size_t weight = 1;
  std::vector<std::string> server_options;
  std::vector<Phrase> statements;  // one that comes out empty is left out
};

struct GrammarRule {
  std::string name;
  std::vector<Phrase> phrases;
};

struct Grammar {
  const RequestLanguage* language = nullptr;
  std::vector<NameType> types;
  Holdings known;                                     // that the server need not be asked for
  std::map<std::string, std::vector<Phrase>> values;  // "int", "new int", "default"
  std::vector<GrammarRule> rules;
  std::vector<SetupProduction> setups;
  std::vector<Production> requests;
  std::vector<RequestGroup> groups;
  std::vector<Sequence> sequences;
  // What a client does before its requests where one of another client names it ({client}).
  std::vector<Phrase> named_clients;

  const NameType* type(std::string_view name) const;  // null: there is none
};

// What stands for a value where nothing is known of its column.
inline constexpr const char* kDefaultValues = "default";

// While a session has something of this type, others wait for it: it should give it back.
inline constexpr const char* kHeldType = "held";

// While a session has something of the type "only table", its requests name no other tables.
inline constexpr const char* kOnly = "only ";

}  // namespace esox
