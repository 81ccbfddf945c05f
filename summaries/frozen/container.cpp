// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/container.h"

#include <fmt/format.h>

#include "summaries/frozen/errors.h"

namespace esox {

ContainerWalk::ContainerWalk(const ContainerDescription& container, uint64_t limit,
                             Evaluator& evaluator, OnElement on_element, OnBroken on_broken)
    : container_(container),
      limit_(limit),
      evaluator_(evaluator),
      on_element_(std::move(on_element)),
      on_broken_(std::move(on_broken)) {}

void ContainerWalk::walk() {
  using Walk = ContainerWalk;
  static constexpr void (Walk::*kWalks[])() = {// by kind
                                               &Walk::walk_value, &Walk::walk_array,
                                               &Walk::walk_list,  &Walk::walk_ring,
                                               &Walk::walk_hash,  &Walk::walk_tree};
  (this->*kWalks[static_cast<size_t>(container_.kind)])();
}

// As the description says, or of an array whose type tells it.
uint64_t ContainerWalk::count_of(const Value& root) {
  if (container_.count) return evaluator_.number(evaluator_.evaluate(*container_.count.expression));
  (void)evaluator_.load(root);  // says so if nothing is known of it
  if (root.in_memory && root.type != nullptr && root.type->kind == TypeKind::kArray &&
      root.type->count) {
    return *root.type->count;
  }
  throw FrozenError("how many elements it has is not in its type; say 'count'");
}

void ContainerWalk::count_one() {
  if (++elements_ > limit_) {
    throw FrozenError(fmt::format("it has more than {} elements; raise its 'limit'", limit_));
  }
}

std::string ContainerWalk::latest() const {
  return elements_ == 0 ? "the root" : fmt::format("element {}", elements_);
}

Value ContainerWalk::at(const Type* type, uint64_t address, const MemberPath& path) {
  Value value = place_value(type, address);
  for (const std::string& name : path) value = evaluator_.member(value, name);
  return value;
}

uint64_t ContainerWalk::link_at(const Type* node, uint64_t address, const MemberPath& path) {
  return evaluator_.number(at(node, address, path));
}

uint64_t ContainerWalk::link_offset() {
  if (container_.link.empty()) return 0;
  return at(evaluator_.type_named(container_.type), 0, container_.link).address;
}

// What the links lead to: what the root does, or the elements themselves, or a member of theirs.
const Type* ContainerWalk::node_type(const Value& root) {
  if (!container_.link.empty()) {
    return at(evaluator_.type_named(container_.type), 0, container_.link).type;
  }
  if (!container_.type.empty()) return evaluator_.type_named(container_.type);
  const Value loaded = evaluator_.load(root);
  if (loaded.type == nullptr || loaded.type->kind != TypeKind::kPointer ||
      loaded.type->target == nullptr || loaded.type->target->kind == TypeKind::kVoid) {
    throw FrozenError("its root is no pointer to a struct; say the elements' 'type'");
  }
  return loaded.type->target;
}

void ContainerWalk::give(const Type* node, uint64_t address, uint64_t index) {
  const Type* element = container_.type.empty() ? node : evaluator_.type_named(container_.type);
  on_element_(pointer_value(evaluator_.program().pointer_to(element), address - link_offset()),
              index);
}

void ContainerWalk::walk_value() {
  count_one();
  on_element_(evaluator_.evaluate(*container_.root.expression), 0);
}

void ContainerWalk::walk_array() {
  const Value root = evaluator_.evaluate(*container_.root.expression);
  const uint64_t count = count_of(root);
  if (count > limit_) {
    throw FrozenError(
        fmt::format("it has {} elements, more than {}; raise its 'limit'", count, limit_));
  }
  const uint64_t walked = evaluator_.checks() ? 1 : count;
  for (uint64_t i = 0; i < walked; ++i) {
    count_one();
    on_element_(evaluator_.element(root, i), i);
  }
}

bool ContainerWalk::is_met(uint64_t node, const std::string& whence) {
  const auto [known, fresh] = met_.try_emplace(node, elements_ + 1);
  if (fresh) return false;
  on_broken_(fmt::format("{} leads to element {} again", whence, known->second));
  return true;
}

void ContainerWalk::check_previous(const Chain& chain, uint64_t node, uint64_t before) {
  if (container_.previous.empty()) return;
  if (link_at(chain.node, node, container_.previous) != before) {
    on_broken_(fmt::format("the link back from element {} leads elsewhere", elements_));
  }
}

void ContainerWalk::follow(Chain& chain) {
  uint64_t before = chain.before;
  for (uint64_t node = chain.first; node != chain.end || evaluator_.checks();) {
    if (is_met(node, latest())) return;
    const std::string whence = latest();
    uint64_t next = 0;
    try {
      next = link_at(chain.node, node, container_.next);
      count_one();
      give(chain.node, node, chain.index);
      check_previous(chain, node, before);
    } catch (const Unreadable&) {
      on_broken_(fmt::format("{} leads to memory that is not there", whence));
      return;
    }
    chain.last = before = node;
    node = next;
    if (evaluator_.checks()) break;
  }
  chain.whole = true;
}

void ContainerWalk::walk_list() {
  const Value root = evaluator_.evaluate(*container_.root.expression);
  Chain chain;
  chain.node = node_type(root);
  chain.first = evaluator_.number(evaluator_.load(root));
  follow(chain);
  if (!container_.tail) return;
  const uint64_t tail = evaluator_.number(evaluator_.evaluate(*container_.tail.expression));
  if (chain.whole && tail != chain.last) {
    on_broken_(fmt::format("the tail is not {}", chain.last == 0 ? "null" : latest()));
  }
}

// The root is the link that all others hang on, or a pointer to it.
void ContainerWalk::walk_ring() {
  const Value root = evaluator_.evaluate(*container_.root.expression);
  Chain chain;
  const bool is_place =
      root.in_memory && root.type != nullptr && root.type->kind == TypeKind::kStruct;
  const Value own = is_place ? root : evaluator_.dereference(root);
  chain.end = chain.before = evaluator_.address_of(own);
  chain.node = container_.link.empty() && container_.type.empty() ? own.type : node_type(root);
  chain.first = link_at(own.type, chain.end, container_.next);
  follow(chain);
  if (chain.whole && !container_.previous.empty() && !evaluator_.checks() &&
      link_at(own.type, chain.end, container_.previous) !=
          (chain.last == 0 ? chain.end : chain.last)) {
    on_broken_(fmt::format("the root's link back does not lead to {}", latest()));
  }
}

// Buckets are brought at once, then what their heads lead to.
void ContainerWalk::walk_hash() {
  const Value root = evaluator_.evaluate(*container_.root.expression);
  const uint64_t count = count_of(root);
  if (count > kMostElements) {
    throw FrozenError(fmt::format("it has {} buckets, more than {}", count, kMostElements));
  }
  std::vector<std::pair<uint64_t, uint64_t>> heads;  // bucket, first node
  const Type* node = nullptr;
  const uint64_t walked = evaluator_.checks() ? 1 : count;
  for (uint64_t i = 0; i < walked; ++i) {
    Value bucket = evaluator_.element(root, i);
    for (const std::string& name : container_.head) bucket = evaluator_.member(bucket, name);
    if (node == nullptr) node = node_type(bucket);
    const uint64_t first = evaluator_.number(bucket);
    if (first != 0 || evaluator_.checks()) heads.emplace_back(i, first);
  }
  std::vector<uint64_t> addresses;
  addresses.reserve(heads.size());
  for (const auto& [bucket, first] : heads) addresses.push_back(first);
  evaluator_.memory().prefetch(addresses);
  for (const auto& [bucket, first] : heads) {
    Chain chain;
    chain.node = node;
    chain.first = first;
    chain.index = bucket;
    follow(chain);
  }
}

// In order, without recursion: what hangs to the left waits on the stack.
void ContainerWalk::walk_tree() {
  const Value root = evaluator_.evaluate(*container_.root.expression);
  const Type* type = node_type(root);
  uint64_t node = evaluator_.number(evaluator_.load(root));
  if (evaluator_.checks()) {
    (void)link_at(type, 0, container_.left);
    (void)link_at(type, 0, container_.right);
    return give(type, 0, 0);
  }
  std::vector<uint64_t> open;
  while (node != 0 || !open.empty()) {
    try {
      while (node != 0) {
        if (open.size() == kMostTreeDepth) {
          throw FrozenError(fmt::format("the tree is deeper than {}", kMostTreeDepth));
        }
        if (is_met(node, "a branch")) break;
        const uint64_t left = link_at(type, node, container_.left);
        (void)link_at(type, node, container_.right);  // whether it is there, too
        open.push_back(node);
        node = left;
      }
    } catch (const Unreadable&) {
      on_broken_(fmt::format("a branch after {} leads to memory that is not there", latest()));
    }
    if (open.empty()) return;
    const uint64_t here = open.back();
    open.pop_back();
    count_one();
    met_[here] = elements_;
    give(type, here, 0);
    node = link_at(type, here, container_.right);
  }
}

}  // namespace esox
