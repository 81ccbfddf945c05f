// SPDX-License-Identifier: Apache-2.0
// See structure_reader.h.
#include "summaries/frozen/structure_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "summaries/frozen/container.h"
#include "summaries/frozen/element_text.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/evaluator.h"

namespace esox {
namespace {

constexpr const char* kIndex = "index";  // in expressions: an array's position, a hash's bucket

// The elements of one component, as they are met.
class Elements {
 public:
  Elements(const ComponentDescription& component, Evaluator& evaluator)
      : component_(component), evaluator_(evaluator) {}

  void add(const Value& element, uint64_t index) {
    evaluator_.set(component_.element, element);
    evaluator_.set(kIndex, number_value(index));
    ++met_;
    try {
      for (const auto& [name, written] : component_.let) {
        evaluator_.set(name, evaluator_.evaluate(*written.expression));
      }
      if (component_.where && !counts()) return;
    } catch (const Unreadable&) {
      return add_broken(fmt::format("element {} is not there", met_));
    }
    keep({fields_text(component_.key, evaluator_), fields_text(component_.fields, evaluator_)});
  }

  void add_broken(const std::string& what) {
    if (component_.kind != ComponentKind::kMap) return keep({"", fmt::format("({})", what)});
    keep({fmt::format("(broken: {})", what), ""});
  }

  Component build(std::string name) && {
    if (component_.kind == ComponentKind::kMap) number_repeated_keys();
    ComponentBuilder builder(std::move(name), component_.kind);
    for (Element& element : elements_) builder.add(std::move(element));
    Component built = std::move(builder).build();
    built.meaning = component_.meaning;
    return built;
  }

 private:
  bool counts() {
    const Value value = evaluator_.evaluate(*component_.where.expression);
    const bool fits = evaluator_.number(evaluator_.load(value)) != 0;
    return fits || evaluator_.checks();
  }

  void keep(Element element) {
    bytes_ += element.key.size() + element.value.size() + sizeof(Element);
    if (bytes_ > kMostComponentBytes) {
      throw FrozenError(fmt::format("its elements take more than {} MB; count fewer fields",
                                    kMostComponentBytes >> 20));
    }
    elements_.push_back(std::move(element));
  }

  // A key that is there twice is what there is to see: the second is told apart by its number, in
  // the order of the values, for the order in memory does not count.
  void number_repeated_keys() {
    std::sort(elements_.begin(), elements_.end());
    for (size_t begin = 0; begin < elements_.size();) {
      size_t end = begin + 1;
      while (end < elements_.size() && elements_[end].key == elements_[begin].key) ++end;
      for (size_t i = begin + 1; i < end; ++i) {
        elements_[i].key += fmt::format(" (number {})", i - begin + 1);
      }
      begin = end;
    }
  }

  const ComponentDescription& component_;
  Evaluator& evaluator_;
  std::vector<Element> elements_;
  uint64_t met_ = 0;
  uint64_t bytes_ = 0;
};

class StructureReader {
 public:
  StructureReader(const StructureDescriptions& descriptions, Program& program, Memory& memory,
                  bool only_check)
      : descriptions_(descriptions), program_(program), memory_(memory), check_(only_check) {}

  std::vector<Component> read() {
    for (const ComponentDescription& component : descriptions_.components) {
      try {
        read_repeated(component);
      } catch (const FrozenError& error) {
        fail(component, component.name, error.what());
      } catch (const Unreadable& error) {
        fail(component, component.name, error.what());
      }
    }
    return std::move(all_);
  }

 private:
  void fail(const ComponentDescription& component, const std::string& name,
            const std::string& why) {
    all_.push_back(
        unavailable_component(kFrozenPrefix + name, component.kind,
                              fmt::format("{}:{}: {}", descriptions_.file, component.line, why)));
  }

  Evaluator make_evaluator(const ComponentDescription& component) {
    Evaluator evaluator(program_, memory_, descriptions_.constants, component.unit);
    if (check_) evaluator.check_everything();
    return evaluator;
  }

  void read_repeated(const ComponentDescription& component) {
    Evaluator evaluator = make_evaluator(component);
    const RepeatDescription& repeat = component.repeat;
    if (repeat.name.empty()) return read_one(component, component.name, evaluator);
    uint64_t count = evaluator.number(evaluator.evaluate(*repeat.count.expression));
    if (count > kMostRepeats) {
      throw FrozenError(fmt::format("it is repeated {} times, more than {}", count, kMostRepeats));
    }
    if (check_) count = 1;
    for (uint64_t i = 0; i < count; ++i) {
      evaluator.set(repeat.name, number_value(i));
      if (repeat.where) {
        const Value where = evaluator.evaluate(*repeat.where.expression);
        if (evaluator.number(evaluator.load(where)) == 0 && !check_) continue;
      }
      std::string name = component.name;
      const std::string mark = "{" + repeat.name + "}";
      name.replace(name.find(mark), mark.size(), check_ ? mark : std::to_string(i));
      read_one(component, name, evaluator);
    }
  }

  void read_one(const ComponentDescription& component, const std::string& name,
                Evaluator& evaluator) {
    Elements elements(component, evaluator);
    try {
      ContainerWalk walk(
          component.container, component.limit, evaluator,
          [&](const Value& element, uint64_t index) { elements.add(element, index); },
          [&](const std::string& what) { elements.add_broken(what); });
      walk.walk();
    } catch (const Unreadable&) {
      // Where it begins: a fault of the state as well as any other.
      elements.add_broken("its root leads to memory that is not there");
    } catch (const FrozenError& error) {
      return fail(component, name, error.what());
    }
    if (check_) {
      all_.push_back(make_component(kFrozenPrefix + name, component.kind, {}));
    } else {
      all_.push_back(std::move(elements).build(kFrozenPrefix + name));
    }
  }

  const StructureDescriptions& descriptions_;
  Program& program_;
  Memory& memory_;
  bool check_;
  std::vector<Component> all_;
};

}  // namespace

std::vector<Component> read_structures(const StructureDescriptions& descriptions, Program& program,
                                       Memory& memory) {
  return StructureReader(descriptions, program, memory, /*only_check=*/false).read();
}

std::vector<Component> check_structures(const StructureDescriptions& descriptions,
                                        Program& program) {
  ZeroMemory memory;
  return StructureReader(descriptions, program, memory, /*only_check=*/true).read();
}

std::vector<Component> unavailable_structures(const StructureDescriptions& descriptions,
                                              const std::string& why) {
  std::vector<Component> all;
  for (const ComponentDescription& component : descriptions.components) {
    all.push_back(unavailable_component(kFrozenPrefix + component.name, component.kind, why));
  }
  return all;
}

}  // namespace esox
