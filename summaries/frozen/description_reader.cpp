// SPDX-License-Identifier: Apache-2.0
// See description.h. Which keys there are, for users: docs/reading-a-frozen-server.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text/input_error.h"
#include "base/text/number.h"
#include "base/text/spelling.h"
#include "base/yaml/document.h"
#include "base/yaml/fields.h"
#include "summaries/frozen/description.h"
#include "summaries/frozen/errors.h"

namespace esox {
namespace {

constexpr size_t kMostComponents = 256;
constexpr size_t kMostFields = 64;
constexpr size_t kMostNameBytes = 100;

using Keys = std::span<const std::string_view>;

constexpr std::string_view kFileKeys[] = {"constants", "components"};
constexpr std::string_view kComponentKeys[] = {"name",    "kind",      "meaning", "unit",
                                               "element", "container", "repeat",  "let",
                                               "where",   "key",       "fields",  "limit"};
constexpr std::string_view kRepeatKeys[] = {"name", "count", "where"};
constexpr std::string_view kFieldKeys[] = {"integer", "enum", "real", "string", "bytes", "length"};
constexpr std::string_view kIntegerKeys[] = {"integer", "names"};
constexpr std::string_view kFieldKinds[] = {"integer", "enum", "real", "string", "bytes"};
constexpr std::string_view kKinds[] = {"set", "multiset", "map", "sequence"};
constexpr std::string_view kMeanings[] = {"content", "damage", "derived"};
constexpr std::string_view kContainerKinds[] = {"value", "array", "list", "ring", "hash", "tree"};

// What each kind of container may say; the first `required` of them it must.
struct ContainerKeys {
  std::array<std::string_view, 8> keys;
  size_t required;
  Keys all() const {
    const auto end = std::ranges::find(keys, std::string_view());
    return {keys.begin(), end};
  }
};
constexpr std::array<ContainerKeys, 6> kContainerKeys = {{
    {{"kind", "root"}, 2},
    {{"kind", "root", "count"}, 2},
    {{"kind", "root", "next", "previous", "tail", "type", "link"}, 3},
    {{"kind", "root", "next", "previous", "type", "link"}, 3},
    {{"kind", "root", "next", "count", "head", "type", "link"}, 3},
    {{"kind", "root", "left", "right", "type", "link"}, 4},
}};

bool is_identifier(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, fits);
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  StructureDescriptions file(const Node& node) const {
    const Fields fields(node, file_, "a description", kFileKeys);
    StructureDescriptions all;
    all.file = file_;
    if (const Node* constants = fields.find("constants")) read_constants(*constants, all.constants);
    const Node& list = fields.require("components", "describe at least one under 'components:'");
    for (const NodePtr& item : fields.list(list, "components")) {
      if (all.components.size() == kMostComponents) {
        fail(item->line, fmt::format("more than {} components; split the file", kMostComponents));
      }
      add(all, component(*item));
    }
    if (all.components.empty()) fail(list.line, "'components' is empty; describe at least one");
    return all;
  }

 private:
  [[noreturn]] void fail(int line, const std::string& message) const {
    throw InputError(file_, line, message);
  }

  void add(StructureDescriptions& all, ComponentDescription component) const {
    for (const ComponentDescription& other : all.components) {
      if (other.name != component.name) continue;
      fail(component.line, fmt::format("name {} is already used on line {}; choose another",
                                       in_quotes(component.name), other.line));
    }
    all.components.push_back(std::move(component));
  }

  const std::string& text(const Node& node, std::string_view what) const {
    if (node.kind == Node::Kind::kText) return node.text;
    fail(node.line, fmt::format("{} must be a text, not {}; put quotes around it if it holds ': ' "
                                "or ' #', or begins with *, &, ! or '{{'",
                                what, kind_name(node.kind)));
  }

