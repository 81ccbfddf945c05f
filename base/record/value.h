// SPDX-License-Identifier: Apache-2.0
// Trees of values, as JSON text or CBOR bytes: what records (record.h) are written to and read
// from.
//
//   record --fields--> ValueWriter --> JSON, CBOR --> ValueDocument --> ValueReader --fields-->
//   record
//
// The JSON library stays behind this header: it is compiled once, not with each record.
//
// A ValueReader points into its document, and to the reader that it was taken from; both must live
// as long. Errors are RecordError: one line that names the place, "findings[3].hits is a string,
// not a number".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace esox {

// The bytes are a tree, but not that of the record.
class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The bytes are no tree: cut off, or of something else.
class DamagedRecord : public RecordError {
 public:
  using RecordError::RecordError;
};

class ValueWriter {
 public:
  ValueWriter();
  ~ValueWriter();

  void null();
  void put(bool value);
  void put(uint64_t value);
  void put(double value);
  void put(const std::string& value);  // any bytes
  void begin_object();
  void key(const std::string& name);  // of an object, before each of its values
  void begin_list();
  void end();  // of the object or list that was begun last

  // Bytes that are no UTF-8 are replaced. `indent`: spaces; negative: all in one line.
  std::string json(int indent) const;
  std::vector<uint8_t> cbor() const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

class ValueReader {
 public:
  explicit ValueReader(const nlohmann::json& value) : value_(&value) {}

  bool is_null() const;
  bool is_list() const;
  bool is_string() const;
  // Of an object; nothing if it is missing or null.
  std::optional<ValueReader> find(const char* name) const;
  size_t size() const;                 // of a list
  ValueReader at(size_t index) const;  // of a list
  void each(const std::function<void(const std::string&, const ValueReader&)>& one) const;

  bool boolean() const;
  uint64_t number(uint64_t most) const;
  double real() const;
  const std::string& text() const;

  // "findings[3].hits"; empty for the whole.
  std::string place() const;
  // `what`: "is not ...".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  ValueReader(const nlohmann::json& value, const ValueReader& parent, std::string step)
      : value_(&value), parent_(&parent), step_(std::move(step)) {}
  void need(bool fits, const char* type) const;

  const nlohmann::json* value_;
  const ValueReader* parent_ = nullptr;
  std::string step_;
};

class ValueDocument {
 public:
  // Both throw DamagedRecord.
  static ValueDocument of_json(const std::string& text);
  static ValueDocument of_cbor(const std::vector<uint8_t>& bytes);
  ~ValueDocument();

  ValueReader root() const { return ValueReader(*value_); }

 private:
  explicit ValueDocument(std::unique_ptr<nlohmann::json> value);
  std::unique_ptr<nlohmann::json> value_;
};

}  // namespace esox
