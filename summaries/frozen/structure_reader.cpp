// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/structure_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/mapped.h"
#include "summaries/frozen/container.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/evaluator.h"
#include "summaries/render.h"

namespace esox {
namespace {

constexpr const char* kIndex = "index";  // in expressions: an array's position, a hash's bucket

// ---- What counts of an element, as text: exact, for digests are made of it, and readable. The
// same texts as annotated_state.h gives, so that the two can be compared.

// As in esox_summary.h: longer ones are shown by their beginning, length and digest.
constexpr size_t kShownBytes = 96;
constexpr size_t kBeginningBytes = 32;
constexpr size_t kStringStep = 64;  // bytes looked at together for a NUL
constexpr const char* kUnreadable = "(unreadable)";

std::string bytes_text(const std::string& bytes) {
  if (bytes.size() <= kShownBytes) return quoted_bytes(bytes);
  return fmt::format("{}... ({} bytes, {})", quoted_bytes(bytes.substr(0, kBeginningBytes)),
                     bytes.size(), hex(digest_of(bytes)));
}

// Where bytes or a string begin: what a pointer leads to, or the place itself.
uint64_t begin_of(const Value& value, Evaluator& evaluator) {
  const Value loaded = evaluator.load(value);
  if (!loaded.in_memory) return evaluator.number(loaded);
  return evaluator.address_of(loaded);
}

std::string read_bytes(uint64_t begin, uint64_t length, Evaluator& evaluator) {
  if (evaluator.checks()) return {};  // lengths computed of zeros mean nothing
  if (length > kMostFieldBytes) {
    throw FrozenError(fmt::format("a field has {} bytes, more than {}", length, kMostFieldBytes));
  }
  std::string bytes(length, '\0');
  if (length > 0 && !evaluator.memory().read(begin, bytes.data(), length)) throw Unreadable();
  return bytes;
}

// Up to its NUL. Memory may end right behind that, so what is read never crosses a block's end.
std::string read_string(uint64_t begin, Evaluator& evaluator) {
  std::string text;
  while (text.size() <= kMostFieldBytes) {
    const uint64_t at = begin + text.size();
    std::string part(kStringStep - at % kStringStep, '\0');
    if (!evaluator.memory().read(at, part.data(), part.size())) throw Unreadable();
    const size_t end = part.find('\0');
    text += part.substr(0, end);
    if (end != std::string::npos) return text;
  }
  throw FrozenError(fmt::format("a string has no end within {} bytes", kMostFieldBytes));
}

std::string integer_text(const FieldDescription& field, const Value& value, Evaluator& evaluator) {
  const Value loaded = evaluator.load(value);
  const uint64_t number = evaluator.number(loaded);
  const auto named = field.names.find(static_cast<int64_t>(number));
  if (named != field.names.end()) return quoted_bytes(named->second);
  return loaded.is_unsigned ? fmt::format("{}", number)
                            : fmt::format("{}", static_cast<int64_t>(number));
}

// A name of the debug information, which may be anybody's file.
std::string plain_name(const std::string& name) {
  const bool plain = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; });
  return plain ? name : quoted_bytes(name);
}

std::string enum_text(const Value& value, Evaluator& evaluator) {
  const Value loaded = evaluator.load(value);
  if (loaded.type == nullptr || loaded.type->kind != TypeKind::kEnum) {
    throw FrozenError("a field of kind 'enum' is none; use 'integer', with 'names' if need be");
  }
  const auto number = static_cast<int64_t>(evaluator.number(loaded));
  const auto& all = loaded.type->enumerators;
  const auto found = std::ranges::find(all, number, &Enumerator::value);
  return found != all.end() ? plain_name(found->name) : fmt::format("({})", number);
}

std::string text_of(const FieldDescription& field, Evaluator& evaluator) {
  const Value value = evaluator.evaluate(*field.value.expression);
  switch (field.kind) {
    case FieldKind::kInteger:
      return integer_text(field, value, evaluator);
    case FieldKind::kEnum:
      return enum_text(value, evaluator);
    case FieldKind::kReal:
      return fmt::format("{}", evaluator.real(value));
    case FieldKind::kString:
      if (!field.length) return bytes_text(read_string(begin_of(value, evaluator), evaluator));
      [[fallthrough]];
    case FieldKind::kBytes: {
      const uint64_t length = evaluator.number(evaluator.evaluate(*field.length.expression));
      return bytes_text(read_bytes(begin_of(value, evaluator), length, evaluator));
    }
  }
  return kUnreadable;
}

// "'key', 7, conn_read": the fields in their order. What lies in memory that is not there reads
// (unreadable). Throws FrozenError.
std::string fields_text(const std::vector<FieldDescription>& fields, Evaluator& evaluator) {
  std::string text;
  for (const FieldDescription& field : fields) {
    if (!text.empty()) text += ", ";
    try {
      text += text_of(field, evaluator);
    } catch (const Unreadable&) {
      text += kUnreadable;
    } catch (const FrozenError& error) {
      throw FrozenError(fmt::format("{} (line {})", error.what(), field.value.line));
    }
  }
  return text;
}

// ---- Components

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
    std::ranges::sort(elements_);
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
  return mapped<Component>(descriptions.components, [&](const ComponentDescription& component) {
    return unavailable_component(kFrozenPrefix + component.name, component.kind, why);
  });
}

}  // namespace esox
