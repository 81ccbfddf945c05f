// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/session_items.h"

#include <algorithm>

namespace esox {
namespace {

// What stands in the mark's slot; empty: the mark has none.
std::string_view name_in(const SessionMark& mark, const Bindings& bindings) {
  if (mark.name.empty()) return {};
  const Piece& wanted = mark.name.front();
  for (const auto& [piece, text] : bindings) {
    if (piece->kind == wanted.kind && piece->text == wanted.text &&
        piece->letter == wanted.letter && piece->number == wanted.number) {
      return text;
    }
  }
  return {};
}

bool is_needed_by(const Production& production, const std::string& type) {
  return std::ranges::any_of(production.needs,
                             [&](const SessionMark& mark) { return mark.type == type; }) ||
         std::ranges::any_of(production.phrase, [&](const Piece& piece) {
           return piece.kind == Piece::Kind::kName && !piece.is_new && piece.text == type;
         });
}

}  // namespace

bool uses_session(const Grammar& grammar, const Production& production) {
  return !production.needs.empty() ||
         std::ranges::any_of(production.phrase, [&](const Piece& piece) {
           return piece.kind == Piece::Kind::kName && !piece.is_new &&
                  grammar.type(piece.text)->in_session;
         });
}

bool SessionItems::has(std::string_view type, std::string_view name) const {
  return std::ranges::any_of(items_, [&](const Holding& item) {
    return item.type == type && (name.empty() || item.name == name);
  });
}

std::vector<const Holding*> SessionItems::of_type(std::string_view type) const {
  std::vector<const Holding*> found;
  for (const Holding& item : items_) {
    if (item.type == type) found.push_back(&item);
  }
  return found;
}

bool SessionItems::admit(const Production& production) const {
  for (const SessionMark& mark : production.needs) {
    if (!has(mark.type)) return false;
  }
  for (const Piece& piece : production.phrase) {
    if (piece.kind != Piece::Kind::kName || piece.is_new) continue;
    if (grammar_->type(piece.text)->in_session && !has(piece.text)) return false;
  }
  for (const std::string& type : production.unless) {
    if (has(type)) return false;
  }
  return std::ranges::all_of(items_, [&](const Holding& item) {
    const NameType* type = grammar_->type(item.type);
    return type == nullptr || !type->alone || is_needed_by(production, item.type);
  });
}

bool SessionItems::admit(const Production& production, const Bindings& bindings) const {
  if (!admit(production)) return false;
  for (const SessionMark& mark : production.needs) {
    if (!has(mark.type, name_in(mark, bindings))) return false;
  }
  return std::ranges::all_of(bindings, [&](const auto& one) {
    const auto& [piece, text] = one;
    if (piece->kind != Piece::Kind::kName || piece->is_new) return true;
    const std::string only = kOnly + piece->text;
    if (has(only) && !has(only, text)) return false;
    return !grammar_->type(piece->text)->in_session || has(piece->text, text);
  });
}

void SessionItems::end(const std::string& type, std::string_view name) {
  std::erase_if(items_, [&](const Holding& item) {
    return item.type == type && (name.empty() || item.name == name);
  });
  if (has(type)) return;
  for (const NameType& inner : grammar_->types) {
    if (inner.within == type) end(inner.name, {});
  }
}

void SessionItems::pass(const Production* production, const Bindings& bindings,
                        std::string_view text) {
  if (grammar_->language->ends_transaction_first(text)) end(kTransactionType, {});
  if (production == nullptr) return;
  for (const SessionMark& mark : production->ends) end(mark.type, name_in(mark, bindings));
  for (const SessionMark& mark : production->gives) {
    const std::string name(name_in(mark, bindings));
    if (has(mark.type, name)) continue;
    const bool is_owner = !mark.name.empty() && !mark.name.front().is_new;
    items_.push_back({mark.type, name, is_owner ? name : "", ""});
  }
  for (const auto& [piece, bound] : bindings) {
    if (piece->kind != Piece::Kind::kName || !piece->is_new || has(piece->text, bound)) continue;
    items_.push_back({piece->text, std::string(bound), "", ""});
  }
}

}  // namespace esox
