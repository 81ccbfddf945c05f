// SPDX-License-Identifier: Apache-2.0
// What a client's session has at a place among its requests, as far as the grammar says what
// requests give and end: an open transaction, prepared statements, locked tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inputs/generation/grammar.h"
#include "inputs/generation/recognition.h"

namespace esox {

// The type that ends by itself before a request that ends a transaction
// (RequestLanguage::ends_transaction_first).
inline constexpr const char* kTransactionType = "transaction";

// Whether its requests need anything of their session.
bool uses_session(const Grammar& grammar, const Production& production);

class SessionItems {
 public:
  explicit SessionItems(const Grammar& grammar) : grammar_(&grammar) {}

  // Whether some request of the production makes sense now.
  bool admit(const Production& production) const;
  // Whether this one does; `bindings` are its own.
  bool admit(const Production& production, const Bindings& bindings) const;
  // What the session has after it; null: a request of which nothing is known.
  void pass(const Production* production, const Bindings& bindings, std::string_view text);

  // Of the type, the name empty where it has none; `of`: the owner, of which slots for parts are.
  std::vector<const Holding*> of_type(std::string_view type) const;
  bool has(std::string_view type, std::string_view name = {}) const;

 private:
  void end(const std::string& type, std::string_view name);

  const Grammar* grammar_;
  Holdings items_;
};

}  // namespace esox