  int64_t number(const Node& node, std::string_view what) const {
    const std::string& written = text(node, what);
    const bool minus = written.starts_with("-");
    std::string_view digits = std::string_view(written).substr(minus ? 1 : 0);
    const bool hex = digits.starts_with("0x");
    if (hex) digits.remove_prefix(2);
    const auto value = number_of<uint64_t>(digits, hex ? 16 : 10);
    if (!value) {
      fail(node.line, fmt::format("{} must be a whole number, not {}", what, in_quotes(written)));
    }
    return static_cast<int64_t>(minus ? 0 - *value : *value);
  }

  size_t choice(const Node& node, std::string_view what, Keys known) const {
    const std::string& word = text(node, what);
    const auto found = std::ranges::find(known, word);
    if (found != known.end()) return static_cast<size_t>(found - known.begin());
    fail(node.line,
         fmt::format("unknown {} {}{}", what, in_quotes(word), spelling_hint(word, known)));
  }

  void read_constants(const Node& node, std::map<std::string, int64_t>& constants) const {
    if (node.kind != Node::Kind::kMapping) {
      fail(node.line, "'constants' must be a mapping, as in {ITEM_LINKED: 1}");
    }
    for (const Field& field : node.fields) {
      identifier(field.key, field.line, "a constant");
      constants[field.key] = number(*field.value, fmt::format("constant '{}'", field.key));
    }
  }

  void identifier(const std::string& name, int line, std::string_view what) const {
    if (is_identifier(name) && name.size() <= kMostNameBytes) return;
    fail(line, fmt::format("{} is named {}; use letters, digits and '_'", what, in_quotes(name)));
  }

  Written expression(const Node& node, std::string_view what) const {
    try {
      return {parse_expression(text(node, what)), node.line};
    } catch (const FrozenError& error) {
      fail(node.line, fmt::format("{}: {}", what, error.what()));
    }
  }

  Written expression_at(const Fields& fields, std::string_view key) const {
    const Node* node = fields.find(key);
    if (node == nullptr) return {};
    return expression(*node, fmt::format("'{}' of {}", key, fields.object()));
  }

  MemberPath path_at(const Fields& fields, std::string_view key) const {
    const Node* node = fields.find(key);
    if (node == nullptr) return {};
    MemberPath path;
    std::string_view rest = text(*node, fmt::format("'{}' of {}", key, fields.object()));
    for (bool more = true; more;) {
      const size_t dot = rest.find('.');
      more = dot != std::string_view::npos;
      path.emplace_back(rest.substr(0, dot));
      if (!is_identifier(path.back())) {
        fail(node->line, fmt::format("'{}' of {} must be a member's name, as in next or links.next",
                                     key, fields.object()));
      }
      if (more) rest.remove_prefix(dot + 1);
    }
    return path;
  }

  std::string component_name(const Fields& fields) const {
    const Node& node = fields.require("name", "add 'name: ...'");
    const std::string& name = text(node, "the name of a component");
    const auto is_plain = [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view("._-:{}").find(c) != std::string_view::npos;
    };
    if (name.empty() || name.size() > kMostNameBytes || !std::ranges::all_of(name, is_plain)) {
      fail(node.line, fmt::format("name {}: use up to {} letters, digits, '.', '_', '-' and ':'",
                                  in_quotes(name), kMostNameBytes));
    }
    return name;
  }

  ComponentDescription component(const Node& node) const {
    const Fields fields(node, file_, object_name(node, "component"), kComponentKeys);
    ComponentDescription made;
    made.name = component_name(fields);
    made.line = node.line;
    made.kind = static_cast<ComponentKind>(choice(
        fields.require("kind", "say 'kind: set', multiset, map or sequence"), "kind", kKinds));
    if (const Node* meaning = fields.find("meaning")) {
      made.meaning = static_cast<ComponentMeaning>(choice(*meaning, "meaning", kMeanings));
    }
    if (const Node* unit = fields.find("unit")) made.unit = text(*unit, "'unit'");
    if (const Node* element = fields.find("element")) {
      made.element = text(*element, "'element'");
      identifier(made.element, element->line, "the element");
    }
    made.container = container(fields.require("container", "say where the elements are"), fields);
    read_repeat(fields, made);
    read_let(fields, made);
    made.where = expression_at(fields, "where");
    made.key = field_list(fields, "key");
    made.fields = field_list(fields, "fields");
    read_limit(fields, made);
    check(fields, made);
    return made;
  }

