// SPDX-License-Identifier: Apache-2.0
// Walks over a container in memory: the elements in their order, and in words what is broken.
//
// A link that leads nowhere, a list that goes round, a back link to somewhere else are properties
// of the state: a fault may have left them so. They are told by the elements' numbers, never by
// addresses, so that equal states give equal texts. Beyond the limits, and where the description
// does not fit the types, FrozenError is thrown.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "summaries/frozen/description.h"
#include "summaries/frozen/evaluator.h"

namespace esox {

class ContainerWalk {
 public:
  // The element's value: of an array the element itself, else a pointer to it (null of a list's
  // head is no element). `index`: in an array the position, in a hash table the bucket.
  using OnElement = std::function<void(const Value& element, uint64_t index)>;
  using OnBroken = std::function<void(std::string what)>;

  ContainerWalk(const ContainerDescription& container, uint64_t limit, Evaluator& evaluator,
                OnElement on_element, OnBroken on_broken);

  void walk();

 private:
  void walk_value();
  void walk_array();
  void walk_list();
  void walk_ring();
  void walk_hash();
  void walk_tree();

  struct Chain {
    const Type* node = nullptr;  // what the links lead to
    uint64_t first = 0;
    uint64_t end = 0;  // where it ends: 0, or a ring's own link
    uint64_t before = 0;
    uint64_t index = 0;
    uint64_t last = 0;   // out
    bool whole = false;  // out: it came to its end
  };
  void follow(Chain& chain);
  bool is_met(uint64_t node, const std::string& whence);
  void check_previous(const Chain& chain, uint64_t node, uint64_t before);
  uint64_t link_at(const Type* node, uint64_t address, const MemberPath& path);
  Value at(const Type* type, uint64_t address, const MemberPath& path);
  void give(const Type* node, uint64_t address, uint64_t index);
  const Type* node_type(const Value& root);
  uint64_t link_offset();
  uint64_t count_of(const Value& root);
  void count_one();
  std::string latest() const;

  const ContainerDescription& container_;
  uint64_t limit_;
  Evaluator& evaluator_;
  OnElement on_element_;
  OnBroken on_broken_;
  std::unordered_map<uint64_t, uint64_t> met_;  // node -> its element's number
  uint64_t elements_ = 0;
};

}  // namespace esox
