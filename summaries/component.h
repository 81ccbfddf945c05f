// SPDX-License-Identifier: Apache-2.0
// The state summary: named components, each a set, multiset, map or sequence of elements.
//
// A component that could not be taken says why in `unavailable`; such a component is never equal to
// anything, so an execution with one is degraded for it rather than silently judged.
//
// The digest is a function of the kind and of all elements' keys and values, nothing else: made
// again from the same elements it is the same. Make components with make_component, or with
// ComponentBuilder where there may be more elements than one wants to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "summaries/digest.h"

namespace esox {

// A cache is a map that is free not to hold what it could: after an execution it may lack what a
// serial order leaves in it (P. Fonseca, Effective testing for concurrency bugs, 2015), and only
// what it holds besides counts.
enum class ComponentKind { kSet, kMultiset, kMap, kSequence, kCache };

// One element, decoded for a reader. In a map `key` identifies the element; elsewhere it is empty.
struct Element {
  std::string key;
  std::string value;
  bool operator==(const Element&) const = default;
  auto operator<=>(const Element&) const = default;  // NOLINT(modernize-use-nullptr)
};

// What a difference from every serial order means.
enum class ComponentMeaning {
  kContent,  // what requests left: which order they were done in shows here
  // Every order leaves the same in a sound server: it tells where two structures disagree, or what
  // was left over. So a difference is damage even where no serial order can be asked.
  kDamage,
  kDerived,  // follows from content, or differs with any order: answers, logs
  // Damage, too, but what sessions hold is part of it: one that is waited for may let go of that
  // (MySQL's HANDLER), and an order of whole requests in which somebody waits cannot be executed.
  kHeld,
};

constexpr bool is_damage(ComponentMeaning meaning) {
  return meaning == ComponentMeaning::kDamage || meaning == ComponentMeaning::kHeld;
}

struct Component {
  std::string name;  // "rows:test.t1", "tables", "check:test.t1", "binlog", "answer:SELECT ..."
  ComponentKind kind = ComponentKind::kMultiset;
  Digest digest;                  // of all elements, by kind
  std::vector<Element> elements;  // in the order taken; for sequences this order counts
  std::string unavailable;        // empty, or why it could not be taken
  uint64_t count = 0;  // of all elements; more than elements.size() where not all are listed
  ComponentMeaning meaning = ComponentMeaning::kContent;
};

struct StateSummary {
  std::vector<Component> components;  // sorted by name, names unique
  const Component* find(const std::string& name) const;
};

// Equal under the component's kind; false if either is unavailable.
bool same(const Component& a, const Component& b);

// "set", "multiset", "map", "sequence", "cache".
const char* name_of(ComponentKind kind);
// "content", "damage", "derived", "held".
const char* name_of(ComponentMeaning meaning);

// How many elements a component lists at most, unless told otherwise.
inline constexpr size_t kListedElements = 1000;

// Collects the elements of one component; the digest covers all of them, the list the first
// `listed` of a sequence and, of the other kinds, all or (past the limit) the `listed` smallest, so
// that what is listed never depends on the order of arrival.
// A set counts equal elements once. A map's keys must be unique: a second value for a key makes the
// component unavailable, for one of the two would be lost.
class ComponentBuilder {
 public:
  ComponentBuilder(std::string name, ComponentKind kind, size_t listed = kListedElements);
  void add(Element element);
  void add(std::string value) { add(Element{"", std::move(value)}); }
  void fail(std::string reason);  // it could not be taken; the first reason stays
  Component build() &&;

 private:
  bool is_repeated(const Element& element, const Digest& digest);
  void list(Element element);

  struct DigestHash {
    size_t operator()(const Digest& digest) const { return digest.low; }
  };
  Component component_;
  size_t listed_;
  BagDigest bag_;
  SequenceDigest sequence_;
  std::unordered_set<Digest, DigestHash> seen_;  // elements of a set, keys of a map
  bool heaped_ = false;                          // elements are a max-heap of the smallest
};

// A component of exactly these elements, all listed.
Component make_component(std::string name, ComponentKind kind, std::vector<Element> elements);

// The component with other elements, all listed.
Component remade(const Component& component, ComponentKind kind, std::vector<Element> elements);

// A component that could not be taken.
Component unavailable_component(std::string name, ComponentKind kind, std::string reason);

// Sorts by name; equal names become "name", "name #2", ...
StateSummary make_summary(std::vector<Component> components);

// ---- Which components the state of a kind of server can have: data that each target gives, for
// those who must know without a server at hand.

struct ComponentFacts {
  std::string_view name;  // a wildcard: "rows:*"
  ComponentMeaning meaning = ComponentMeaning::kContent;
  bool has_keys = false;  // it may be a map or a cache
  bool ordered = false;   // it may be a sequence
  // For people: "the binary log"; of a wildcard what goes before its part: "the rows of ". Empty:
  // the name will do.
  std::string_view words = {};
};

// The replies to an input's observations, as text protocols have them: rows in their order.
inline constexpr ComponentFacts kObservationFacts = {.name = "observation:*",
                                                     .meaning = ComponentMeaning::kDerived,
                                                     .ordered = true,
                                                     .words = "the observation "};

// The first that the name matches; null: nothing is known of it.
const ComponentFacts* facts_of(std::string_view name, std::span<const ComponentFacts> known);

// Of whatever server: what is annotated or described by the tester, and may be of any kind.
std::span<const ComponentFacts> declared_components();

// What the name tells; content where nothing is known of it.
ComponentMeaning meaning_of(std::string_view name, std::span<const ComponentFacts> known);

// Gives all components the meaning that their names tell.
void set_meanings(std::vector<Component>& components, std::span<const ComponentFacts> known);

}  // namespace esox