  void check(const Fields& fields, const ComponentDescription& made) const {
    const bool is_map = made.kind == ComponentKind::kMap;
    if (is_map && made.key.empty()) {
      fail(made.line, fmt::format("{} is a map without a 'key'; say which fields tell its elements "
                                  "apart",
                                  fields.object()));
    }
    if (!is_map && !made.key.empty()) {
      fail(made.line,
           fmt::format("{} has a 'key' and is no map; move it to 'fields'", fields.object()));
    }
    if (!is_map && made.fields.empty()) {
      fail(made.line,
           fmt::format("{} has no 'fields'; say what counts of an element", fields.object()));
    }
    const bool names_it = made.name.find("{" + made.repeat.name + "}") != std::string::npos;
    if (!made.repeat.name.empty() && !names_it) {
      fail(made.line, fmt::format("{} is repeated; write {{{}}} in its name, so that the names "
                                  "differ",
                                  fields.object(), made.repeat.name));
    }
    if (made.repeat.name.empty() && made.name.find_first_of("{}") != std::string::npos) {
      fail(made.line, fmt::format("{} has braces in its name and no 'repeat'", fields.object()));
    }
  }

  ContainerDescription container(const Node& node, const Fields& component) const {
    const std::string object = "the container of " + component.object();
    if (node.kind != Node::Kind::kMapping) {
      fail(node.line, fmt::format("{} must be a mapping, as in {{kind: list, root: head, next: "
                                  "next}}",
                                  object));
    }
    const Node* kind_node = nullptr;
    for (const Field& field : node.fields) {
      if (field.key == "kind") kind_node = field.value.get();
    }
    if (kind_node == nullptr) {
      fail(node.line, object + " has no 'kind'; it is value, array, list, ring, hash or tree");
    }
    ContainerDescription made;
    made.kind =
        static_cast<ContainerKind>(choice(*kind_node, "kind of container", kContainerKinds));
    const ContainerKeys& keys = kContainerKeys[static_cast<size_t>(made.kind)];
    const Fields fields(node, file_, object + ", a " + text(*kind_node, "kind"), keys.all());
    for (size_t i = 0; i < keys.required; ++i) {
      (void)fields.require(keys.keys[i], fmt::format("add '{}: ...'", keys.keys[i]));
    }
    made.root = expression_at(fields, "root");
    made.count = has(keys, "count") ? expression_at(fields, "count") : Written{};
    made.tail = has(keys, "tail") ? expression_at(fields, "tail") : Written{};
    made.head = path_at(fields, "head");
    made.next = path_at(fields, "next");
    made.previous = path_at(fields, "previous");
    made.left = path_at(fields, "left");
    made.right = path_at(fields, "right");
    made.link = path_at(fields, "link");
    if (const Node* type = fields.find("type")) made.type = text(*type, "'type'");
    if (!made.link.empty() && made.type.empty()) {
      fail(node.line, fmt::format("{} has a 'link' and no 'type'; say what type of element the "
                                  "link is a member of",
                                  object));
    }
    return made;
  }

  static bool has(const ContainerKeys& keys, std::string_view key) {
    const Keys all = keys.all();
    return std::ranges::find(all, key) != all.end();
  }

  void read_repeat(const Fields& fields, ComponentDescription& made) const {
    const Node* node = fields.find("repeat");
    if (node == nullptr) return;
    const Fields repeat(*node, file_, "the 'repeat' of " + fields.object(), kRepeatKeys);
    const Node& name = repeat.require("name", "name the number, as in 'name: id'");
    made.repeat.name = text(name, "'name'");
    identifier(made.repeat.name, name.line, "a repeat");
    (void)repeat.require("count", "say how often, as in 'count: 256'");
    made.repeat.count = expression_at(repeat, "count");
    made.repeat.where = expression_at(repeat, "where");
  }

