// SPDX-License-Identifier: Apache-2.0
// finding.yaml, written. All data strings are quoted, so that "null" and "1" stay text.
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "analysis/finding_fields.h"
#include "base/text/utf8.h"

namespace esox {
namespace finding_yaml {
namespace {

using YAML::Flow;

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
    const auto each = [this](auto&... one) { (this->write(one), ...); };
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

}  // namespace
}  // namespace finding_yaml

std::string finding_to_yaml(Finding finding) {
  return finding_yaml::Writer().yaml(finding);
}

}  // namespace esox
