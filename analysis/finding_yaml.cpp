// SPDX-License-Identifier: Apache-2.0
// finding.yaml, written and read: of each part one list of its keys, from which both follow.
//
// Keys come in the order a person reads: what, how often, how to run it, what came out, what should
// have. All data strings are quoted, so that "null" and "1" stay text. Reading is strict: an
// unknown or missing key, a wrong type or a file that was cut off is an error with file and line;
// nothing is guessed, for a replay must be of exactly what was found.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <string_view>

#include "analysis/finding.h"
#include "analysis/utf8.h"
#include "base/text/input_error.h"
#include "filters/known_servers.h"
#include "inputs/summary_parts.h"
#include "preload/protocol/layout.h"

namespace esox {
namespace {

using YAML::Flow;
using YAML::Node;

constexpr const char* kRemedy = "restore the file from where it was written, or hunt again";

enum LineStyle { kLines, kOneLine };  // of a list: an element a line, or all on one

// ---- what a finding's parts are made of
//
// fields(): keys and values. `f(name, value)` is always there; `f.optional` is left out where it
// is empty, zero or false; `f.derived` is written for people and never read; `f.check` says what is
// wrong with what was read, or nothing. places(): a list of so many values.

template <class T>
concept FileText = std::same_as<T, FilterText> || std::same_as<T, StructureText>;

void fields(auto& f, FileText auto& one) {
  f("file", one.file);
  f("text", one.text);
}

void places(auto& f, Choice& choice) {
  f(choice.point, choice.thread);
}

void places(auto& f, OperationName& name) {
  f(name.kind, name.object, name.function, name.site);
}

void places(auto& f, Warning& warning) {
  f(warning.level, warning.code, warning.message);
}

void places(auto& f, Column& column) {
  f(column.name, column.type);
}

void places(auto& f, RequestId& id) {
  f(id.client, id.request);
}

void places(auto& f, Stamp& stamp) {
  f(stamp.invocation, stamp.response);
}

const char* wrong_with(const Operations& all) {
  if (all.of.size() > kMaxSlots) return "more threads than an execution can have";
  for (const std::vector<uint32_t>& thread : all.of) {
    for (const uint32_t name : thread) {
      if (name >= all.names.size()) return "this is no list of operations by their names' places";
    }
  }
  return "";
}

void fields(auto& f, Operations& all) {
  f("names", all.names);
  f("of", all.of);  // by thread: its operations, by their places among the names
  f.check("of", [&] { return wrong_with(all); });
}

void fields(auto& f, FindingServer& server) {
  f("version", server.version);
  f("path", server.path);
  f("options", server.options);
}

void fields(auto& f, Request& request) {
  f("text", request.text);
  f.optional("ordered", request.ordered);
}

void fields(auto& f, InputClient& client) {
  f("name", client.name);
  f("setup", client.setup);
  f("requests", client.requests);
}

void fields(auto& f, ConcreteInput& concrete) {
  Input& in = concrete.input;
  f("id", in.id);
  f("title", in.title);
  f("origin", in.origin);
  f.language("server", in.language);
  f.optional("summary", in.summary);
  f.check("summary", [&] { return summary_complaint(in.summary, *in.language); });
  f("engine", concrete.engine);
  f.optional("setting", concrete.setting);
  f("engines", in.engines, kOneLine);
  f("server_options", in.server_options);
  f("setup", in.setup);
  f("clients", in.clients);
  f("observations", in.observations);
  f.optional("structures", in.structures);
}

void fields(auto& f, ResultSet& result) {
  f("columns", result.columns);
  f("rows", result.rows);
}

void fields(auto& f, Output& reply) {
  f("answered", reply.answered);
  f.optional("error", reply.error);
  f.optional("sql_state", reply.sql_state);
  f.optional("message", reply.message);
  f.optional("affected_rows", reply.affected_rows);
  f.optional("insert_id", reply.insert_id);
  f.optional("info", reply.info);
  f.optional("warning_count", reply.warning_count);
  f.optional("warnings", reply.warnings);
  f.optional("ordered", reply.ordered);
  f.optional("results", reply.results);
}

void fields(auto& f, Component& part) {
  f("name", part.name);
  f("kind", part.kind);
  f.meaning("meaning", part);
  f("digest", part.digest);
  f("count", part.count);
  f.optional("unavailable", part.unavailable);
  f.optional("elements", part.elements);
}

void fields(auto& f, Outcome& outcome) {
  f("outputs", outcome.outputs);  // by client, then request
  f("state", outcome.state.components);
}

void fields(auto& f, FindingOrder& row) {
  f.derived("name", [&] { return order_name(row.order, row.without); });
  f("clients", row.order, kOneLine);
  f.optional("without", row.without, kOneLine);
  f("allowed", row.allowed);
  f.optional("infeasible", row.infeasible);
  f("differing_requests", row.differing_requests, kOneLine);
  f("differing_components", row.differing_components, kOneLine);
  f("unavailable_components", row.unavailable_components, kOneLine);
  f("outcome", row.outcome);
}

void fields(auto& f, std::pair<OutputPlace, uint64_t>& mask) {
  OutputPlace& place = mask.first;
  f("client", place.client);
  f("request", place.request);
  f("part", place.part);
  f("result", place.result);
  f("column", place.column);
  f("orders", mask.second);
}

void fields(auto& f, std::pair<StatePlace, uint64_t>& mask) {
  f("component", mask.first.component);
  f.optional("key", mask.first.key);
  f("orders", mask.second);
}

void fields(auto& f, Masks& masks) {
  f("outputs", masks.outputs);
  f("state", masks.state);
}

void fields(auto& f, Finding& finding) {
  f.derived("format", [] { return kFindingFormat; });
  f("id", finding.id);
  f("class", finding.verdict);
  f("latent", finding.latent);
  f.lines("cause", finding.cause);
  f("hits", finding.hits);
  f("executions", finding.executions);
  f("first_execution", finding.first_execution);
  f("esox_version", finding.esox_version);
  f.group("schedule", [&](auto& schedule) {
    schedule("strategy", finding.strategy);
    schedule("seed", finding.seed);
    schedule("clock_base_ns", finding.clock_base_ns);
    schedule("choices", finding.choices, kOneLine);
    schedule("values", finding.values, kOneLine);
    schedule("control", finding.control);
    schedule.optional("operations", finding.operations);
  });
  f("server", finding.server);
  f("input", finding.input);
  f.group("ending", [&](auto& ending) {
    ending("kind", finding.ending);
    ending.optional("signal", finding.signal);
    ending("detail", finding.ending_detail);
  });
  f("outcome", finding.outcome);
  f("orders", finding.orders);
  f("masks", finding.masks);
  f.optional("stamps", finding.stamps);
  f.optional("filters", finding.filters);
  f.derived("end", [] { return "finding"; });
}

// Values that stand as a word: how they are called, and the last of them.
template <class E>
struct Words {
  const char* what;
  const char* (*name)(E);
  E last;
};
constexpr Words<VerdictClass> words_of(VerdictClass) {
  return {"class '{}'", class_name, VerdictClass::kDegraded};
}
constexpr Words<EndingKind> words_of(EndingKind) {
  return {"ending '{}'", ending_name, EndingKind::kDegraded};
}
constexpr Words<ComponentKind> words_of(ComponentKind) {
  return {"kind '{}'", name_of, ComponentKind::kCache};
}
constexpr Words<ComponentMeaning> words_of(ComponentMeaning) {
  return {"meaning '{}'", name_of, ComponentMeaning::kDerived};
}
constexpr Words<OutputPart> words_of(OutputPart) {
  return {"part '{}' of a reply", part_name, OutputPart::kWarnings};
}

struct Probe {
  void operator()(auto&...) const {}
};
template <class T>
concept Places = requires(Probe probe, T& value) {
  places(probe, value);
};
template <class T>
concept Mapping = requires(Probe probe, T& value) {
  fields(probe, value);
};
template <class T>
concept Word = requires(T value) {
  words_of(value);
};
using Packed = std::vector<uint32_t>;
template <class T>
concept List = std::same_as<T, std::vector<typename T::value_type>> && !std::same_as<T, Packed>;
template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool>;

// ---- writing

class Writer {
 public:
  std::string yaml(Finding& finding) {
    write(finding);
    return std::string(out_.c_str(), out_.size()) + "\n";
  }