  void read_let(const Fields& fields, ComponentDescription& made) const {
    const Node* node = fields.find("let");
    if (node == nullptr) return;
    if (node->kind != Node::Kind::kMapping) {
      fail(node->line,
           fmt::format("'let' of {} must be a mapping from names to expressions", fields.object()));
    }
    for (const Field& field : node->fields) {
      identifier(field.key, field.line, "a name of 'let'");
      made.let.emplace_back(field.key,
                            expression(*field.value, fmt::format("'{}' of 'let'", field.key)));
    }
  }

  std::vector<FieldDescription> field_list(const Fields& fields, std::string_view key) const {
    std::vector<FieldDescription> list;
    const Node* node = fields.find(key);
    if (node == nullptr) return list;
    for (const NodePtr& item : fields.list(*node, key)) {
      if (list.size() == kMostFields) {
        fail(item->line, fmt::format("more than {} fields in '{}'", kMostFields, key));
      }
      list.push_back(field(*item, fields, key));
    }
    return list;
  }

  FieldDescription field(const Node& node, const Fields& component, std::string_view key) const {
    const std::string object = fmt::format("a field in '{}' of {}", key, component.object());
    FieldDescription made;
    if (node.kind == Node::Kind::kText) {  // the short form: "- it->flags"
      made.value = expression(node, object);
      return made;
    }
    const bool is_integer =
        std::ranges::any_of(node.fields, [](const Field& one) { return one.key == "integer"; });
    const Fields fields(node, file_, object, is_integer ? Keys(kIntegerKeys) : Keys(kFieldKeys));
    std::string_view found;
    for (size_t i = 0; i < std::size(kFieldKinds); ++i) {
      if (fields.find(kFieldKinds[i]) == nullptr) continue;
      if (!found.empty()) fail(node.line, object + " is of two kinds; make two of it");
      found = kFieldKinds[i];
      made.kind = static_cast<FieldKind>(i);
    }
    if (found.empty()) {
      fail(node.line, object + " says not what it is: integer, enum, real, string or bytes");
    }
    made.value = expression_at(fields, found);
    if (is_integer) {
      read_names(fields, made);
      return made;
    }
    made.length = expression_at(fields, "length");
    const bool ranged = made.kind == FieldKind::kString || made.kind == FieldKind::kBytes;
    if (made.kind == FieldKind::kBytes && !made.length) {
      fail(node.line, object + " has 'bytes' without a 'length'");
    }
    if (!ranged && made.length) {
      fail(node.line, fmt::format("{} has a 'length', which '{}' has not", object, found));
    }
    return made;
  }

  void read_names(const Fields& fields, FieldDescription& made) const {
    const Node* node = fields.find("names");
    if (node == nullptr) return;
    if (node->kind != Node::Kind::kMapping) {
      fail(node->line, "'names' must be a mapping from numbers to names, as in {0: closed}");
    }
    for (const Field& one : node->fields) {
      Node written;
      written.kind = Node::Kind::kText;
      written.line = one.line;
      written.text = one.key;
      made.names[number(written, "a number of 'names'")] = text(*one.value, "a name of 'names'");
    }
  }

  void read_limit(const Fields& fields, ComponentDescription& made) const {
    const Node* node = fields.find("limit");
    if (node == nullptr) return;
    const int64_t limit = number(*node, "'limit'");
    if (limit < 1 || limit > static_cast<int64_t>(kMostElements)) {
      fail(node->line, fmt::format("'limit' must be from 1 to {}", kMostElements));
    }
    made.limit = static_cast<uint64_t>(limit);
  }

  const std::string& file_;
};

}  // namespace

StructureDescriptions parse_structures(std::string_view yaml, const std::string& file) {
  const std::vector<NodePtr> documents = parse_documents(yaml, file);
  if (documents.size() != 1) {
    throw InputError(file, 0, "must hold one description; see docs/reading-a-frozen-server.md");
  }
  return Reader(file).file(*documents.front());
}

}  // namespace esox
