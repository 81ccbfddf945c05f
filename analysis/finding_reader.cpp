// SPDX-License-Identifier: Apache-2.0
// finding.yaml, read. Strict: an unknown or missing key, a wrong type or a file that was cut off is
// an error with file and line; nothing is guessed, for a replay must be of exactly what was found.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "analysis/finding_fields.h"
#include "base/text/input_error.h"
#include "base/text/number.h"
#include "filters/known_servers.h"

namespace esox {
namespace finding_yaml {
namespace {

using YAML::Node;

constexpr const char* kRemedy = "restore the file from where it was written, or hunt again";

class Reader {
 public:
  Reader(std::string file, const KnownServers& servers)
      : file_(std::move(file)), servers_(servers) {}

  Finding finding(const Node& root) {
    check_format(root);
    if (!root["end"] || text(root["end"]) != "finding") {
      fail(root, "the last line 'end: finding' is missing, so the file was cut off");
    }
    Finding finding;
    read(root, finding);
    check_shape(root, finding);
    return finding;
  }

 private:
  // Of one mapping. What is unknown or missing is said once all its keys are known.
  class Fields {
   public:
    Fields(Reader& reader, const Node& node) : in_(reader), node_(node) {
      if (!node.IsMap()) in_.fail(node, "expected keys and values here");
    }
    void finish() const {
      for (const auto& entry : node_) {
        const std::string name = in_.text(entry.first);
        if (std::ranges::find(known_, name) == known_.end()) {
          in_.fail(entry.first, fmt::format("unknown key '{}'", name));
        }
      }
      if (missing_ != nullptr) in_.fail(node_, fmt::format("the key '{}' is missing", missing_));
    }

    void operator()(const char* name, auto& value, LineStyle /*style*/ = kLines) {
      if (need(name)) in_.read(node_[name], value);
    }
    void optional(const char* name, auto& value, LineStyle /*style*/ = kLines) {
      if (find(name)) in_.read(node_[name], value);
    }
    void optional(const char* name, std::optional<std::string>& value) {  // null is no text
      if (find(name)) value = in_.text(node_[name]);
    }
    void group(const char* name, const auto& body) {
      if (need(name)) in_.mapping(node_[name], body);
    }
    void derived(const char* name, const auto& /*get*/) { find(name); }
    void check(const char* key, const auto& wrong) {
      if (missing_ != nullptr) return;  // which finish() says
      if (const std::string why = wrong(); !why.empty()) in_.fail(node_[key], why);
    }
    void lines(const char* name, std::string& block) {
      std::vector<std::string> list;
      (*this)(name, list);
      for (const std::string& line : list) block += line + '\n';
    }
    void language(const char* name, const RequestLanguage*& language) {
      language = find(name) ? in_.server(node_[name]).language : in_.servers_.front().language;
      in_.components_ = server_of(in_.servers_, language->server()).all_components();
    }
    // In a file of before it was kept: what the server says.
    void meaning(const char* name, Component& part) {
      part.meaning = meaning_of(part.name, in_.components_);
      optional(name, part.meaning);
    }

   private:
    bool find(const char* name) {
      known_.emplace_back(name);
      return static_cast<bool>(node_[name]);
    }
    bool need(const char* name) {
      const bool there = find(name);
      if (!there && missing_ == nullptr) missing_ = name;
      return there;
    }

    Reader& in_;
    const Node node_;
    std::vector<std::string_view> known_;
    const char* missing_ = nullptr;
  };

  [[noreturn]] void fail(const Node& node, const std::string& what) const {
    const YAML::Mark mark = node.Mark();
    throw FindingError(
        fmt::format("{}:{}: {}; {}", file_, mark.is_null() ? 1 : mark.line + 1, what, kRemedy));
  }

  void check_format(const Node& root) {
    if (!root.IsMap()) fail(root, "this is not a finding: expected keys such as 'format' and 'id'");
    if (!root["format"]) fail(root, "the key 'format' is missing");
    int format = 0;
    read(root["format"], format);
    if (format != kFindingFormat) {
      fail(
          root["format"],
          fmt::format("format {} is unknown, this esox reads format {}: use the esox that wrote it",
                      format, kFindingFormat));
    }
  }

  // References between the parts that a replay relies on.
  void check_shape(const Node& root, const Finding& finding) const {
    const size_t clients = finding.input.input.clients.size();
    if (clients == 0) fail(root["input"], "the input has no clients");
    for (const FindingOrder& row : finding.orders) {
      for (uint16_t client : row.order) {
        if (client >= clients) fail(root["orders"], fmt::format("there is no client {}", client));
      }
      for (const RequestId& id : row.without) {
        const bool is_there = id.client < row.outcome.outputs.size() &&
                              id.request < row.outcome.outputs[id.client].size() &&
                              id.client < finding.outcome.outputs.size() &&
                              id.request < finding.outcome.outputs[id.client].size();
        if (row.infeasible.empty() && !is_there) {
          fail(root["orders"], fmt::format("client {} has no request {}", id.client, id.request));
        }
      }
    }
    uint32_t last = 0;
    for (const Choice& choice : finding.choices) {
      if (choice.point < last) fail(root["schedule"], "the choices' points do not ascend");
      last = choice.point;
    }
  }

