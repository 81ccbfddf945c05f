// SPDX-License-Identifier: Apache-2.0
#include "base/record/value.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace esox {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

// ---- writing

struct ValueWriter::Tree {
  Ordered root;
  std::vector<Ordered*> open;  // from the root on
  std::string key;

  // A list that grows moves its elements, but only the last of them is open.
  Ordered& add(Ordered value) {
    if (open.empty()) return root = std::move(value);
    if (!open.back()->is_object()) return open.back()->emplace_back(std::move(value));
    return (*open.back())[key] = std::move(value);
  }
};

ValueWriter::ValueWriter() : tree_(std::make_unique<Tree>()) {}
ValueWriter::~ValueWriter() = default;

void ValueWriter::null() {
  tree_->add(nullptr);
}
void ValueWriter::put(bool value) {
  tree_->add(value);
}
void ValueWriter::put(uint64_t value) {
  tree_->add(value);
}
void ValueWriter::put(double value) {
  tree_->add(value);
}
void ValueWriter::put(const std::string& value) {
  tree_->add(value);
}
void ValueWriter::begin_object() {
  tree_->open.push_back(&tree_->add(Ordered::object()));
}
void ValueWriter::key(const std::string& name) {
  tree_->key = name;
}
void ValueWriter::begin_list() {
  tree_->open.push_back(&tree_->add(Ordered::array()));
}
void ValueWriter::end() {
  tree_->open.pop_back();
}

std::string ValueWriter::json(int indent) const {
  return tree_->root.dump(indent, ' ', false, Ordered::error_handler_t::replace);
}

std::vector<uint8_t> ValueWriter::cbor() const {
  return Ordered::to_cbor(tree_->root);
}

// ---- reading

ValueDocument::ValueDocument(std::unique_ptr<Json> value) : value_(std::move(value)) {}
ValueDocument::~ValueDocument() = default;

namespace {

std::unique_ptr<Json> parsed(const auto& parse) {
  try {
    return std::make_unique<Json>(parse());
  } catch (const Json::parse_error& error) {
    throw DamagedRecord(fmt::format("damaged at byte {}", error.byte));
  } catch (const Json::exception&) {  // a length beyond all bounds
    throw DamagedRecord("damaged");
  }
}

}  // namespace

ValueDocument ValueDocument::of_json(const std::string& text) {
  return ValueDocument(parsed([&] { return Json::parse(text); }));
}

ValueDocument ValueDocument::of_cbor(const std::vector<uint8_t>& bytes) {
  return ValueDocument(parsed([&] { return Json::from_cbor(bytes); }));
}

bool ValueReader::is_null() const {
  return value_->is_null();
}
bool ValueReader::is_list() const {
  return value_->is_array();
}
bool ValueReader::is_string() const {
  return value_->is_string();
}

void ValueReader::need(bool fits, const char* type) const {
  if (!fits) refuse(fmt::format("is {}, not {}", value_->type_name(), type));
}

std::optional<ValueReader> ValueReader::find(const char* name) const {
  need(value_->is_object(), "an object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return ValueReader(*found, *this, name);
}

size_t ValueReader::size() const {
  need(value_->is_array(), "a list");
  return value_->size();
}

ValueReader ValueReader::at(size_t index) const {
  if (index >= size()) refuse(fmt::format("is a list of {}, too short", size()));
  return ValueReader((*value_)[index], *this, fmt::format("[{}]", index));
}

void ValueReader::each(
    const std::function<void(const std::string&, const ValueReader&)>& one) const {
  need(value_->is_object(), "an object");
  for (const auto& [name, value] : value_->items()) one(name, ValueReader(value, *this, name));
}

bool ValueReader::boolean() const {
  need(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

uint64_t ValueReader::number(uint64_t most) const {
  need(value_->is_number_integer(), "a whole number");
  const bool negative = !value_->is_number_unsigned() && value_->get<int64_t>() < 0;
  if (negative || value_->get<uint64_t>() > most) {
    refuse(fmt::format("is {}, not a number from 0 to {}", value_->dump(), most));
  }
  return value_->get<uint64_t>();
}

double ValueReader::real() const {
  need(value_->is_number(), "a number");
  return value_->get<double>();
}

const std::string& ValueReader::text() const {
  need(value_->is_string(), "a string");
  return value_->get_ref<const std::string&>();
}

std::string ValueReader::place() const {
  if (parent_ == nullptr) return step_;
  const std::string before = parent_->place();
  return before + (before.empty() || step_.starts_with('[') ? "" : ".") + step_;
}

void ValueReader::refuse(const std::string& what) const {
  const std::string here = place();
  throw RecordError(here.empty() ? fmt::format("it {}", what) : fmt::format("'{}' {}", here, what));
}

}  // namespace esox
