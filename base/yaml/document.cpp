// SPDX-License-Identifier: Apache-2.0
// Building the tree. The builder keeps the chain of open lists and mappings; a finished value is
// attached to the innermost. Every node and byte, copies by alias included, is counted against the
// limits at the moment it appears, so the totals never exceed them.
#include "base/yaml/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "base/text/enum_names.h"
#include "base/text/input_error.h"
#include "base/text/utf8.h"
#include "base/yaml/limits.h"

namespace esox {
namespace {

int line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 0 : mark.line + 1;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  // The document just handled; null if it was empty.
  NodePtr take() {
    open_.clear();
    anchors_.clear();
    NodePtr root = std::exchange(root_, nullptr);
    return root && root->kind != Node::Kind::kNull ? root : nullptr;
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_leaf(mark, anchor, Node::Kind::kNull, "");
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    add_leaf(mark, anchor, Node::Kind::kText, value);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(line_of(mark), "an alias stands inside the value it names; write the value out");
    }
    count(line_of(mark), found->second->node_count, found->second->text_bytes);
    attach(found->second, line_of(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Node::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Node::Kind::kMapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor;
    bool expects_key;  // mappings: the next value is a key
  };

  [[noreturn]] void fail(int line, std::string_view message) const {
    throw InputError(file_, line, message);
  }

  void count(int line, size_t nodes, size_t bytes) {
    nodes_ += nodes;
    bytes_ += bytes;
    if (nodes_ > kMaxDocumentNodes || bytes_ > kMaxDocumentBytes) {
      fail(line, fmt::format("the file expands to more than {} values or {} MB of text here; "
                             "use fewer aliases or split the file",
                             kMaxDocumentNodes, kMaxDocumentBytes >> 20));
    }
  }

  void add_leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind,
                const std::string& text) {
    count(line_of(mark), 1, text.size());
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->line = line_of(mark);
    node->text = text;
    node->text_bytes = text.size();
    finish(node, anchor);
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind) {
    const int line = line_of(mark);
    if (open_.size() >= kMaxDocumentDepth) {
      fail(line, fmt::format("lists and mappings are nested deeper than {}; an input needs 5",
                             kMaxDocumentDepth));
    }
    if (!open_.empty() && open_.back().expects_key) fail_key(line);
    count(line, 1, 0);
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->line = line;
    open_.push_back({std::move(node), anchor, kind == Node::Kind::kMapping});
  }

  void close() {
    const Open done = std::move(open_.back());
    open_.pop_back();
    finish(done.node, done.anchor);
  }

  void finish(const NodePtr& node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(node, node->line);
  }

  void attach(const NodePtr& value, int line) {
    if (open_.empty()) {
      root_ = value;
      return;
    }
    Open& parent = open_.back();
    parent.node->node_count += value->node_count;
    parent.node->text_bytes += value->text_bytes;
    if (parent.node->kind == Node::Kind::kList) {
      parent.node->items.push_back(value);
    } else if (parent.expects_key) {
      begin_field(*parent.node, *value, line);
      parent.expects_key = false;
    } else {
      parent.node->fields.back().value = value;
      parent.expects_key = true;
    }
  }

  void begin_field(Node& mapping, const Node& key, int line) {
    if (key.kind != Node::Kind::kText) fail_key(line);
    if (mapping.fields.size() >= kMaxFieldsPerMapping) {
      fail(line, fmt::format("a mapping has more than {} keys", kMaxFieldsPerMapping));
    }
    for (const Field& field : mapping.fields) {
      if (field.key != key.text) continue;
      fail(line, fmt::format("key {} appears twice, first on line {}; remove one",
                             in_quotes(key.text), field.line));
    }
    mapping.fields.push_back({key.text, line, nullptr});
  }

  [[noreturn]] void fail_key(int line) const {
    fail(line, "a key must be a plain word; put quotes around a text that begins with {, [ or ?");
  }

  // More than any mapping of the format has: the linear search for duplicates stays cheap.
  static constexpr size_t kMaxFieldsPerMapping = 1000;

  const std::string& file_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  NodePtr root_;
  size_t nodes_ = 0;
  size_t bytes_ = 0;
};

void check_encoding(std::string_view yaml, const std::string& file) {
  const size_t offset = find_invalid_utf8(yaml);
  if (offset == std::string_view::npos) return;
  const auto newlines =
      std::count(yaml.begin(), yaml.begin() + static_cast<ptrdiff_t>(offset), '\n');
  throw InputError(file, static_cast<int>(newlines) + 1,
                   fmt::format("byte 0x{:02x} is not UTF-8; save the file as UTF-8",
                               static_cast<unsigned char>(yaml[offset])));
}

std::vector<NodePtr> build(std::string_view yaml, const std::string& file) {
  std::istringstream stream{std::string(yaml)};
  YAML::Parser parser(stream);
  TreeBuilder builder(file);
  std::vector<NodePtr> documents;
  while (parser.HandleNextDocument(builder)) {
    if (NodePtr document = builder.take()) documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace

std::vector<NodePtr> parse_documents(std::string_view yaml, const std::string& file) {
  if (yaml.size() > kMaxFileBytes) {
    throw InputError(file, 0, fmt::format("is larger than {} MB; split it", kMaxFileBytes >> 20));
  }
  check_encoding(yaml, file);
  try {
    return build(yaml, file);
  } catch (const YAML::Exception& error) {
    throw InputError(file, line_of(error.mark),
                     fmt::format("is not valid YAML here: {}; check indentation and quotes "
                                 "(a text with ': ' or ' #' in it needs quotes)",
                                 error.msg));
  }
}

std::string_view kind_name(Node::Kind kind) {
  static constexpr const char* kNames[] = {"nothing", "a text", "a list", "a mapping"};
  return name_in(kNames, kind);
}

}  // namespace esox