  const KnownServer& server(const Node& node) const {
    try {
      return server_of(servers_, text(node));
    } catch (const InputError& unknown) {
      fail(node, unknown.message());
    }
  }

  Node sequence(const Node& node) const {  // by value: range-for keeps it alive
    if (!node.IsSequence()) fail(node, "expected a list here");
    return node;
  }

  std::string text(const Node& node) const {
    if (!node.IsScalar()) fail(node, "expected a text here");
    if (node.Tag() != "tag:yaml.org,2002:binary") return node.Scalar();
    const std::vector<unsigned char> bytes = YAML::DecodeBase64(node.Scalar());
    if (bytes.empty() && !node.Scalar().empty()) fail(node, "this is not base64");
    return {bytes.begin(), bytes.end()};
  }

  void mapping(const Node& node, const auto& body) {
    Fields all(*this, node);
    body(all);
    all.finish();
  }

  void read(const Node& node, std::string& value) { value = text(node); }
  void read(const Node& node, bool& value) {
    const std::string word = text(node);
    if (word != "true" && word != "false") {
      fail(node, fmt::format("expected true or false, not '{}'", word));
    }
    value = word == "true";
  }
  void read(const Node& node, Number auto& value) {
    const std::string digits = text(node);
    const auto number = number_of<std::remove_reference_t<decltype(value)>>(digits);
    if (!number) fail(node, fmt::format("'{}' is not a number that fits here", digits));
    value = *number;
  }
  template <Word T>
  void read(const Node& node, T& value) {
    const std::string name = text(node);
    const Words<T> words = words_of(T{});
    for (int i = 0; i <= static_cast<int>(words.last); ++i) {
      value = static_cast<T>(i);
      if (name == words.name(value)) return;
    }
    fail(node, "unknown " + fmt::format(fmt::runtime(words.what), name));
  }
  void read(const Node& node, OpKind& kind) { kind = kind_from_text(text(node)); }
  void read(const Node& node, Digest& to) {
    const std::string digits = text(node);
    const char* middle = digits.data() + 16;
    if (digits.size() != 32 || std::from_chars(digits.data(), middle, to.high, 16).ptr != middle ||
        std::from_chars(middle, middle + 16, to.low, 16).ptr != middle + 16) {
      fail(node, fmt::format("'{}' is not a digest of 32 hexadecimal digits", digits));
    }
  }
  void read(const Node& node, Packed& numbers) {
    if (!unpack(text(node), kMaxKeptOperations, numbers)) {
      fail(node, "this is no list of operations by their names' places");
    }
  }
  void read(const Node& node, std::optional<std::string>& value) {
    if (!node.IsNull()) value = text(node);
  }
  void read(const Node& node, Element& element) {
    if (!node.IsSequence() || node.size() < 1 || node.size() > 2) {
      fail(node, "expected [value] or [key, value] here");
    }
    if (node.size() == 2) element.key = text(node[0]);
    element.value = text(node[node.size() - 1]);
  }
  void read(const Node& node, std::map<std::string, std::string>& all) {
    if (!node.IsMap()) fail(node, "expected keys and values here");
    for (const auto& entry : node) all[text(entry.first)] = text(entry.second);
  }
  template <class Place>
  void read(const Node& node, std::map<Place, uint64_t>& masks) {
    for (const Node& one : sequence(node)) {
      std::pair<Place, uint64_t> mask;
      read(one, mask);
      masks[mask.first] = mask.second;
    }
  }
  void read(const Node& node, RequestSet& requests) {
    std::vector<RequestId> list;
    read(node, list);
    requests.insert(list.begin(), list.end());
  }
  void read(const Node& node, Places auto& value) {
    const auto each = [&](auto&... one) {
      if (!node.IsSequence() || node.size() != sizeof...(one)) {
        fail(node, fmt::format("expected a list of {} values here", sizeof...(one)));
      }
      size_t index = 0;
      (read(node[index++], one), ...);
    };
    places(each, value);
  }
  template <List T>
  void read(const Node& node, T& list) {
    for (const Node& element : sequence(node)) {
      typename T::value_type one{};
      read(element, one);
      list.push_back(std::move(one));
    }
  }
  void read(const Node& node, Mapping auto& value) {
    mapping(node, [&](Fields& all) { fields(all, value); });
  }

  std::string file_;
  const KnownServers& servers_;
  std::vector<ComponentFacts> components_;  // of the input's server
};

}  // namespace
}  // namespace finding_yaml

Finding finding_from_yaml(const std::string& text, const std::string& file,
                          const KnownServers& servers) {
  const auto failed = [&](const YAML::Exception& error, const char* before) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    return FindingError(
        fmt::format("{}:{}: {}{}; {}", file, line, before, error.msg, finding_yaml::kRemedy));
  };
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw failed(error, "this is not valid YAML: ");
  }
  try {
    return finding_yaml::Reader(file, servers).finding(root);
  } catch (const YAML::Exception& error) {
    throw failed(error, "");
  }
}

}  // namespace esox