  void operator()(const char* name, auto& value, LineStyle style = kLines) {
    out_ << YAML::Key << name << YAML::Value;
    if (style == kOneLine || holds_no_text(value)) out_ << Flow;
    write(value);
  }
  void optional(const char* name, auto& value, LineStyle style = kLines) {
    if (is_there(value)) (*this)(name, value, style);
  }
  void group(const char* name, const auto& body) {
    out_ << YAML::Key << name << YAML::Value << YAML::BeginMap;
    body(*this);
    out_ << YAML::EndMap;
  }
  void derived(const char* name, const auto& get) {
    auto value = get();
    (*this)(name, value);
  }
  void check(const char* /*key*/, const auto& /*wrong*/) {}
  void lines(const char* name, const std::string& block) {
    std::vector<std::string> list;
    for (size_t begin = 0; begin < block.size();) {
      const size_t end = std::min(block.find('\n', begin), block.size());
      list.push_back(block.substr(begin, end - begin));
      begin = end + 1;
    }
    (*this)(name, list);
  }
  void language(const char* name, const RequestLanguage* language) {
    std::string server(language->server());
    optional(name, server);
  }
  void meaning(const char* name, Component& part) { (*this)(name, part.meaning); }

 private:
  template <class T>
  static bool is_there(const T& value) {
    if constexpr (requires { value.empty(); }) {
      return !value.empty();
    } else {
      return value != T{};
    }
  }

