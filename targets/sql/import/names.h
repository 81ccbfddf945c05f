// SPDX-License-Identifier: Apache-2.0
// Names in a statement's text, and what the text alone says about the objects it uses.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "targets/sql/import/access.h"
#include "targets/sql/tokens.h"

namespace esox {

// Names that are seen anywhere in a test, so that later a mere word is known for one.
struct KnownNames {
  std::set<std::string> tables;                 // "test.t1"; views too
  std::set<std::string> routines;               // "test.p1", in small letters
  std::map<std::string, std::string> triggers;  // "test.tr1": "test.t1"
};

// Notes what a CREATE creates.
void learn_names(std::string_view text, const std::string& database, KnownNames& known);

// What the text names. `writes`: what does not plainly only read writes all tables it names; else
// it reads them, but for what it defines.
Accesses named_accesses(std::string_view text, const std::string& database, const KnownNames& known,
                        bool writes);

}  // namespace esox