  static bool holds_no_text(const std::vector<std::string>& list) { return list.empty(); }
  static bool holds_no_text(const auto&) { return false; }

  void write(const std::string& value) {
    if (is_utf8(value)) {
      out_ << YAML::DoubleQuoted << value;
    } else {
      out_ << YAML::Binary(reinterpret_cast<const unsigned char*>(value.data()), value.size());
    }
  }
  void write(const char* value) { out_ << value; }
  void write(bool value) { out_ << value; }
  void write(Number auto& value) { out_ << value; }
  void write(Word auto& value) { out_ << words_of(value).name(value); }
  void write(OpKind kind) { write(kind_text(kind)); }
  void write(const Digest& digest) { write(hex(digest)); }
  void write(const Packed& numbers) { write(packed(numbers)); }
  void write(const std::optional<std::string>& value) {
    value ? write(*value) : void(out_ << YAML::Null);
  }
  void write(const Element& element) {  // [value], or [key, value] in a map
    out_ << Flow << YAML::BeginSeq;
    if (!element.key.empty()) write(element.key);
    write(element.value);
    out_ << YAML::EndSeq;
  }
  void write(const std::map<std::string, std::string>& all) {
    if (all.empty()) out_ << Flow;
    out_ << YAML::BeginMap;
    for (const auto& [name, value] : all) {
      out_ << YAML::Key;
      write(name);
      out_ << YAML::Value;
      write(value);
    }
    out_ << YAML::EndMap;
  }
  template <class Place>
  void write(const std::map<Place, uint64_t>& masks) {
    out_ << YAML::BeginSeq;
    for (std::pair<Place, uint64_t> mask : masks) {
      out_ << Flow;
      write(mask);
    }
    out_ << YAML::EndSeq;
  }
  void write(const RequestSet& requests) {
    std::vector<RequestId> list(requests.begin(), requests.end());
    write(list);
  }
  void write(Places auto& value) {
    out_ << Flow << YAML::BeginSeq;
    const auto each = [this](auto&... one) { (write(one), ...); };
    places(each, value);
    out_ << YAML::EndSeq;
  }
  template <List T>
  void write(T& list) {
    out_ << YAML::BeginSeq;
    for (auto& one : list) {
      // The stamps of a client, the cells of a row.
      if constexpr (std::same_as<T, Stamps> || std::same_as<T, std::vector<Row>>) out_ << Flow;
      write(one);
    }
    out_ << YAML::EndSeq;
  }
  void write(Mapping auto& value) {
    out_ << YAML::BeginMap;
    fields(*this, value);
    out_ << YAML::EndMap;
  }

  YAML::Emitter out_;
};

// ---- reading

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
        if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
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
    void group(const char* name, const auto& body) {
      if (need(name)) in_.mapping(node_[name], body);
    }
    void derived(const char* name, const auto& /*get*/) { find(name); }
    void check(const char* key, const auto& wrong) {
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
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (digits.empty() || result.ec != std::errc() || result.ptr != end) {
      fail(node, fmt::format("'{}' is not a number that fits here", digits));
    }
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

std::string finding_to_yaml(Finding finding) {
  return Writer().yaml(finding);
}

Finding finding_from_yaml(const std::string& text, const std::string& file,
                          const KnownServers& servers) {
  const auto failed = [&](const YAML::Exception& error, const char* before) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    return FindingError(fmt::format("{}:{}: {}{}; {}", file, line, before, error.msg, kRemedy));
  };
  Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw failed(error, "this is not valid YAML: ");
  }
  try {
    return Reader(file, servers).finding(root);
  } catch (const YAML::Exception& error) {
    throw failed(error, "");
  }
}

}  // namespace esox
